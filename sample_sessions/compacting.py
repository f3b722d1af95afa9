"""How a scenario's compactions leave the database and the log, in the forms Hermes 0.19 and 0.22 write."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING

from core.compress.planning.measure import measure
from core.compress.planning.plan import plan
from core.compress.planning.prune import pruned_messages
from sample_sessions.cast import Row, Usage
from sample_sessions.sizes import as_message, provider_tokens

if TYPE_CHECKING:
    from core.model.transcript.message import Message
    from sample_sessions.scenario import Compaction
    from sample_sessions.stage import Stage

END_MARKER = "--- END OF CONTEXT SUMMARY — respond to the message below, not the summary above ---"
_OPENER = "[CONTEXT SUMMARY]:"
"""Begins a summary: the one form every release reads back without further words of its own."""
_PRIOR = (
    "[PRIOR CONTEXT — for reference only; not a new message]\n{old}\n\n"
    "[END OF PRIOR CONTEXT — COMPACTION SUMMARY BELOW]\n\n"
)
_OUTSIDE = ("manual", "hygiene")
"""Triggers outside a turn: no session tag in the log, no record of the summariser's usage."""
_FAILED = "Failed to generate context summary: {}. Further summary attempts paused for 60 seconds."
_ANNOUNCED = {
    "preflight": (
        "agent.turn_context",
        "Preflight compression: ~{n:,} tokens >= {h:,} threshold (model {model}, ctx {c:,})",
    ),
    "pre_api": (
        "agent.conversation_loop",
        "Pre-API compression: ~{n:,} request tokens >= {h:,} threshold (context={c:,}, attempt=1/3)",
    ),
    "hygiene": (
        "gateway.run",
        "Session hygiene: {count} messages, ~{n:,} tokens (actual) — auto-compressing "
        "(threshold: 85% of {c:,} = {g:,} tokens)",
    ),
}


@dataclass(frozen=True, slots=True)
class _Cut:
    """The three parts of the live rows, as the release prunes and cuts them."""

    head: list[Row]
    middle: list[Row]
    tail: list[Row]


def compact(stage: Stage, spec: Compaction) -> None:
    """Plays one compaction: what is announced, what is written, what it costs.

    Raises:
        ValueError: The scenario says that a compaction ran where the release would not have run one.
    """
    session = stage.session
    before = session.live
    tokens = stage.rough()
    _announce(stage, spec, tokens, len(before))
    outside = spec.trigger in _OUTSIDE
    focus = repr(spec.focus) if spec.focus else "None"
    stage.log(
        "agent.conversation_compression",
        f"context compression started: session={session.id} messages={len(before)} tokens=~{tokens:,} "
        f"model={session.model.name} focus={focus}",
        tagged=not outside,
    )
    if spec.status == "aborted":
        _abort(stage, spec)
        return
    cut = _cut(stage, before)
    after = _assemble(stage, cut, _summarise(stage, spec, cut.middle))
    _commit(stage, spec, after)
    stage.warm = True
    stage.log(
        "agent.conversation_compression",
        f"context compression done: session={stage.session.id} messages={len(before)}->{len(after)} "
        f"rough_tokens=~{stage.rough():,} awaiting_real_usage=true",
        tagged=not outside,
    )
    stage.cache.size = min(stage.cache.size, stage.base)


def _cut(stage: Stage, rows: list[Row]) -> _Cut:
    """Head, middle and tail where the release puts them; head and tail are its pruned copies."""
    measured = measure([as_message(row) for row in rows], stage.policy)
    planned = plan(measured, stage.settings)
    if not planned.middle.size:
        raise ValueError(f"{stage.seed}: nothing to compress: {'; '.join(planned.blocked_by)}")
    pruned = pruned_messages(measured, stage.settings)
    copies = [_as_pruned(stage, row, message) for row, message in zip(rows, pruned, strict=True)]
    start, end = planned.middle
    return _Cut(copies[:start], rows[start:end], copies[end:])


def _as_pruned(stage: Stage, row: Row, message: Message) -> Row:
    copy = replace(row, content=message.content, tool_calls=message.wire.get("tool_calls"))
    if message.content != row.content:
        copy.tokens = provider_tokens(message.content, stage.session.model.chars)
    return copy


