"""Where a figure comes from: formula, addends, rows, prices. Lines for a pane."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from core.model.accounting.prices import Term
from core.model.accounting.usage import Origin
from inspector.terminal import formatting as fmt
from inspector.terminal.line import Line
from inspector.terminal.palette import Palette
from inspector.widgets.panes.fields import field, paragraph

NAMES = {
    "total": "tokens",
    "calls": "calls",
    "input": "uncached input",
    "cache_read": "cache read",
    "cache_write": "cache write",
    "output": "output",
    "hit_rate": "hit rate",
    "recorded": "recorded cost",
    "computed": "cost at the price list",
}


MOST_TERMS = 12


def origin_lines(about: str, origin: Origin, width: int, ink: Palette) -> Iterator[Line]:
    """Everything behind one number."""
    name = NAMES.get(origin.figure, origin.figure)
    of = f" of {about}" if about else ""
    yield from paragraph(f"{name}{of}: {_value(origin)}", width, ink, bold=True)
    yield Line()
    yield from field("= formula", origin.formula, width, ink)
    for place, term in enumerate(origin.terms[:MOST_TERMS]):
        yield from field("" if place else "terms", _term(term), width, ink)
    if len(origin.terms) > MOST_TERMS:
        yield from field("", f"and {len(origin.terms) - MOST_TERMS} more", width, ink, "ink-faint")
    for place, words in enumerate(origin.rows):
        yield from field("" if place else "rows", words, width, ink, "ink-muted")
    for place, words in enumerate(origin.prices):
        yield from field("" if place else "prices", words, width, ink, "ink-muted")
    for place, words in enumerate(origin.notes):
        yield from field("" if place else "note", words, width, ink, "severity-warning")


def _value(origin: Origin) -> str:
    value = origin.value
    if isinstance(value, Decimal):
        return fmt.money(value)
    return fmt.percent(value) if isinstance(value, float) else fmt.count(value)


def _term(term: Term) -> str:
    if isinstance(term.amount, Decimal):
        return f"{fmt.money(term.amount)}  {term.label}"
    rate = "" if term.rate is None else f" × ${term.rate.normalize():f} per million"
    return f"{term.amount:,}{rate}  {term.label}"
