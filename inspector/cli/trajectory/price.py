"""What the requests of a trajectory run cost, asked before they are sent and told afterwards."""

from __future__ import annotations

import argparse
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from inspector.cli.arguments import confirm

if TYPE_CHECKING:
    from core.trajectory.engines.base import Engine
    from core.trajectory.run import Outcome
    from core.trajectory.shards.job import Job


def agree(args: argparse.Namespace, job: Job, engine: Engine) -> None:
    """Name where the turns would go and what that costs, and ask.

    Raises:
        UsageError: The user does not agree.
    """
    choice = job.summary.choice
    if choice is None or choice.endpoint.local:
        return
    from dataclasses import replace

    from core.trajectory.run import Listener, foresee
    from inspector.settings.config_file import refuse_sending
    from inspector.terminal import formatting as fmt

    refuse_sending(choice.endpoint.host)
    quiet = Listener(lambda *done: None, lambda *problem: None, lambda result, earlier: None)
    seen = foresee(replace(job, dry=True), engine, quiet)
    calls = seen.metrics.total_summarization_calls
    if not calls:
        return
    what = f"Send {fmt.count(seen.sent, mark=fmt.ESTIMATE)} tokens of {calls:,} trajectories"
    confirm.ask_to_send(what, [choice.endpoint], _usd(job, seen), yes=args.yes)


def price(job: Job, outcome: Outcome) -> dict[str, Any]:
    """What the requests of a run came to, or would."""
    from inspector.payloads.values import money

    return {
        "calls": outcome.metrics.total_summarization_calls,
        "prompt_tokens": outcome.sent,
        "summary_tokens": outcome.received,
        "usd": money(_usd(job, outcome)),
        "model": None if job.summary.choice is None else job.summary.choice.model,
    }


def _usd(job: Job, outcome: Outcome) -> Decimal | None:
    choice = job.summary.choice
    if choice is None:
        return Decimal(0)
    from core.account.pricing.price_book import open_book
    from core.model.accounting.amounts import Buckets

    spent = Buckets(input=outcome.sent, output=outcome.received)
    return open_book().price(spent, choice.model, choice.provider, choice.base_url)
