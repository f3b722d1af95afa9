"""What a summary costs to make, and the user's agreement before it is asked for."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from core.model.accounting.tokens import Buckets
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
    from core.account.pricing.price_book import open_book

    chosen = summarisers.choice(args, asked)
    sent = _prompt_tokens(asked, plan, focus)
    output = tokens if tokens is not None else plan.summary_budget or 0
    book = open_book()
    usd = book.price(Buckets(input=sent, output=output), chosen.model, chosen.provider, chosen.base_url).usd
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


def _prompt_tokens(asked: Question, plan: Plan, focus: str | None) -> int:
    from core.compress.planning.measure import measure
    from core.compress.requests.request import summary_request
    from core.compress.sizing.estimate import text_tokens
    from core.compress.summarise.prompt import build_prompt

    request = summary_request(measure(asked.messages, asked.policy), plan, focus=focus)
    return text_tokens(build_prompt(request).text, asked.policy.estimate.unit)
