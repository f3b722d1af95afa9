"""The text that replaces the middle in a compaction: a model's summary, a placeholder, or nothing."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from sample_sessions.playing.announcing import OUTSIDE
from sample_sessions.playing.cast import Row, Usage
from sample_sessions.playing.stage import provider_tokens

if TYPE_CHECKING:
    from sample_sessions.playing.stage import Stage
    from sample_sessions.scenario import Compaction

END_MARKER = "--- END OF CONTEXT SUMMARY — respond to the message below, not the summary above ---"
_OPENER = "[CONTEXT SUMMARY]:"
"""Begins a summary: the one form every release reads back without further words of its own."""
_NODE = "[Recent Summary (d0, node 1)]"
"""First words of the text a lossless engine puts there."""
_COOLDOWN = 60


def summarise(stage: Stage, spec: Compaction, middle: list[Row]) -> str | None:
    """The text that replaces the middle; None if the attempt was aborted.

    A model's summary costs money and is accounted as an auxiliary task.
    """
    if stage.profile.engine:
        stage.now += timedelta(seconds=spec.seconds)
        return f"{_NODE}\n{spec.summary.rstrip()}"
    _dispatch(stage, spec, middle)
    stage.now += timedelta(seconds=spec.seconds)
    if spec.status == "model":
        _pay(stage, spec, middle)
        return _framed(spec.summary.rstrip())
    _fail(stage, spec)
    return _framed(_fallback(spec, middle)) if spec.status == "fallback" else None


def _framed(body: str) -> str:
    return f"{_OPENER}\n{body}\n\n{END_MARKER}"


def _dispatch(stage: Stage, spec: Compaction, middle: list[Row]) -> None:
    model = stage.world.models[spec.summariser] if spec.summariser else stage.session.model
    tagged = spec.trigger not in OUTSIDE
    if tagged:
        stage.log("detected", model=model.name, provider=model.provider)
    characters = sum(min(len(str(row.content)), 6000) for row in middle)
    stage.log("dispatched", tagged=tagged, model=model.name, chars=characters, ms=3)
    named = stage.release.ledger or model.provider
    stage.log("auxiliary", tagged=tagged, model=model.name, provider=named, url=model.url)


def _fail(stage: Stage, spec: Compaction) -> None:
    tagged = spec.trigger not in OUTSIDE
    if spec.transient:
        for number in (1, 2):
            stage.log("retried", tagged=tagged, number=number, pause=float(number), error=spec.reason)
            stage.pause(number, number + 0.2)
    stage.log("failed", tagged=tagged, error=spec.reason)
    guards = stage.session.guards
    guards["compression_failure_cooldown_until"] = stage.now.timestamp() + _COOLDOWN
    guards["compression_failure_error"] = spec.reason
    if spec.status == "fallback":
        guards["compression_fallback_streak"] = guards.get("compression_fallback_streak", 0) + 1


def _pay(stage: Stage, spec: Compaction, middle: list[Row]) -> None:
    if spec.trigger in OUTSIDE:  # outside a turn Hermes records no auxiliary usage
        return
    model = stage.world.models[spec.summariser] if spec.summariser else stage.session.model
    prompt = sum(min(row.tokens, 1700) for row in middle) + 900
    output = provider_tokens(spec.summary, model.chars)
    stage.session.usages.append(Usage(stage.now, model, prompt, 0, 0, output, 0, task="compression"))


def _fallback(spec: Compaction, middle: list[Row]) -> str:
    asks = [str(row.content)[:600] for row in middle if row.role == "user"]
    tools = [row.tool_name for row in middle if row.tool_name]
    done = "\n".join(f"{i}. Called tool(s): {name}" for i, name in enumerate(tools[:12], 1))
    return (
        f"## Historical Task Snapshot\nUser asked: {asks[-1] if asks else 'unknown'!r}\n\n"
        f"## Completed Actions\n{done}\n\n"
        "## Critical Context\nRecovered from a deterministic fallback: Summary generation was unavailable. "
        f"This is a best-effort deterministic fallback for {len(middle)} compacted message(s).\n"
        f"Summary failure reason: {spec.reason}"
    )
