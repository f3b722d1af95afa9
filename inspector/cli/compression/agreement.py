"""What a summary costs to make, and the user's agreement before it is asked for."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from core.model.compaction.plan import Plan
from inspector.cli.arguments import confirm
from inspector.cli.compression import summariser_options as summarisers
from inspector.payloads import values as jsonio

if TYPE_CHECKING:
    from core.compress.summarise.base import Endpoint
    from inspector.cli.compression.question import Question


@dataclass(frozen=True, slots=True)
class Price:
    """What one summary takes.

    Attributes:
        prompt: Tokens sent to a model, by the release's estimate; 0 when nobody is asked.
        summary: Tokens of the summary; None when there is none.
        usd: At the price list; None when the model has no price.
    """

    prompt: int
    summary: int | None
    usd: Decimal | None


def price(
    args: argparse.Namespace, asked: Question, plan: Plan, focus: str | None, summary: str | None
) -> Price:
    """The price of a summary that was made, or with None of one that would be."""
    from core.compress.sizing.estimate import text_tokens

    tokens = None if summary is None else text_tokens(summary, asked.policy.estimate.unit)
    if args.summary_file is not None or args.summariser not in summarisers.MODELS or not plan.middle.size:
        return Price(0, tokens, Decimal(0))
    from core.compress.planning.measure import measure
    from core.preview.summarisers import summary_price

    measured = measure(asked.messages, asked.policy)
    sent, usd = summary_price(measured, plan, focus, summarisers.choice(args, asked), output=tokens)
    return Price(sent, tokens, usd)


def agree(
    args: argparse.Namespace,
    asked: Question,
    plan: Plan,
    endpoint: Endpoint | None,
    focuses: Sequence[str | None],
) -> None:
    """Name where the text would go and what that costs, and ask: once for the summaries of all focuses.

    Raises:
        UsageError: The user does not agree.
    """
    from inspector.terminal import formatting as format

    if endpoint is None or endpoint.local or not plan.middle.size:
        return
    costs = [price(args, asked, plan, focus, None) for focus in focuses]
    tokens = format.count(sum(cost.prompt for cost in costs), mark=format.ESTIMATE)
    known = [cost.usd for cost in costs if cost.usd is not None]
    total = format.money(sum(known, Decimal(0)), mark=format.ESTIMATE)
    money = f"for {total}" if len(known) == len(costs) else "at an unknown price"
    where = f"{endpoint.host} ({endpoint.model})"
    times = f" in {len(costs)} requests" if len(costs) > 1 else ""
    confirm.ask(f"Send {tokens} tokens of this conversation to {where}{times}, {money}?", yes=args.yes)


def payload(value: Price) -> dict[str, Any]:
    """A price as the command line promises it."""
    return {
        "prompt_tokens": value.prompt,
        "summary_tokens": value.summary,
        "usd": jsonio.money(value.usd),
    }
