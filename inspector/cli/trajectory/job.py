"""Turns the options of `trajectory` into a job and the place for its results."""

from __future__ import annotations

import argparse
import os
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from core.imports import openai_messages as texts
from core.trajectory.compress.plan import ROLES
from inspector.cli import output
from inspector.cli.arguments import confirm
from inspector.payloads.values import money

if TYPE_CHECKING:
    from core.compress.summarise.model_choice import ModelChoice
    from core.trajectory.compress.plan import Settings
    from core.trajectory.engines.local import Engine
    from core.trajectory.input.sources import Input
    from core.trajectory.run import Outcome, Target
    from core.trajectory.shards.job import Job
    from core.trajectory.summaries.base import SummarySpec
    from core.trajectory.upstream_config import UpstreamConfig


_FILE_ENDINGS = (".jsonl", ".json", ".jsonl.gz", ".jsonl.zst", ".gz", ".zst", ".ndjson", ".txt")


def job(args: argparse.Namespace, found: Input) -> tuple[Job, Target]:
    """The job and target that the options describe.

    Raises:
        InspectorError: A file is unreadable, or options exclude each other.
    """
    from core.trajectory.run import Target
    from core.trajectory.shards.job import Job

    config = _config(args)
    target = Target(args.output or "", _is_folder(args, found), args.parts)
    asked = Job(
        sources=found.sources,
        settings=_settings(args, config),
        summary=_spec(args, config),
        parts=target.parts,
        tokenizer=args.tokenizer or config.tokenizer or "o200k_base",
        timeout=args.timeout,
        sample=args.sample,
        seed=args.seed,
        dry=args.dry_run,
    )
    return asked, target


def _settings(args: argparse.Namespace, config: UpstreamConfig) -> Settings:
    from core.hermes.policy.policy import nearest_release, newest_release
    from core.trajectory.compress.plan import Settings

    given = {name: getattr(args, name) for name in ("target", "summary_target", "protect_last")}
    named = {name: value for name, value in given.items() if value is not None}
    values: dict[str, Any] = {**config.settings, **named}
    roles = values.pop("protected_roles", ROLES)
    return Settings(
        release=nearest_release(args.release) if args.release else newest_release(),
        protected_roles=tuple(role for role in roles if role not in args.no_protect),
        **values,
    )


def _config(args: argparse.Namespace) -> UpstreamConfig:
    from core.trajectory.upstream_config import UpstreamConfig, read_config

    if args.config is None:
        return UpstreamConfig()
    config = read_config(args.config)
    for note in config.notes:
        output.write_note(f"{args.config}: {note}")
    return config


def _spec(args: argparse.Namespace, config: UpstreamConfig) -> SummarySpec:
    from core.trajectory.summaries.base import FILE, SummarySpec

    if args.summary_file is not None:
        return SummarySpec(FILE, text=texts.read_summary(args.summary_file))
    if args.summariser not in ("anthropic", "openai"):
        return SummarySpec(args.summariser)
    return SummarySpec(
        args.summariser,
        choice=_choice(args, config),
        concurrency=args.concurrency or config.concurrency or 50,
        attempts=config.attempts or 4,
        temperature=config.temperature,
    )


def _choice(args: argparse.Namespace, config: UpstreamConfig) -> ModelChoice:
    from core.compress.summarise.model_choice import ModelChoice
    from core.trajectory.summaries.base import choose_model

    model = args.model or config.model or ""
    unnamed = not (args.provider or args.base_url or config.base_url)
    flags = ModelChoice(
        provider=args.provider or (args.summariser if unnamed and model and "/" not in model else ""),
        model=args.model or "",
        base_url=args.base_url or "",
        api_key=args.api_key or "",
    )
    return choose_model(flags, config, os.environ)


def _is_folder(args: argparse.Namespace, found: Input) -> bool:
    """Whether OUTPUT is a folder that gets one file per input file."""
    out = args.output or ""
    if args.parts:
        return False
    return os.path.isdir(out) or out.endswith("/") or (found.many and not out.endswith(_FILE_ENDINGS))


def agree(args: argparse.Namespace, job: Job, engine: Engine) -> None:
    """Name the destination of the turns and the cost, and ask.

    Raises:
        UsageError: The user does not agree.
    """
    choice = job.summary.choice
    if choice is None or choice.endpoint.local:
        return

    from core.support import formatting as fmt
    from core.trajectory.run import Listener, foresee
    from inspector.settings.config_file import refuse_sending

    refuse_sending(choice.endpoint.host)
    quiet = Listener(lambda *done: None, lambda *problem: None, lambda result: None)
    seen = foresee(replace(job, dry=True), engine, quiet)
    calls = seen.metrics.total_summarization_calls
    if not calls:
        return
    what = f"Send {fmt.count(seen.sent, mark=fmt.ESTIMATE)} tokens of {calls:,} trajectories"
    confirm.ask_to_send(what, [choice.endpoint], _usd(job, seen), yes=args.yes)


def price(job: Job, outcome: Outcome) -> dict[str, Any]:
    """What the requests of a run cost, or would cost."""
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
