"""What a summary costs to make, and the user's agreement before it is asked for."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from core.model.compaction.plan import Plan
from inspector.cli import output
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
    if args.summary_file is not None or args.summariser not in summarisers.MODELS or not plan.summarises:
        return Price(0, tokens, Decimal(0))
    from core.compress.planning.measure import measure
    from core.preview.summarisers import summary_price

    measured = measure(asked.messages, asked.policy)
    choice = summarisers.choice(args, asked)
    sent, usd = summary_price(measured, plan, focus, choice, output=tokens, check=args.check)
    return Price(sent, tokens, usd)


def agree(
    args: argparse.Namespace,
    asked: Question,
    plan: Plan,
    endpoint: Endpoint | None,
    focuses: Sequence[str | None],
    second: Endpoint | None = None,
) -> None:
    """Name where the text would go and what that costs, and ask: once for the summaries of all focuses.

    Args:
        args: The command line.
        asked: What is compressed.
        plan: Where it is cut.
        endpoint: The model asked first; None when nobody is asked.
        focuses: Of the summaries.
        second: The model asked after that one failed.

    Raises:
        UsageError: The user does not agree.
    """
    from inspector.terminal import formatting as fmt

    places = [one for one in (endpoint, second) if one is not None]
    if endpoint is None or all(one.local for one in places) or not plan.summarises:
        return
    costs = [price(args, asked, plan, focus, None) for focus in focuses]
    tokens = fmt.count(sum(cost.prompt for cost in costs), mark=fmt.ESTIMATE)
    known = [cost.usd for cost in costs if cost.usd is not None]
    usd = sum(known, Decimal(0)) if len(known) == len(costs) else None
    most = len(costs) * (2 if args.check else 1)
    times = f" in {'at most ' if args.check else ''}{most} requests" if most > 1 else ""
    what = f"Send {tokens} tokens of this conversation"
    confirm.ask_to_send(what, places, usd, yes=args.yes, times=times)


def tell_pause(asked: Question, endpoint: Endpoint | None) -> None:
    """Say that Hermes itself would wait: a pause after a failed summary still runs."""
    from core.preview.offers import pause_words

    words = "" if endpoint is None else pause_words(asked.gate, asked.policy)
    if words:
        output.write_note(words)


def payload(value: Price) -> dict[str, Any]:
    """A price as the command line promises it."""
    return {
        "prompt_tokens": value.prompt,
        "summary_tokens": value.summary,
        "usd": jsonio.money(value.usd),
    }
