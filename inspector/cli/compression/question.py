"""The input of `plan` and `compress`: messages, a release's rules, and the settings that options change."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from core.errors import ConfigError, UsageError
from core.imports import openai_messages as transcript
from core.model.compaction.plan import Gate, Settings
from core.model.transcript.message import Message
from inspector.cli import output
from inspector.cli.arguments import options, parsers, target

if TYPE_CHECKING:
    from core.compress.planning.measure import Measured
    from core.explain.context.generation import GenerationContext
    from core.hermes.config.config import HermesConfig
    from core.hermes.policy.policy import Policy
    from core.model.compaction.plan import Plan

_OVERRIDES = (
    *("window", "threshold", "target_ratio", "protect_first", "protect_last", "max_output", "current_tokens"),
    *("tail_mode", "min_tail_user_messages", "minimum_window", "aux_window", "api_mode"),
)
_RENAMED = {"threshold_tokens": "threshold_cap", "session_model": "model", "session_provider": "provider"}
"""Options that set the field of `Settings` with their name, and those that set another one."""


@dataclass(frozen=True, slots=True)
class Question:
    """One list of messages with the rules of one release.

    Attributes:
        gate: What could refuse an automatic attempt; None if unknown.
        context: Where the messages come from; None for a file.
        config: The configuration that applies; None if none was read.
    """

    messages: tuple[Message, ...]
    policy: Policy
    settings: Settings
    gate: Gate | None = None
    context: GenerationContext | None = None
    config: HermesConfig | None = None

    def cut(self, keep: int | None = None) -> tuple[Measured, Plan]:
        """Measure the messages, and plan where a compaction cuts them; `keep` as in `/compress here N`."""
        from core.compress.planning.measure import measure
        from core.compress.planning.plan import plan

        measured = measure(self.messages, self.policy)
        return measured, plan(measured, self.settings, self.gate, keep=keep)

    @property
    def by_gateway(self) -> bool:
        """Whether the gateway runs this session; False for messages from a file."""
        from core.explain.context.gather import without_gateway

        return self.context is not None and not without_gateway(self.context.conversation.tip.source)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add SESSION or --messages, the release, and every setting that can be changed."""
    options.add_session_argument(parser, optional=True)
    add = parser.add_argument
    add("--messages", type=str, metavar="FILE", help="a JSON list of OpenAI-format messages; - for stdin")
    add("--unmasked", action="store_true", help="with --messages: print texts without masking credentials")
    add("--generation", type=parsers.positive, metavar="N", help="this generation of SESSION, counted from 1")
    keeping = "keep the last N user turns word for word, as in `/compress here N`"
    add("--keep", "--here", type=parsers.positive, metavar="N", help=keeping)
    options.add_release_option(parser)
    group = parser.add_argument_group("what if")
    _add_common(group)
    _add_newer(group)
    options.add_shared_options(parser)


def _add_common(group: argparse._ArgumentGroup) -> None:
    """Add the settings that every release uses."""
    add = group.add_argument
    add("--window", type=parsers.positive, metavar="N", help="the model's context length")
    add("--threshold", type=parsers.share, metavar="F", help="compression.threshold")
    add("--target-ratio", type=parsers.fraction, metavar="F", help="compression.target_ratio")
    add("--protect-first", type=parsers.whole_number, metavar="N", help="compression.protect_first_n")
    add("--protect-last", type=parsers.whole_number, metavar="N", help="compression.protect_last_n")
    add("--max-output", type=parsers.positive, metavar="N", help="model.max_tokens")
    add("--current-tokens", type=parsers.whole_number, metavar="N", help="the size of the request")
    add("--warm", action="store_true", help="assume a process that has compacted before")


