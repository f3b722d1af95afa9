"""The gateway's own check of a conversation before the agent runs, part of `plan`."""

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
    "asks": "it ignores the pause after a failure: the summary model is asked again before every message",
    "drops": "during the pause after a failure no model is asked: a placeholder replaces the middle",
    "keeps": "during the pause after a failure an attempt changes nothing",
}
_HELD = {
    "short": "the conversation is too short for its check",
    "disabled": "compression is switched off",
    "no window": "the window is unknown",
    "paused": "a pause after a failure, or another compaction, prevents it",
}


def run_check(args: argparse.Namespace, asked: Question) -> Hygiene:
    """Run the gateway's check."""
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
        anchored=_anchored_tokens(asked),
        paused=_is_paused(asked),
    )


def _window(args: argparse.Namespace, asked: Question) -> int | None:
    """The window the gateway uses: config.yaml comes first, unless --window is given."""
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


def _anchored_tokens(asked: Question) -> int | None:
    """Tokens by the usage anchor stored with the session, if it still matches the messages."""
    from core.explain.context.usage_anchor import anchored_tokens

    if asked.context is None:
        return None
    return anchored_tokens(asked.context.conversation.tip.model_config, asked.messages, asked.policy)


def _is_paused(asked: Question) -> bool:
    """Whether the database has a pause or a lock; the gateway also has pauses of its own."""
    if asked.context is None:
        return False
    until = asked.context.conversation.tip.guards.cooldown_until
    locked = asked.gate is not None and asked.gate.lock_holder is not None
    return locked or (until is not None and until > datetime.now(UTC))


def payload(value: Hygiene) -> dict[str, Any]:
    """The check in the document of `plan`."""
    return {
        **jsonio.fields(value, "checked fires by threshold hard_limit warn tokens source messages"),
        "why_not": value.why_not or None,
        "window": value.window,
    }


def lines(value: Hygiene, asked: Question) -> Iterator[str]:
    """The check for people."""
    from core.support.formatting import count

    yield ""
    if not value.checked:
        yield f"gateway, before the turn: it does not check, because {_HELD[value.why_not]}"
        yield from (f"  {line}" for line in _withheld_note(value, asked))
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
    """What a reader should know about this release's check."""
    from core.compress.sizing.hygiene import failure_pauses

    rules = asked.policy.hygiene
    if asked.settings.threshold > rules.share:
        yield f"compression.threshold is above {rules.share:.0%}: the gateway acts first"
    if value.fires:
        yield "an attempt that changes nothing is repeated before every message until the count changes"
    if value.fires and rules.pause in _PAUSED and _is_paused(asked):
        yield _PAUSED[rules.pause]
    base = (
        asked.config.value("compression.hygiene_failure_cooldown_seconds", asked.policy.release)
        if asked.config
        else None
    )
    pauses = failure_pauses(asked.policy, float(base)) if base else ()
    if pauses:
        yield f"after repeated failures it pauses {', then '.join(f'{one:,.0f} s' for one in pauses)}"
    yield from _withheld_note(value, asked)


def _withheld_note(value: Hygiene, asked: Question) -> Iterator[str]:
    """A note if the gateway withholds rows from the model, as it does even with compression disabled."""
    if asked.policy.hygiene.bounds and value.messages > value.hard_limit:
        yield f"if it does not compact, only {value.hard_limit:,} rows are sent"
