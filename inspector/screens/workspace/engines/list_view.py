"""The list of engines, and a card with what the one under the cursor made of the conversation."""

from __future__ import annotations

from collections.abc import Iterator

from core.compress.retention.words import weighed
from core.model.compaction.preview import Retention
from core.preview.other_engine import ComparedEngine
from core.preview.words import kind_word
from core.support import formatting as fmt
from inspector.base.commands import bindings
from inspector.terminal.line import Line, Palette
from inspector.widgets.lists.row_list import RowList
from inspector.widgets.panes.card import field, headline, paragraph

OURS_IS = "Hermes' own compressor, as this program replays it for the release of this conversation"
ABSENT = "only the configuration names it"
NARROW = 100
"""Width below which only the card shows what became of the messages, and the calls."""
TITLES = {"facts": "facts kept", "kept": "messages kept"}
"""Titles of columns where the name alone does not tell what is counted."""
_MAX_FACTS = 12
"""Most lost facts on a card."""


class EngineList(RowList[ComparedEngine]):
    """Engine, tokens after, facts kept, messages kept and dropped, unpaired messages, calls, price, time."""

    HEADER_LINES = 1
    BINDINGS = bindings("engine_list")

    def draw_header(self, width: int) -> list[Line]:
        """The column titles."""
        ink = self.palette.style("ink-muted")
        line = Line().gap().cell("engine", 18, ink)
        for name, cells in _columns(width):
            line.cell(TITLES.get(name, name), cells, ink, right=True)
        return [line]

    def draw_row(self, row: ComparedEngine, index: int, width: int) -> Line:
        """Draw one engine; for one that failed or is broken, why."""
        ink = self.palette
        line = Line().gap().cell(row.name, 18, ink.style("ink", bold=True))
        if row.preview is None:
            token = "ink-muted" if row.error is None else "severity-critical"
            token = "severity-warning" if row.absent is not None else token
            words = ABSENT if row.absent is not None else row.trouble or "not run yet"
            return line.gap(2).add(words, ink.style(token), most=max(0, width - line.width - 2))
        values = _values(row)
        for name, cells in _columns(width):
            token = "money" if name == "price" else "ink"
            token = "severity-critical" if name == "unpaired" and row.orphans else token
            line.cell(values[name], cells, ink.style(token), right=True)
        if row.problems:
            line.gap(2).add("broken", ink.style("severity-critical", bold=True))
        elif row.kept == len(row.preview.before) == len(row.preview.after):
            line.gap(2).add("unchanged", ink.style("ink-muted"), most=max(0, width - line.width - 2))
        return line


def _columns(width: int) -> tuple[tuple[str, int], ...]:
    every = (
        ("tokens", 9), ("facts", 12), ("kept", 15), ("dropped", 9), ("unpaired", 10), ("calls", 7),
        ("price", 10), ("time", 9),
    )  # fmt: skip
    few = ("tokens", "facts", "price", "time")
    return every if width >= NARROW else tuple(one for one in every if one[0] in few)


def _values(row: ComparedEngine) -> dict[str, str]:
    after = None if row.preview is None else row.preview.after_tokens
    calls = row.done.calls if row.done is not None else None
    return {
        "tokens": fmt.short(after, mark=fmt.ESTIMATE),
        "facts": row.facts,
        "kept": fmt.count(row.kept),
        "dropped": fmt.count(row.dropped),
        "unpaired": fmt.count(row.orphans),
        "calls": fmt.count(calls),
        "price": fmt.money(row.usd, mark=fmt.ESTIMATE),
        "time": fmt.UNKNOWN if row.seconds is None else f"{row.seconds:.2f} s",
    }


def card(one: ComparedEngine, width: int, ink: Palette) -> Iterator[Line]:
    """What the engine is, its result, what is wrong with its messages, the facts it lost."""
    if one.absent is not None:
        yield from headline(one.name, "", width, ink)
        yield from field("trouble", one.absent.what, width, ink, "severity-warning")
        yield from field("fix", one.absent.remedy or "", width, ink)
        return
    where = OURS_IS if one.engine is None else one.engine.found.where
    version = "" if one.engine is None else one.engine.found.version or ""
    yield from headline(one.name, version, width, ink)
    yield from field("where", where, width, ink)
    if one.trouble:
        yield from field("trouble", one.trouble, width, ink, "severity-critical")
    if one.preview is None:
        return
    values = _values(one)
    sizes = f"{len(one.preview.before):,} → {len(one.preview.after):,} messages"
    kept = f"{values['kept']} kept, {values['dropped']} dropped"
    alone = f", {values['unpaired']} tool calls or results without their partner" if one.orphans else ""
    yield from field("list", f"{sizes}: {kept}{alone}", width, ink)
    before = fmt.short(one.preview.before_tokens, mark=fmt.ESTIMATE)
    yield from field("tokens", f"{before} → {values['tokens']}", width, ink)
    if one.score is not None:
        yield from field("facts", f"{values['facts']} kept, {weighed(one.score)}", width, ink)
    calls = "its summary" if one.engine is None else f"{values['calls']} calls"
    price = f"{values['price']} for {calls}, with the model Hermes would use"
    if one.usd is None:
        price = f"not known: the model that Hermes would use for {calls} has none"
    yield from field("price", price, width, ink)
    if one.done is not None and one.done.same is not None:
        words = "it cuts where our plan does" if one.done.same else "it does not cut where our plan does"
        yield from field("our plan", words, width, ink)
    yield from _lost(one.preview.retention, width, ink)


def _lost(kept: Retention | None, width: int, ink: Palette) -> Iterator[Line]:
    lost = kept.lost if kept else ()
    for place, fact in enumerate(lost[:_MAX_FACTS]):
        if not place:
            yield from (
                Line(),
                *paragraph(f"Lost, most important first ({len(lost):,})", width, ink, bold=True),
            )
        yield from paragraph(f"{kind_word(fact.category)}: {' '.join(fact.value.split())}", width, ink)


def rest(one: ComparedEngine, width: int, ink: Palette) -> Iterator[Line]:
    """The summary that the engine wrote."""
    made = one.preview
    if made is not None and made.summary:
        yield from paragraph("What it wrote", width, ink, bold=True)
        yield from paragraph(made.summary, width, ink)
