"""The options of `trajectory`, made into a job."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.errors import UsageError
from core.imports import openai_messages as texts
from inspector.cli.arguments import confirm
from inspector.cli.arguments import parsers as numbers

if TYPE_CHECKING:
    from core.compress.summarise.model_choice import ModelChoice
    from core.trajectory.compress.settings import Settings
    from core.trajectory.engines.base import Engine
    from core.trajectory.input.sources import Input
    from core.trajectory.run import Outcome, Target
    from core.trajectory.shards.job import Job
    from core.trajectory.summaries.base import SummarySpec
    from core.trajectory.upstream_config import UpstreamConfig

_ROLES = ("system", "human", "gpt", "tool")
_SUMMARISERS = ("extractive", "static", "anthropic", "openai")
_FILE_ENDINGS = (".jsonl", ".json", ".jsonl.gz", ".jsonl.zst", ".gz", ".zst", ".ndjson", ".txt")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """All of them, in the order of the work."""
    parser.add_argument(
        "input", metavar="INPUT", type=str, help="a file, a folder, a pattern in quotes or a URL"
    )
    parser.add_argument("output", metavar="OUTPUT", type=str, nargs="?", help="a file, or a folder")
    _cut(parser.add_argument_group("what is cut"))
    _summary(parser.add_argument_group("the summary"))
    _work(parser.add_argument_group("the run"))


def _cut(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--release", metavar="X", help="the release whose rules apply (default: the newest)")
    group.add_argument(
        "--target", type=numbers.positive, metavar="N", help="tokens a trajectory may hold (default: 15250)"
    )
    group.add_argument(
        "--summary-target", type=numbers.whole, metavar="N", help="tokens for the summary (default: 750)"
    )
    group.add_argument(
        "--protect-last", type=numbers.whole, metavar="N", help="turns at the end that stay (default: 4)"
    )
    group.add_argument(
        "--no-protect",
        choices=_ROLES,
        metavar="ROLE",
        action="append",
        default=[],
        help=f"do not keep the first turn of this role ({', '.join(_ROLES)}); may be repeated",
    )
    group.add_argument(
        "--tokenizer",
        type=str,
        metavar="NAME",
        help="o200k_base, cl100k_base, or the path of a tokenizer.json (default: o200k_base)",
    )
    group.add_argument("--config", type=str, metavar="FILE", help="the YAML file of Hermes' own tool")
    group.add_argument("--sample", type=_percent, metavar="PERCENT", help="take a share of the entries")
    group.add_argument(
        "--seed", type=numbers.whole, default=42, metavar="N", help="of the sample (default: 42)"
    )


def _summary(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--summariser",
        choices=_SUMMARISERS,
        default="extractive",
        help="who writes it (default: %(default)s)",
    )
    group.add_argument("--summary-file", type=str, metavar="FILE", help="use this text as every summary")
    group.add_argument("--model", metavar="NAME", help="model to ask")
    group.add_argument("--provider", metavar="NAME", help="its provider, as Hermes names it")
    group.add_argument("--base-url", metavar="URL", help="its API")
    group.add_argument("--api-key", metavar="KEY", help="better kept in the environment")
    group.add_argument(
        "--concurrency", type=numbers.positive, metavar="N", help="requests under way at once (default: 50)"
    )
    group.add_argument(
        "--timeout",
        type=_seconds,
        default=300.0,
        metavar="S",
        help="seconds one entry may take (default: 300)",
    )
    group.add_argument("--yes", action="store_true", help="agree to the price beforehand")


def _work(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--dry-run", action="store_true", help="say what would be done; only read")
    group.add_argument("--browse", action="store_true", help="look through the trajectories in the app")
    group.add_argument("--screenshot", metavar="FILE.svg", type=Path, help="with --browse: draw one frame")
    group.add_argument("--size", metavar="WxH", type=numbers.size, help="of that frame, as 120x40")
    group.add_argument(
        "--jobs",
        type=numbers.positive,
        default=os.cpu_count() or 1,
        metavar="N",
        help="processes (default: %(default)s)",
    )
    group.add_argument("--engine", choices=("local", "ray"), default="local", help="where the work is done")
    group.add_argument("--address", metavar="ADDR", help="of the Ray cluster (default: auto)")
    group.add_argument("--parts", action="store_true", help="leave the parts in the folder OUTPUT, unjoined")
    group.add_argument("--restart", action="store_true", help="begin anew and write over what is there")
    group.add_argument("--metrics", type=str, metavar="FILE", help="write the aggregate there too")


def job(args: argparse.Namespace, found: Input) -> tuple[Job, Target]:
    """What the options ask for.

    Raises:
        InspectorError: A file cannot be read, or options do not go together.
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
    from core.trajectory.compress.settings import Settings

    given = {
        "target": args.target,
        "summary_target": args.summary_target,
        "protect_last": args.protect_last,
    }
    values: dict[str, Any] = {
        **config.settings,
        **{key: one for key, one in given.items() if one is not None},
    }
    roles = values.pop("protected_roles", _ROLES)
    return Settings(
        release=nearest_release(args.release) if args.release else newest_release(),
        protected_roles=tuple(role for role in roles if role not in args.no_protect),
        **values,
    )


