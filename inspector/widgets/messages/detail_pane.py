"""One message in full: its text, its size, its state, and what pruning would leave of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice

from rich.style import Style

from core.model.compaction.plan import Part
from core.model.transcript.message import Message, RowState, images_in
from core.redact.quick_check import masked_start
from core.support import formatting as fmt
from inspector.base.commands import key_of
from inspector.terminal import glyphs
from inspector.terminal.line import Line, Palette
from inspector.terminal.text import clean, wrap
from inspector.widgets.charts.context_strip import INK
from inspector.widgets.messages.message_line import laid_out
from inspector.widgets.panes.text_pane import TextPane

CHUNK = 64 * 1024
"""Characters of a message laid out at first, and added on request."""

FOLLOWING_CHARS, FOLLOWING_LINES = 2_000, 8
"""Most characters and lines of a message that followed."""

STATES = {
    RowState.LIVE: "",
    RowState.ARCHIVED: "archived: summarised away by a compaction",
    RowState.SUPERSEDED: "superseded: a later generation holds its copy",
    RowState.REWOUND: "taken back by the user",
}


@dataclass(frozen=True, slots=True)
class Detail:
    """A message, and everything the pane says about it.

    Attributes:
        index: Its index in the list; None outside of one.
        part: Its part of the cut; None if there is no plan.
        estimate: Tokens by the release's rule; None until measured.
        counted: Tokens by a real tokenizer, with the tokenizer's name; None until counted.
        exact: The tokenizer is the model's own.
        stub: What pruning would leave; None if it would not change the message.
        paired: Calls and results have been matched.
        answers: Index of the message whose call this tool result answers.
        answered_by: Index of the result for each call id.
        shown: Characters to lay out.
        then: Messages that followed, of which the beginning is shown below.
    """

    index: int | None
    message: Message
    part: Part | None = None
    estimate: int | None = None
    counted: tuple[int, str] | None = None
    exact: bool = False
    stub: str | None = None
    paired: bool = False
    answers: int | None = None
    answered_by: Mapping[str, int] = field(default_factory=dict)
    tool: str | None = None
    shown: int = CHUNK
    then: tuple[Message, ...] = ()


class DetailPane(TextPane):
    """The message under the cursor; long ones are shown a chunk at a time."""

    _detail: Detail | None = None

    @property
    def detail(self) -> Detail | None:
        """The message shown."""
        return self._detail

    def tell(self, detail: Detail | None) -> None:
        """Show a message; the scroll position stays if it is the same one."""
        if detail == self._detail is not None:
            return
        before = None if self._detail is None else self._detail.index
        same = detail is not None and before is not None and detail.index == before
        self._detail = detail
        self.show(lambda width, palette: list(detail_lines(detail, width, palette)), keep_place=same)


def detail_lines(detail: Detail | None, width: int, palette: Palette) -> Iterator[Line]:
    """Every line of the pane, for a width in cells."""
    if detail is None:
        yield Line().gap().add("No message under the cursor.", palette.style("ink-muted"))
        return
    yield _title(detail, palette)
    yield from _facts(detail, width, palette)
    yield Line()
    yield from _stub(detail, width, palette)
    yield from _thinking(detail, width, palette)
    yield from _text(detail, width, palette)
    yield from _calls(detail, width, palette)
    for message in detail.then:
        yield Line()
        yield from _beginning(message, width, palette)


def _beginning(message: Message, width: int, palette: Palette) -> Iterator[Line]:
    """Who wrote a message that followed, and its first lines."""
    yield Line().add(glyphs.RULE * width, palette.style("ink-faint"))
    yield _title(Detail(None, message), palette)
    calls = (f"{glyphs.CALL} {call.name} {laid_out(call.arguments)}" for call in message.tool_calls)
    words = laid_out(message.text) if message.role == "tool" else message.text
    text = masked_start("\n".join(part for part in (words, *calls) if part), FOLLOWING_CHARS)
    lines = list(islice(wrap(clean(text), width), FOLLOWING_LINES + 1))
    for line in lines[:FOLLOWING_LINES]:
        yield Line().preformatted(line, palette.style("ink-muted"))
    if len(lines) > FOLLOWING_LINES:
        yield Line().add("…", palette.style("ink-muted"))


def _title(detail: Detail, palette: Palette) -> Line:
    role = detail.message.role
    ink = palette.style(f"role-{role}" if role in glyphs.ROLE else "ink", bold=True)
    line = Line()
    if detail.index is not None:
        line.add(f"#{detail.index}", palette.style("ink-muted")).gap()
    line.add(f"{glyphs.ROLE.get(role, glyphs.ROLE_OTHER)} {role}", ink)
    if detail.tool:
        line.add(" · ", palette.style("ink-faint")).add(detail.tool, palette.style("ink"))
    if detail.part is not None:
        line.add(" · ", palette.style("ink-faint")).add(detail.part, palette.style(INK[detail.part]))
    return line


def _facts(detail: Detail, width: int, palette: Palette) -> Iterator[Line]:
    for fact in (_weight(detail), _pairs(detail), _row(detail)):
        for line in wrap(clean(fact), width) if fact else ():
            yield Line().add(line, palette.style("ink-muted"))
    row = detail.message.row
    for damage in row.damage if row else ():
        yield Line().add(f"▲ {damage}", palette.style("severity-warning"), most=width)


def _weight(detail: Detail) -> str:
    parts = [f"{fmt.count(detail.estimate, mark=fmt.ESTIMATE)} tokens"] if detail.estimate is not None else []
    if detail.counted is not None:
        mark = "" if detail.exact else "≈"
        parts.append(f"{mark}{detail.counted[0]:,} {detail.counted[1]}")
    if text := detail.message.text:
        parts.append(f"{len(text):,} chars")
    return " · ".join(parts)


def _pairs(detail: Detail) -> str:
    if detail.answers is not None:
        return f"answers {glyphs.CALL} #{detail.answers}"
    if detail.message.role == "tool" and detail.paired:
        return "answers no call of this list"
    if detail.answered_by:
        return "answered by " + ", ".join(f"#{index}" for index in detail.answered_by.values())
    return ""


def _row(detail: Detail) -> str:
    row = detail.message.row
    if row is None:
        return ""
    parts = (f"row {row.id}", fmt.moment(row.timestamp) if row.timestamp else "", STATES[row.state])
    return " · ".join(part for part in parts if part)


def _stub(detail: Detail, width: int, palette: Palette) -> Iterator[Line]:
    if detail.stub is None:
        return
    ink = palette.style(INK[Part.MIDDLE])
    yield Line().add("pruned before the cut to", ink)
    yield from _railed(detail.stub, width, "→ ", ink, ink)
    yield Line()


def _thinking(detail: Detail, width: int, palette: Palette) -> Iterator[Line]:
    found = detail.message.thinking
    if not found:
        return
    ink = palette.style("ink-faint")
    yield Line().add("reasoning", palette.style("ink-muted", bold=True))
    yield from _railed(masked_start(found, detail.shown), width, "│ ", ink, palette.style("ink-muted"))
    yield Line()


def _text(detail: Detail, width: int, palette: Palette) -> Iterator[Line]:
    text = detail.message.text
    words = laid_out(text) if detail.message.role == "tool" else text
    for line in wrap(clean(masked_start(words, detail.shown)), width) if text else ():
        yield Line().preformatted(line, palette.style("ink"))
    if images := images_in(detail.message.content):
        yield Line().add(f"▣ {fmt.plural(images, 'image')}, not shown", palette.style("ink-muted"))
    if len(text) > detail.shown:
        kilo = (
            f"first {detail.shown // 1024:,} KB of {len(text) // 1024:,} KB · {key_of('map.longer')} for more"
        )
        yield Line().add(f"{glyphs.RULE * 3} {kilo}", palette.style("match"))
    if not text and not images and not detail.message.tool_calls:
        yield Line().add("No text.", palette.style("ink-faint"))


def _calls(detail: Detail, width: int, palette: Palette) -> Iterator[Line]:
    for call in detail.message.tool_calls:
        yield Line()
        line = Line().add(f"{glyphs.CALL} {call.name or '?'}", palette.style("role-assistant", bold=True))
        if (answer := detail.answered_by.get(call.id)) is not None:
            line.gap(2).add(f"→ #{answer}", palette.style("ink-muted"))
        yield line
        ink = palette.style("ink")
        yield from _railed(laid_out(masked_start(call.arguments, detail.shown)), width, "  ", ink, ink)


def _railed(text: str, width: int, rail: str, rail_ink: Style, ink: Style) -> Iterator[Line]:
    for line in wrap(clean(text), max(1, width - len(rail))):
        yield Line().preformatted(rail, rail_ink).preformatted(line, ink)
