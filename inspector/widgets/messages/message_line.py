"""Draws one row of the message list, with the JSON of tools as words. Pure functions: row in, line out."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from rich.style import Style

from core.hermes.markers.markers import find_summary, typed
from core.model.compaction.plan import Part
from core.model.transcript.message import Message, RowState, ToolCall, images_in
from core.model.transcript.storage import RowPreview
from core.redact.known_values import KNOWN
from core.redact.quick_check import masked_start
from core.support.formatting import ESTIMATE, count
from inspector.terminal import glyphs
from inspector.terminal.line import Line, Palette
from inspector.terminal.text import LINE_LIMIT
from inspector.widgets.charts.context_strip import INK
from inspector.widgets.charts.retention import heat_glyph, heat_ink

STATE = {RowState.LIVE: " ", RowState.ARCHIVED: "▫", RowState.SUPERSEDED: "⇉", RowState.REWOUND: "↶"}
"""A sign for each row state; the detail pane describes it in words."""

PRUNED = "→"
ROLE_CELLS = 9
TOKEN_CELLS = 8
BYTES_A_TOKEN = 4
"""Assumed size of a token where nothing was measured; such numbers carry a tilde."""
WIDE_ENOUGH_FOR_ROLES = 56
PREVIEW_CHARS = 400
PARSE_LIMIT = 64 * 1024
"""Most characters of arguments that are parsed for drawing."""
_FIRST_STRING = re.compile(r'\s*\{\s*"(?:output|content|result|text|stdout)"\s*:\s*"')
_ESCAPE = re.compile(r"\\(.)")
_PLAIN = {"n": " ", "t": " ", "r": " ", '"': '"', "/": "/", "\\": "\\"}


@dataclass(frozen=True, slots=True)
class MessageRow:
    """What the list shows of one message.

    Attributes:
        index: Its index in the list as shown.
        part: Its part of the cut; None without a plan, or if rows outside the request are listed too.
        tokens: The release's estimate; None if only the stored size is known.
        stub: What pruning would shorten a tool result to.
        calls: An assistant's calls with their arguments; empty until the whole message is read.
        generation: Shown instead of the part if rows of all generations are listed.
        lost: Weight of the facts it loses, relative to the message that loses most; None if it has none.
        missed: Those facts, in the message's words.
    """

    index: int
    preview: RowPreview
    part: Part | None = None
    tokens: int | None = None
    stub: str | None = None
    calls: tuple[ToolCall, ...] = ()
    generation: int | None = None
    lost: float | None = None
    missed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Marks:
    """What highlights some rows.

    Attributes:
        partners: Rows of the calls or results that belong to the message under the cursor.
        hits: Indexes of search hits.
        index_cells: Width of the index column.
    """

    partners: frozenset[int] = frozenset()
    hits: frozenset[int] = frozenset()
    index_cells: int = 4


def message_row(
    index: int, message: Message, part: Part | None, tokens: int | None, *, lost: float | None = None
) -> MessageRow:
    """The row of a message that is already in memory."""
    row, calls = message.row, message.tool_calls
    is_summary = find_summary(message.text) is not None
    shown = said(message.text) if message.role == "user" and not is_summary else message.text
    preview = RowPreview(
        id=row.id if row else -1 - index,
        session_id=row.session_id if row else "",
        role=message.role,
        text=_beginning(shown, KNOWN.count),
        size=len(message.text),
        state=row.state if row else RowState.LIVE,
        tool_name=calls[0].name if calls else None,
        calls=len(calls),
        images=images_in(message.content) > 0,
        is_summary=is_summary,
    )
    return MessageRow(index, preview, part, tokens, calls=calls, lost=lost)


def said(text: str) -> str:
    """What a person typed of a message; all of it where Hermes alone wrote it."""
    return typed(text) or text


@lru_cache(maxsize=1_024)
def _beginning(text: str, known: int) -> str:
    # `known` is part of the cache key: a newly learned credential must be masked in texts cached before.
    return masked_start(text, PREVIEW_CHARS)


def draw_message(row: MessageRow, width: int, palette: Palette, marks: Marks) -> Line:
    """One message as a line: part, role, tokens, beginning of its text."""
    preview, faint = row.preview, palette.style("ink-faint")
    line = _place(row, palette)
    line.add(STATE[preview.state] if row.generation is not None else " ", palette.style("ink-muted"))
    if row.lost is not None:
        line.add(heat_glyph(row.lost), palette.style(heat_ink(row.lost)))
    else:
        line.add("•" if row.index in marks.hits else " ", palette.style("match", bold=True))
    line.cell(str(row.index), marks.index_cells, faint, right=True).gap()
    _speaker(line, row, palette, mate=row.index in marks.partners, words=width >= WIDE_ENOUGH_FOR_ROLES)
    if row.tokens is not None:
        line.cell(count(row.tokens), TOKEN_CELLS, palette.style("ink-muted"), right=True).gap(2)
    else:
        line.cell(
            count(preview.size // BYTES_A_TOKEN or None, mark=ESTIMATE), TOKEN_CELLS, faint, right=True
        ).gap(2)
    start = line.width
    _body(line, row, max(0, width - start), palette)
    missed = palette.style("severity-critical") + Style(underline=True)
    return line.mark(row.missed, missed, start=start) if row.missed else line


def _place(row: MessageRow, palette: Palette) -> Line:
    if row.generation is not None:
        return Line().cell(str(row.generation or ""), 2, palette.style("ink-muted"), right=True)
    if row.part is None:
        return Line().gap(2)
    return Line().gap().add(glyphs.PARTITION[row.part], palette.style(INK[row.part], bold=True))


def _speaker(line: Line, row: MessageRow, palette: Palette, *, mate: bool, words: bool) -> None:
    role = row.preview.role
    name = "summary" if row.preview.is_summary else role
    sign = glyphs.SUMMARY if row.preview.is_summary else glyphs.ROLE.get(role, glyphs.ROLE_OTHER)
    token = f"role-{name}" if name == "summary" or role in glyphs.ROLE else "ink-muted"
    ink = palette.style("match" if mate else token, bold=mate)
    line.add(sign, ink).gap()
    if words:
        line.cell(name, ROLE_CELLS, ink)


def _body(line: Line, row: MessageRow, room: int, palette: Palette) -> Line:
    preview = row.preview
    if preview.damage:
        line.add(f"▲ {preview.damage[0]}", palette.style("severity-warning"), most=room // 2).gap()
    start = line.width
    if row.stub is not None:
        return line.add(f"{PRUNED} {row.stub}", palette.style(INK[Part.MIDDLE]), most=room)
    if preview.images:
        line.add("▣ image", palette.style("ink-muted")).gap(2)
    ink = palette.style("role-tool" if preview.role == "tool" else "ink")
    text = beginning(preview.text) if preview.role == "tool" else preview.text
    if text := text.strip():
        line.add(text, ink, most=max(0, room if not preview.calls else room * 3 // 5))
    if preview.calls:
        line.gap(2 if line.width > start else 0)
        _calls(line, row, max(0, room - (line.width - start)), palette)
    if line.width == start:
        line.add("empty", palette.style("ink-faint"))
    return line


def _calls(line: Line, row: MessageRow, room: int, palette: Palette) -> None:
    name, end = row.preview.tool_name or "?", line.width + room
    line.add(f"{glyphs.CALL} {name}", palette.style("role-assistant", bold=True), most=room)
    more = f" +{row.preview.calls - 1}" if row.preview.calls > 1 else ""
    if row.calls:
        line.gap(2).add(
            argument_line(row.calls[0]) + more, palette.style("ink-muted"), most=max(0, end - line.width)
        )
    else:
        line.add(more, palette.style("ink-muted"))


def argument_line(call: ToolCall) -> str:
    """The first argument's value, the others as name=value; arguments that are not JSON as they are."""
    found = _parsed(call.arguments) if len(call.arguments) <= PARSE_LIMIT else None
    if not isinstance(found, dict):
        return masked_start(call.arguments, LINE_LIMIT)
    values = [_short(value) for value in found.values()]
    rest = [f"{name}={value}" for name, value in zip(list(found)[1:], values[1:], strict=True)]
    return masked_start("  ".join([*values[:1], *rest]), LINE_LIMIT)


def laid_out(text: str) -> str:
    """A JSON object as one key per line, with real line breaks in strings; any other text unchanged."""
    start = text.lstrip()[:1]
    found = _parsed(text) if start == "{" and len(text) <= PARSE_LIMIT else None
    if not isinstance(found, dict):
        return text
    return "\n".join(f"{name}: {_long(value)}" for name, value in found.items())


def beginning(text: str) -> str:
    """The start of a tool result without the JSON around it, even if the text was cut short."""
    found = _FIRST_STRING.match(text)
    if found is None:
        return text
    return _ESCAPE.sub(lambda escape: _PLAIN.get(escape[1], escape[0]), text[found.end() :])


def _short(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _long(value: Any) -> str:
    if not isinstance(value, str):
        return json.dumps(value, ensure_ascii=False, indent=2)
    return "\n" + value if "\n" in value else value


def _parsed(arguments: str) -> Any:
    try:
        return json.loads(arguments)
    except (ValueError, RecursionError):  # stored by a model: not JSON, or nested without end
        return None