def _config(args: argparse.Namespace) -> UpstreamConfig:
    from core.trajectory.upstream_config import UpstreamConfig, read_config
    from inspector.cli import output

    if args.config is None:
        return UpstreamConfig()
    config = read_config(args.config)
    for note in config.notes:
        output.write_note(f"{args.config}: {note}")
    return config


def _spec(args: argparse.Namespace, config: UpstreamConfig) -> SummarySpec:
    from core.trajectory.summaries.base import FILE, SummarySpec

    if args.summary_file is not None:
        text = texts.read_text(args.summary_file)
        if not text.strip():
            raise UsageError("holds no text to use as a summary", where=args.summary_file)
        return SummarySpec(FILE, text=text)
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
    from core.trajectory.summaries.models import choose_model

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
    """Whether OUTPUT takes a file for each of the input."""
    out = args.output or ""
    if args.parts:
        return False
    return os.path.isdir(out) or out.endswith("/") or (found.many and not out.endswith(_FILE_ENDINGS))


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
    from inspector.settings.privacy import refuse_sending
    from inspector.terminal import formatting as fmt

    refuse_sending(choice.endpoint.host)
    quiet = Listener(lambda *done: None, lambda *problem: None, lambda result, earlier: None)
    seen = foresee(replace(job, dry=True), engine, quiet)
    calls = seen.metrics.total_summarization_calls
    if not calls:
        return
    usd = _usd(job, seen)
    money = "at an unknown price" if usd is None else f"for {fmt.money(usd, mark=fmt.ESTIMATE)}"
    tokens = fmt.count(seen.sent, mark=fmt.ESTIMATE)
    where = f"{choice.endpoint.host} ({choice.model})"
    confirm.ask(f"Send {tokens} tokens of {calls:,} trajectories to {where}, {money}?", yes=args.yes)


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


def _usd(job: Job, outcome: Outcome) -> Any:
    from decimal import Decimal

    choice = job.summary.choice
    if choice is None:
        return Decimal(0)
    from core.account.pricing.price_book import open_book
    from core.model.accounting.tokens import Buckets

    spent = Buckets(input=outcome.sent, output=outcome.received)
    return open_book().price(spent, choice.model, choice.provider, choice.base_url)


def _percent(text: str) -> float:
    """A share in per cent, above 0 and up to 100."""
    try:
        value = float(text.removesuffix("%"))
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number") from error
    if not 0 < value <= 100:
        raise argparse.ArgumentTypeError(f"{text!r} is not above 0 and at most 100")
    return value


def _seconds(text: str) -> float:
    """A time in seconds above 0."""
    try:
        value = float(text.removesuffix("s"))
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds") from error
    if not 0 < value < 10**7:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds above 0")
    return value
