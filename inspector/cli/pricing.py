"""What a summary costs to make, and the user's agreement before it is asked for."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from core.model.plan import Plan
from core.model.tokens import Buckets
from inspector.cli import confirm, jsonio, summarisers

if TYPE_CHECKING:
    from core.compress.summarise.base import Endpoint
    from inspector.cli.what_if import Question


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


def price(args: argparse.Namespace, asked: Question, plan: Plan, summary: str | None) -> Price:
    """The price of a summary that was made, or with None of one that would be."""
    from core.compress.estimate import text_tokens

    tokens = None if summary is None else text_tokens(summary, asked.policy.estimate.unit)
    if args.summary_file is not None or args.summariser not in summarisers.MODELS or not plan.middle.size:
        return Price(0, tokens, Decimal(0))
    from core.account.price_book import open_book

    chosen = summarisers.choice(args, asked)
    sent = _prompt_tokens(args, asked, plan)
    output = tokens if tokens is not None else plan.summary_budget or 0
    book = open_book()
    usd = book.price(Buckets(input=sent, output=output), chosen.model, chosen.provider, chosen.base_url).usd
    return Price(sent, tokens, usd)


def agree(args: argparse.Namespace, asked: Question, plan: Plan, endpoint: Endpoint | None) -> None:
    """Name where the text would go and what that costs, and ask.

    Raises:
        UsageError: The user does not agree.
    """
    from inspector import format

    if endpoint is None or endpoint.local or not plan.middle.size:
        return
    cost = price(args, asked, plan, None)
    tokens = format.count(cost.prompt, mark=format.ESTIMATE)
    known = cost.usd is not None
    money = f"for {format.money(cost.usd, mark=format.ESTIMATE)}" if known else "at an unknown price"
    where = f"{endpoint.host} ({endpoint.model})"
    confirm.ask(f"Send {tokens} tokens of this conversation to {where}, {money}?", yes=args.yes)


def payload(value: Price) -> dict[str, Any]:
    """A price as the command line promises it."""
    return {
        "prompt_tokens": value.prompt,
        "summary_tokens": value.summary,
        "usd": jsonio.money(value.usd),
    }


def _prompt_tokens(args: argparse.Namespace, asked: Question, plan: Plan) -> int:
    from core.compress.estimate import text_tokens
    from core.compress.measure import measure
    from core.compress.request import summary_request
    from core.compress.summarise.prompt import build_prompt

    request = summary_request(measure(asked.messages, asked.policy), plan, focus=args.focus)
    return text_tokens(build_prompt(request).text, asked.policy.estimate.unit)
