"""Logs a compaction: the lines that say why it starts, and those that say that it is done."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from sample_sessions.playing.stage import estimate

if TYPE_CHECKING:
    from sample_sessions.playing.cast import Played, Row
    from sample_sessions.playing.stage import Stage
    from sample_sessions.scenario import Compaction

OUTSIDE = ("manual", "hygiene")
"""Triggers outside a turn: no session tag in the log, no record of the summariser's usage."""
_SOURCES = {
    "preflight": "turn_start_threshold",
    "post_response": "post_tool",
    "payload_too_large": "overflow",
    "hygiene": "gateway_hygiene",
}
"""Names of triggers in the telemetry of 0.22, where they differ."""


def announce(stage: Stage, spec: Compaction, rows: list[Row]) -> int:
    """Log why a compaction starts, and that it does.

    Returns:
        The token count logged at its start.

    Raises:
        ValueError: The release would not start one.
    """
    tokens = _ANNOUNCED.get(spec.trigger, _asked)(stage, spec, rows)
    stage.log(
        "started",
        tagged=spec.trigger not in OUTSIDE,
        messages=len(rows),
        tokens=tokens,
        focus=repr(spec.focus) if spec.focus else "None",
    )
    return tokens


def conclude(stage: Stage, spec: Compaction, session: Played, before: int, tokens: int) -> None:
    """Log that a compaction is done: its size before and after."""
    after, left = len(stage.session.live), stage.rough()
    tagged = spec.trigger not in OUTSIDE
    stage.log("done", tagged=tagged, to=stage.session.id, before=before, after=after, tokens=left)
    record = _record(stage, spec, session) | {"messages_before": before, "messages_after": after}
    record |= {"current_estimated_tokens": tokens, "tokens_before": tokens, "tokens_after": left}
    stage.log(
        "telemetry", tagged=tagged, record=json.dumps(dict(sorted(record.items())), separators=(",", ":"))
    )
    if spec.trigger == "hygiene":
        rest = estimate(stage.session.live, stage.policy)
        stage.log("hygiene_done", tagged=False, before=before, after=after, tokens=tokens, left=rest)


def _record(stage: Stage, spec: Compaction, session: Played) -> dict[str, Any]:
    """The telemetry of 0.22 about an attempt; it has little about other engines."""
    model = session.model
    known: dict[str, Any] = {
        "attempt_id": stage.new_uid(),
        "chunk_count": 0,
        "chunking": False,
        "commit_status": "committed",
        "event": "compression_attempt",
        "fallback_used": spec.status == "fallback",
        "has_focus_topic": spec.focus is not None,
        "history_rewritten": True,
        "main_context_limit": stage.window,
        "main_model": model.name,
        "main_provider": model.provider,
        "method": "none" if stage.profile.engine else "llm_summary",
        "overflow_reason": spec.trigger if spec.trigger == "payload_too_large" else None,
        "route": "hermes",
        "session_id": session.id,
        "split_status": "in_place_committed",
        "total_duration_ms": round(spec.seconds * 1000),
        "trigger_source": _SOURCES.get(spec.trigger, spec.trigger),
    }
    if not stage.profile.engine:
        known["effective_threshold"] = stage.threshold
    return known


def _estimated(stage: Stage, spec: Compaction, _rows: list[Row]) -> int:
    tokens, limit = stage.rough(), stage.profile.engine_limit(stage.window) or stage.threshold
    if tokens < limit:
        raise ValueError(f"{stage.seed}: {spec.trigger} cannot fire at {tokens:,} of {limit:,} tokens")
    stage.log(spec.trigger, tokens=tokens, limit=limit, window=stage.window)
    return tokens


def _answered(stage: Stage, spec: Compaction, _rows: list[Row]) -> int:
    """After an answer the provider's own count decides; nothing else is logged."""
    return _crossed(stage, spec, [usage.prompt for usage in stage.session.asked], stage.threshold)


def _crossed(stage: Stage, spec: Compaction, prompts: list[int], limit: int) -> int:
    """The newest prompt, which is the first one to have reached a limit."""
    *earlier, newest = prompts
    if newest < limit or max(earlier[-9:]) >= limit:
        raise ValueError(
            f"{stage.seed}: {spec.trigger} cannot fire at {earlier[-1]:,}, {newest:,} of {limit:,}"
        )
    return newest


def _refused(stage: Stage, spec: Compaction, _rows: list[Row]) -> int:
    if spec.limit:
        _crossed(stage, spec, [*(usage.prompt for usage in stage.session.asked), stage.prompt], spec.limit)
    error = spec.error.format(tokens=stage.prompt)
    stage.pause(0.6, 2.4)
    stage.log("streaming_failed", tagged=False, status=spec.http, error=error)
    kind = "BadRequestError" if spec.http == 400 else "APIStatusError"
    thread = stage.rng.getrandbits(47)
    stage.log("refused", kind=kind, thread=thread, status=spec.http, error=error)
    return stage.rough()


def _gated(stage: Stage, spec: Compaction, rows: list[Row]) -> int:
    """The gateway decides by the last real prompt, or by the number of rows."""
    rules = stage.policy.hygiene
    tokens, gate = stage.session.asked[-1].prompt, int(stage.window * rules.share)
    if tokens < gate and len(rows) < rules.limit:
        raise ValueError(f"{stage.seed}: {spec.trigger} cannot fire at {tokens:,} of {gate:,} tokens")
    stage.log("hygiene", tagged=False, messages=len(rows), tokens=tokens, window=stage.window, gate=gate)
    return tokens


def _asked(stage: Stage, _spec: Compaction, _rows: list[Row]) -> int:
    return stage.rough()


_ANNOUNCED: Mapping[str, Callable[[Stage, Compaction, list[Row]], int]] = {
    "preflight": _estimated,
    "pre_api": _estimated,
    "post_response": _answered,
    "overflow": _refused,
    "payload_too_large": _refused,
    "hygiene": _gated,
}
