"""Options that choose the summariser of a preview, its price, and the consent before it is used."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from core.errors import UsageError
from core.imports import openai_messages as transcript
from core.model.compaction.plan import Plan
from inspector.cli import output
from inspector.cli.arguments import confirm, parsers
from inspector.settings.config_file import own_settings

if TYPE_CHECKING:
    from core.compress.summarise.base import Endpoint, Summariser
    from core.compress.summarise.model_choice import ModelChoice
    from inspector.cli.compression.question import Question

NAMES = ("extractive", "faithful", "static", "anthropic", "openai")
MODELS = NAMES[3:]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add `--summariser`, the model behind it, and `--summary-file`."""
    group = parser.add_argument_group("the summary")
    add = group.add_argument
    add(
        "--summariser",
        choices=NAMES,
        default=own_settings().summariser.name,
        help="who writes the summary (default: %(default)s)",
    )
    add("--summary-file", type=str, metavar="FILE", help="use this text as the summary; - for stdin")
    add("--check", action="store_true", help="check a model's summary, ask again, remove what is unsupported")
    add("--model", metavar="NAME", help="model to ask (default: auxiliary.compression, else the session's)")
    add("--provider", metavar="NAME", help="its provider, as Hermes names it")
    add("--base-url", metavar="URL", help="its API; OpenRouter, Ollama, vLLM and llama.cpp work")
    add("--api-key", metavar="KEY", help="its key; safer in the environment, as process lists show options")
    add("--timeout", type=parsers.positive, metavar="SECONDS", help="give up after so long without an answer")


def tell_unused(args: argparse.Namespace) -> None:
    """Warn that a model was named but none is used."""
    if args.summariser not in MODELS and any((args.model, args.provider, args.base_url, args.api_key)):
        output.write_note(
            f"no model is asked: --summariser is {args.summariser}; name {' or '.join(MODELS)} to ask one"
        )


def summariser(args: argparse.Namespace, asked: Question) -> Summariser:
    """The summariser the options choose.

    Raises:
        NotFoundError: The summary file does not exist.
        UsageError: The file is empty or unreadable, or there is no model to check.
        SummaryFailure: No model is named, or its key is missing.
    """
    from core.preview import summarisers

    if args.check and (args.summary_file is not None or args.summariser not in MODELS):
        raise UsageError("--check needs a model", remedy=f"Name {' or '.join(MODELS)} with --summariser")
    if args.summary_file is not None:
        from core.compress.summarise.base import GivenSummary

        return GivenSummary(transcript.read_summary(args.summary_file))
    if args.summariser in MODELS:
        chosen = choice(args, asked)
        named = any(_model(args))
        main = None if named else summarisers.main_model(chosen, asked.context, asked.policy)
        return summarisers.remote_summariser(chosen, asked.policy, args.summariser, main, check=args.check)
    return summarisers.offline_summariser(asked.policy, args.summariser)


def choice(args: argparse.Namespace, asked: Question) -> ModelChoice:
    """The model to ask, from: options, settings, environment, `auxiliary.compression`, the session.

    Raises:
        SummaryFailure: No source names a model, or the endpoint needs a key that is missing.
    """
    from core.compress.summarise.model_choice import DEFAULT_TIMEOUT, ModelChoice
    from core.preview.summarisers import chosen_model

    model, provider, base_url = _model(args)
    unnamed = not (provider or base_url) and model
    flags = ModelChoice(
        provider=provider or (args.summariser if unnamed and "/" not in model else ""),
        model=model,
        base_url=base_url,
        api_key=args.api_key or "",
        timeout=float(args.timeout or DEFAULT_TIMEOUT),
    )
    return chosen_model(flags, asked.context, release=asked.policy.release)


def _model(args: argparse.Namespace) -> tuple[str, str, str]:
    """Model, provider and API from the options; from the settings if the options name none of them."""
    named = (args.model or "", args.provider or "", args.base_url or "")
    own = own_settings().summariser
    if any(named) or own.name != args.summariser:
        return named
    return own.model or "", own.provider or "", own.base_url or ""


@dataclass(frozen=True, slots=True)
class Price:
    """What one summary costs.

    Attributes:
        prompt_tokens: Sent to a model, by the release's estimate; 0 if no model is asked.
        summary_tokens: Of the summary; None if there is none.
        usd: By the price list; None if the model has no price.
    """

    prompt_tokens: int
    summary_tokens: int | None
    usd: Decimal | None


def price(
    args: argparse.Namespace, asked: Question, plan: Plan, focus: str | None, summary: str | None
) -> Price:
    """The price of a summary, or with None of one not made yet."""
    from core.compress.sizing.estimate import text_tokens

    tokens = None if summary is None else text_tokens(summary, asked.policy.estimate.unit)
    if args.summary_file is not None or args.summariser not in MODELS or not plan.summarises:
        return Price(0, tokens, Decimal(0))
    from core.compress.planning.measure import measure
    from core.preview.summarisers import summary_price

    measured = measure(asked.messages, asked.policy)
    chosen = choice(args, asked)
    sent, usd = summary_price(measured, plan, focus, chosen, output=tokens, check=args.check)
    return Price(sent, tokens, usd)


def agree(
    args: argparse.Namespace,
    asked: Question,
    plan: Plan,
    endpoint: Endpoint | None,
    focuses: Sequence[str | None],
    second: Endpoint | None = None,
) -> None:
    """Name the destination and the cost, and ask once for the summaries of all focuses.

    `second` is the model asked if the first fails.

    Raises:
        UsageError: The user does not agree.
    """
    from core.support import formatting as fmt

    places = [one for one in (endpoint, second) if one is not None]
    if endpoint is None or all(place.local for place in places) or not plan.summarises:
        return
    costs = [price(args, asked, plan, focus, None) for focus in focuses]
    tokens = fmt.count(sum(cost.prompt_tokens for cost in costs), mark=fmt.ESTIMATE)
    known = [cost.usd for cost in costs if cost.usd is not None]
    usd = sum(known, Decimal(0)) if len(known) == len(costs) else None
    most = len(costs) * (2 if args.check else 1)
    times = f" in {'at most ' if args.check else ''}{most} requests" if most > 1 else ""
    what = f"Send {tokens} tokens of this conversation"
    confirm.ask_to_send(what, places, usd, yes=args.yes, times=times)


def tell_pause(asked: Question, endpoint: Endpoint | None) -> None:
    """Warn that Hermes itself would wait, because the pause after a failed summary is not over."""
    from core.preview.offers import pause_words

    words = "" if endpoint is None else pause_words(asked.gate, asked.policy)
    if words:
        output.write_note(words)
