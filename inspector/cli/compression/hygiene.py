"""What the gateway would do about a transcript before the agent runs, as `plan` tells it."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from inspector.payloads import values as jsonio

if TYPE_CHECKING:
    from core.compress.sizing.hygiene import Hygiene
    from inspector.cli.compression.question import Question

_PAUSED = {
    "asks": "a pause after a failure is not heeded: the summary model is asked again before every message",
    "drops": "while a pause after a failure runs no model is asked: the middle is lost to a placeholder",
    "keeps": "while a pause after a failure runs the attempt changes nothing",
}
_HELD = {
    "short": "the transcript is too short for it to look",
    "disabled": "compression is switched off",
    "no window": "no window is known",
    "paused": "a pause after a failure, or another compaction, holds it back",
}


def found(args: argparse.Namespace, asked: Question) -> Hygiene:
    """What the gateway would find."""
    from core.compress.sizing.hygiene import hygiene

    release = asked.policy.release
    config = asked.config
    return hygiene(
        asked.messages,
        asked.policy,
        enabled=asked.settings.enabled,
        window=_window(args, asked),
        hard_limit=config.value("compression.hygiene_hard_message_limit", release) if config else None,
        last_prompt=_last_prompt(args, asked),
        anchored=_anchored(asked),
        paused=_paused(asked),
    )


def _window(args: argparse.Namespace, asked: Question) -> int | None:
    """The window it reckons with: that of config.yaml before any other, as long as none is supposed."""
    if args.window is not None and asked.context is not None:
        return asked.settings.window
    configured = asked.config.value("model.context_length", asked.policy.release) if asked.config else None
    return configured or asked.settings.window


def _last_prompt(args: argparse.Namespace, asked: Question) -> int:
    if args.last_prompt is not None:
        return int(args.last_prompt)
    if asked.context is None:
        return 0
    return asked.context.noted or asked.settings.current_tokens or 0


def _anchored(asked: Question) -> int | None:
    """Tokens by the usage stored with the session, where one still fits the transcript."""
    from core.explain.context.usage_anchor import anchored_tokens

    if asked.context is None:
        return None
    return anchored_tokens(asked.context.conversation.tip.model_config, asked.messages, asked.policy)


def _paused(asked: Question) -> bool:
    """A pause or a lock that the database holds; the gateway heeds pauses of its own too."""
    if asked.context is None:
        return False
    until = asked.context.conversation.tip.guards.cooldown_until
    locked = asked.gate is not None and asked.gate.lock_holder is not None
    return locked or (until is not None and until > datetime.now(UTC))


def payload(value: Hygiene) -> dict[str, Any]:
    """A finding as the command line promises it."""
    return {
        **jsonio.fields(value, "checked fires by threshold hard_limit warn tokens source messages"),
        "why_not": value.why_not or None,
        "window": value.window,
    }


def lines(value: Hygiene, asked: Question) -> Iterator[str]:
    """A finding for people."""
    from core.support.formatting import count

    yield ""
    if not value.checked:
        yield f"gateway, before the turn: it does not look, because {_HELD[value.why_not]}"
        yield from (f"  {line}" for line in _bounded(value, asked))
        return
    verdict = "it would compact" if value.fires else "it would not compact"
    mark = "" if value.source == "actual" else "~"
    yield (
        f"gateway, before the turn: {mark}{count(value.tokens)} of {count(value.threshold)} tokens, "
        f"{count(value.messages)} of {count(value.hard_limit)} rows: {verdict}"
    )
    if value.why_not:
        yield f"  blocked: {_HELD[value.why_not]}"
    yield from (f"  {line}" for line in _remarks(value, asked))


def _remarks(value: Hygiene, asked: Question) -> Iterator[str]:
    """What this release does about it that a reader should know."""
    from core.compress.sizing.hygiene import failure_pauses

    rules = asked.policy.hygiene
    if asked.settings.threshold > rules.share:
        yield f"compression.threshold is above {rules.share:.0%}: the gateway acts first"
    if value.fires:
        yield "an attempt that changes nothing is repeated before every message while the count stays"
    if value.fires and rules.pause in _PAUSED and _paused(asked):
        yield _PAUSED[rules.pause]
    base = (
        asked.config.value("compression.hygiene_failure_cooldown_seconds", asked.policy.release)
        if asked.config
        else None
    )
    pauses = failure_pauses(asked.policy, float(base)) if base else ()
    if pauses:
        yield f"after failures in a row it pauses {', then '.join(f'{one:,.0f} s' for one in pauses)}"
    yield from _bounded(value, asked)


def _bounded(value: Hygiene, asked: Question) -> Iterator[str]:
    """Where rows are held back from the model: with compression switched off too."""
    if asked.policy.hygiene.bounds and value.messages > value.hard_limit:
        yield f"where it does not land, only {value.hard_limit:,} rows are sent"