def _announce(stage: Stage, spec: Compaction, tokens: int, count: int) -> None:
    if spec.trigger not in _ANNOUNCED:
        return
    model = stage.session.model
    limit = stage.threshold
    if spec.trigger != "hygiene" and tokens < limit:
        raise ValueError(f"{stage.seed}: {spec.trigger} cannot fire at {tokens:,} of {limit:,} tokens")
    logger, text = _ANNOUNCED[spec.trigger]
    gate = int(model.window * 0.85)
    n = stage.prompt if spec.trigger == "hygiene" else tokens
    stage.log(logger, text.format(n=n, h=limit, c=model.window, g=gate, model=model.name, count=count))


def _abort(stage: Stage, spec: Compaction) -> None:
    stage.now += timedelta(seconds=spec.seconds)
    stage.log(
        "agent.context_compressor",
        _FAILED.format(spec.reason),
        level="WARNING",
    )
    stage.log("agent.context_compressor", "Summary generation failed — aborting compression", level="WARNING")
    stage.session.guards["compression_failure_cooldown_until"] = stage.now.timestamp() + 60
    stage.session.guards["compression_failure_error"] = spec.reason


def _summarise(stage: Stage, spec: Compaction, middle: list[Row]) -> str:
    """The text of the summary row; a model's costs money and is accounted as an auxiliary task."""
    stage.now += timedelta(seconds=spec.seconds)
    if spec.status == "fallback":
        stage.log(
            "agent.context_compressor",
            _FAILED.format(spec.reason),
            level="WARNING",
        )
        stage.log(
            "agent.context_compressor",
            "Summary generation failed — inserting deterministic fallback context marker",
            level="WARNING",
        )
        streak = stage.session.guards.get("compression_fallback_streak", 0)
        stage.session.guards["compression_fallback_streak"] = streak + 1
        body = _fallback(spec, middle)
    else:
        _pay(stage, spec, middle)
        body = spec.summary.rstrip()
    return f"{_OPENER}\n{body}\n\n{END_MARKER}"


def _pay(stage: Stage, spec: Compaction, middle: list[Row]) -> None:
    model = stage.world.models[spec.summariser] if spec.summariser else stage.session.model
    prompt = sum(min(row.tokens, 1700) for row in middle) + 900
    output = provider_tokens(spec.summary, model.chars)
    stage.log(
        "agent.auxiliary_client",
        f"Auxiliary compression: using {model.provider} ({model.name}) at {model.url}/",
        tagged=spec.trigger not in _OUTSIDE,
    )
    if spec.trigger not in _OUTSIDE:  # outside a turn Hermes records no auxiliary usage
        usage = Usage(stage.now, model, prompt, 0, 0, output, 0, task="compression")
        stage.session.usages.append(usage)


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


def _assemble(stage: Stage, cut: _Cut, summary: str) -> list[Row]:
    """The new live rows; where roles clash the summary joins the first row of the tail."""
    head, tail = cut.head, cut.tail
    left = head[-1].role if head else "user"
    right = tail[0].role if tail else "user"
    role = "user" if left in ("assistant", "tool") else "assistant"
    if not any(row.role == "user" for row in (*head, *tail)):
        role = "user"
    if role == right:
        flipped = "assistant" if role == "user" else "user"
        if flipped == left:
            old = tail[0]
            text = _PRIOR.format(old=old.content) + summary
            tail[0] = replace(old, content=text, tokens=old.tokens + _weigh(stage, summary), summary=True)
            return [*head, *tail]
        role = flipped
    row = Row(role, summary, stage.now, stage.new_uid(), _weigh(stage, summary), summary=True)
    return [*head, row, *tail]


def _commit(stage: Stage, spec: Compaction, after: list[Row]) -> None:
    """In place the old rows are archived; a rotation leaves them and opens a child.

    The row of the turn that is just beginning is written with the new rows only, and at their moment.
    """
    if spec.user:
        stage.session.rows.pop()
        after[-1].at = stage.now + timedelta(microseconds=1)
    if spec.mode == "rotation":
        stage.rotate().rows = after
        return
    carried = {row.uid for row in after}
    for row in stage.session.live:
        row.active = False
        # From 0.22 a row that lives on as a copy is superseded, not archived; earlier stores archive all.
        row.compacted = not (stage.edition.uids and row.uid in carried)
    stage.session.rows += after


def _weigh(stage: Stage, text: str) -> int:
    return provider_tokens(text, stage.session.model.chars)
