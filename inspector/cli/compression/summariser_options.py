"""Who writes the summary of a preview: the choice of options, made into a summariser."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING

from core.errors import UsageError
from core.imports import openai_messages as transcript
from inspector.cli.arguments import parsers as numbers

if TYPE_CHECKING:
    from core.compress.summarise.base import Summariser
    from core.compress.summarise.model_choice import ModelChoice
    from inspector.cli.compression.question import Question

NAMES = ("extractive", "static", "anthropic", "openai")
MODELS = NAMES[2:]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`--summariser`, the model behind it, and `--summary-file`."""
    group = parser.add_argument_group("the summary")
    group.add_argument(
        "--summariser", choices=NAMES, default=NAMES[0], help="who writes it (default: %(default)s)"
    )
    group.add_argument(
        "--summary-file", type=str, metavar="FILE", help="use this text as the answer; - for stdin"
    )
    group.add_argument(
        "--model", metavar="NAME", help="model to ask (default: auxiliary.compression, else the session's)"
    )
    group.add_argument("--provider", metavar="NAME", help="its provider, as Hermes names it")
    group.add_argument(
        "--base-url", metavar="URL", help="its API; OpenRouter, Ollama, vLLM and llama.cpp work"
    )
    group.add_argument(
        "--api-key", metavar="KEY", help="better kept in the environment, where no process list shows it"
    )
    group.add_argument(
        "--timeout", type=numbers.positive, metavar="SECONDS", help="without a word from the server"
    )


def summariser(args: argparse.Namespace, asked: Question) -> Summariser:
    """The summariser the options name.

    Raises:
        NotFoundError: The summary file does not exist.
        UsageError: It is empty or cannot be read.
        SummaryFailure: No model is named, or there is no key for it.
    """
    from functools import partial

    from core.compress.assembly.assemble import HANDOFF
    from core.compress.sizing.estimate import text_tokens
    from core.compress.summarise.extract.summariser import ExtractiveSummariser
    from core.compress.summarise.fallback.summariser import StaticSummariser

    if args.summary_file is not None:
        from core.compress.summarise.provided import GivenSummary

        return GivenSummary(_given(args.summary_file))
    if args.summariser in MODELS:
        return _remote(args.summariser, choice(args, asked))
    if args.summariser == "static":
        return StaticSummariser(asked.policy, prefix_length=len(HANDOFF))
    return ExtractiveSummariser(partial(text_tokens, unit=asked.policy.estimate.unit))


def choice(args: argparse.Namespace, asked: Question) -> ModelChoice:
    """The model to ask: flags, environment, `auxiliary.compression`, the session's own, in that order.

    Raises:
        SummaryFailure: Nobody names a model, or the endpoint needs a key that nobody gives.
    """
    from core.compress.summarise.model_choice import DEFAULT_TIMEOUT, ModelChoice, resolve
    from core.hermes.config.config import load_config

    unnamed = args.provider is None and args.base_url is None and args.model is not None
    flags = ModelChoice(
        provider=args.provider or (args.summariser if unnamed and "/" not in args.model else ""),
        model=args.model or "",
        base_url=args.base_url or "",
        api_key=args.api_key or "",
        timeout=float(args.timeout or DEFAULT_TIMEOUT),
    )
    here = asked.situation
    if here is None:
        return resolve(flags, env=os.environ, config=load_config(None))
    tip = here.conversation.tip
    live = ModelChoice(provider=tip.provider or "", model=tip.model or "", base_url=tip.base_url or "")
    return resolve(flags, env=os.environ, config=here.config, live=live)


def _remote(name: str, chosen: ModelChoice) -> Summariser:
    # Each SDK takes a second or more to load: only the one asked for is.
    if name == "anthropic":
        from core.compress.summarise.remote.anthropic import AnthropicSummariser

        return AnthropicSummariser(chosen)
    from core.compress.summarise.remote.openai import OpenAISummariser

    return OpenAISummariser(chosen)


def _given(path: str) -> str:
    text = transcript.read_text(path)
    if not text.strip():
        raise UsageError("holds no text to use as a summary", where=path)
    return text