def _add_newer(group: argparse._ArgumentGroup) -> None:
    """Add the settings that only some releases or routes use."""
    add = group.add_argument
    add("--threshold-tokens", type=parsers.positive, metavar="N", help="compression.threshold_tokens")
    add("--tail-mode", choices=("lean", "legacy"), help="compression.tail_mode")
    add(
        "--min-tail-user-messages",
        type=parsers.whole_number,
        metavar="N",
        help="compression.min_tail_user_messages",
    )
    add("--minimum-window", type=parsers.positive, metavar="N", help="agent.minimum_tool_context_length")
    add("--aux-window", type=parsers.positive, metavar="N", help="the summary model's context length")
    add("--session-model", metavar="NAME", help="the session's model, for thresholds that depend on it")
    add("--session-provider", metavar="NAME", help="the session's provider, for the same reason")
    add("--api-mode", metavar="NAME", help="the API: chat_completions, anthropic_messages, ...")


def question(args: argparse.Namespace, *, quotes: bool = True) -> Question:
    """Collect what the options describe; if it `quotes` texts, every credential in them is learned first.

    Raises:
        UsageError: Neither or both of SESSION and --messages are given, the release does not exist, or a
            session is to be shown unmasked.
        NotFoundError: There is no such session or file.
    """
    if (args.session is None) == (args.messages is None):
        raise UsageError("give either SESSION or --messages FILE", remedy="`latest` names the newest session")
    if args.unmasked and args.messages is None:
        raise UsageError("--unmasked goes with --messages, not with SESSION")
    release = asked_release(args)
    asked = _from_file(args, release) if args.messages is not None else _from_session(args, release, quotes)
    if args.messages is not None and not args.unmasked:
        from core.redact.message import learn

        learn(asked.messages)
    named = {option: option for option in _OVERRIDES} | _RENAMED
    changes = {field: getattr(args, option) for option, field in named.items()}
    known = {field: value for field, value in changes.items() if value is not None}
    warm = args.warm or asked.settings.warm
    return replace(asked, settings=replace(asked.settings, warm=warm, **known))


def asked_release(args: argparse.Namespace) -> str | None:
    """The policy for `--release`; None where the option is not given.

    Raises:
        UsageError: There is no such release.
    """
    return None if args.release is None else release_name(args.release)


def release_name(text: str) -> str:
    """A policy by its name: that of a document, or any version of a release.

    A release without a policy of its own uses another's, and a note on stderr says so.

    Raises:
        UsageError: The text is neither.
    """
    from core.hermes.policy.policy import documents, nearest_release, releases
    from core.hermes.policy.release import substitute_note

    if text in documents():
        return text
    try:
        found = nearest_release(text)
    except ConfigError as error:
        known = ", ".join((*releases(), *documents()))
        raise UsageError(
            f"{text!r} is not a release of Hermes", where="--release", remedy=f"Known: {known}"
        ) from error
    if said := substitute_note(found, text):
        output.write_note(said)
    return found


def _from_file(args: argparse.Namespace, release: str | None) -> Question:
    from core.hermes.config.config import load_config
    from core.hermes.config.in_force import find_window
    from core.hermes.policy.policy import documents, load_policy, newest_release

    if args.generation is not None:
        raise UsageError("--generation goes with SESSION, not with --messages")
    messages = transcript.read_messages(args.messages)
    name = release or newest_release()
    config = load_config(args.home)
    defaults = config.settings(newest_release() if name in documents() else name)
    window = find_window(config, model=args.session_model or "", provider=args.session_provider or "").tokens
    return Question(messages, load_policy(name), replace(defaults, window=window), config=config)


def _from_session(args: argparse.Namespace, release: str | None, quotes: bool) -> Question:
    from core.explain.context.generation import generation_context
    from core.hermes.policy.policy import documents, load_policy

    described = release if release in documents() else None
    with (target.session if quotes else target.named)(args) as (store, session):

        def find() -> GenerationContext:
            return generation_context(
                store,
                session.id,
                generation=args.generation,
                release=None if described else release,
            )

        found = find() if quotes else target.answer_about(store, session, find, _texts)
    policy = load_policy(described) if described else found.policy
    return Question(found.messages, policy, found.settings, found.gate, found, found.config)


def _texts(found: GenerationContext) -> Iterator[str]:
    """Every text of a conversation that a plan may print; its release is described in our own words."""
    tip, here = found.conversation.tip, found.context
    said = (found.conversation.name, tip.model, tip.provider, found.gate.lock_holder, here.release.version)
    yield from filter(None, (*said, *found.notes, *(one.text for one in here.window.evidence)))
