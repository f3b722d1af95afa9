"""Plays the compactions of a scenario: rows and log lines in the form of each Hermes release."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING

from core.compress.assembly.assemble import pruned_rows
from core.compress.messages.list_rows import Row as ListRow
from core.compress.messages.summary_row import Place, place
from core.compress.planning.measure import measure
from core.compress.planning.plan import plan
from sample_sessions.playing.announcing import announce, conclude
from sample_sessions.playing.cast import Row
from sample_sessions.playing.stage import as_message, provider_tokens
from sample_sessions.playing.summarising import summarise

if TYPE_CHECKING:
    from core.model.transcript.message import Message
    from sample_sessions.playing.stage import Stage
    from sample_sessions.scenario import Compaction

_FRESH_ROWS = 32
"""Rows at the end that a lossless engine keeps unchanged."""


@dataclass(frozen=True, slots=True)
class _Cut:
    """The three parts of the live rows, as the release prunes and cuts them."""

    head: list[Row]
    middle: list[Row]
    tail: list[Row]


def compact(stage: Stage, spec: Compaction) -> None:
    """Play one compaction: log lines, rows and cost.

    Raises:
        ValueError: The scenario says that a compaction ran where the release would not have run one, or that
            its summary has no row of its own.
    """
    if spec.limit:
        stage.limit = spec.limit
    session, before = stage.session, stage.session.live
    tokens = announce(stage, spec, before)
    cut = _engine_cut(before) if stage.profile.engine else _cut(stage, _seen(stage, spec, before))
    summary = summarise(stage, spec, cut.middle)
    if summary is None:
        return
    after = _assemble(stage, cut, summary)
    _commit(stage, spec, after)
    stage.warm = stage.fresh = True
    stage.cache.size = min(stage.cache.size, stage.base)
    conclude(stage, spec, session, len(before), tokens)


def _seen(stage: Stage, spec: Compaction, rows: list[Row]) -> list[Row]:
    """The compressor's input: an old gateway omits tool calls and results."""
    if spec.trigger != "hygiene" or stage.policy.hygiene.tool_rows:
        return rows
    return [replace(row, tool_calls=None, size=None) for row in rows if row.role != "tool" and row.content]


def _cut(stage: Stage, rows: list[Row]) -> _Cut:
    """Head, middle and tail as the release cuts them; head and tail are pruned copies."""
    measured = measure([as_message(row) for row in rows], stage.policy)
    planned = plan(measured, stage.settings)
    if not planned.middle.size:
        raise ValueError(f"{stage.seed}: nothing to compress: {'; '.join(planned.blocked_by)}")
    pruned = [row.message for row in pruned_rows(measured, planned)]
    copies = [_as_pruned(stage, row, message) for row, message in zip(rows, pruned, strict=True)]
    start, end = planned.middle
    return _Cut(copies[:start], rows[start:end], copies[end:])


def _engine_cut(rows: list[Row]) -> _Cut:
    """The parts of a lossless engine: no head, and a tail that never separates a result from its call."""
    start = max(1, len(rows) - _FRESH_ROWS)
    while rows[start].role != "assistant":
        start += 1
    copies = [replace(row) for row in rows[start:]]
    return _Cut([], rows[:start], copies)


def _as_pruned(stage: Stage, row: Row, message: Message) -> Row:
    copy = replace(row, content=message.content, tool_calls=message.wire.get("tool_calls"), size=None)
    if message.content != row.content:
        copy.tokens = provider_tokens(message.content, stage.session.model.chars)
    return copy


def _assemble(stage: Stage, cut: _Cut, summary: str) -> list[Row]:
    """The new live rows; the summary takes the role the release gives it.

    Where none is free, releases up to 0.17 put it before the text of the row behind it. Later ones put it
    behind that text, so that no other release would find it; no sample does.
    """
    spot = Place("user")
    if not stage.profile.engine:
        head, tail = ([ListRow(as_message(row)) for row in part] for part in (cut.head, cut.tail))
        spot = place(head, tail, stage.policy.assembly)
    if spot.merge_into is not None:
        return [*cut.head, _merged(stage, cut.tail[0], summary), *cut.tail[1:]]
    weight = provider_tokens(summary, stage.session.model.chars)
    row = Row(spot.role, summary, stage.now, stage.new_uid(), weight, summary=not stage.profile.engine)
    return [*cut.head, row, *cut.tail]


def _merged(stage: Stage, row: Row, summary: str) -> Row:
    if stage.policy.assembly.merge != "before":
        raise ValueError(f"{stage.seed}: the summary would be merged into a row of the tail")
    text = f"{summary}\n\n{row.content}"
    weight = provider_tokens(text, stage.session.model.chars)
    return replace(row, content=text, tokens=weight, size=None, summary=True)


def _commit(stage: Stage, spec: Compaction, after: list[Row]) -> None:
    """Archive the old rows in place, or, in a rotation, keep them and open a child session.

    The row of a turn that is just beginning is written only with the new rows, and with their time. Old
    releases close the session without the rows of the open turn, and the gateway's rewrite without any.
    """
    session = stage.session
    if spec.user:
        session.rows.pop()
        after[-1].at = stage.now + timedelta(microseconds=1)
    if spec.trigger == "hygiene" and stage.release.erases:
        session.rows = _stamped(stage, after)
    elif spec.mode == "rotation" or stage.release.rotates:
        _rotate(stage, spec, after)
    else:
        carried = {row.uid for row in after}
        for row in session.live:
            row.active = False
            # From 0.22 on, a row that lives on as copy is superseded, not archived; earlier ones archive all.
            row.compacted = not (stage.release.uids and row.uid in carried)
        session.rows += after


def _rotate(stage: Stage, spec: Compaction, after: list[Row]) -> None:
    session = stage.session
    if stage.release.keeps_tag:
        if stage.turn is not None and not spec.user:
            del session.rows[session.opened :]
        after = _stamped(stage, after)
    child = stage.rotate()
    child.rows = after
    child.opened = len(after) - 1


def _stamped(stage: Stage, rows: list[Row]) -> list[Row]:
    """Old releases give the rows that stay live the time of the compaction."""
    if not stage.release.keeps_tag:
        return rows
    first = stage.now + timedelta(milliseconds=50)
    return [replace(row, at=first + timedelta(microseconds=index)) for index, row in enumerate(rows)]
