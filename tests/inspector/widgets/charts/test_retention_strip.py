"""Which facts are kept, on two lines."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.compress.retention.words import most_important_loss
from core.model.compaction.preview import Fact, FactCount, Retention
from inspector.terminal.line import Palette, defaults
from inspector.widgets.charts.retention import (
    heat,
    heat_glyph,
    heat_ink,
    heat_line,
    survival_line,
)
from tests.hostile import HOSTILE, harmful

INK = Palette(defaults())
SHARES = st.lists(st.none() | st.floats(0, 1), max_size=60)


def report(*facts: Fact) -> Retention:
    return Retention(
        facts=facts,
        by_category={"paths": FactCount(11, 0, 1), "constraints": FactCount(1, 1, 1)},
        score=0.82,
        losses=(0.0, 0.4, 1.0, None),
    )


def lost(category: str, value: str) -> Fact:
    return Fact(category, value, (4,), "lost")


def test_counts_are_reported_by_category_and_the_gravest_loss_by_name() -> None:
    never = lost("constraints", "never touch migrations")
    text = survival_line(report(lost("numbers", "41"), never), 120, INK).text
    assert "facts kept 13/15  rules you set 2/3  files 11/12  ▲ lost: never touch migrations" in text


def test_facts_are_counted_and_not_weighed_beside_their_categories() -> None:
    light = replace(report(lost("numbers", "41")), score=1.0)
    assert "facts kept 13/15  rules" in survival_line(light, 120, INK).text
    assert "facts kept –" in survival_line(Retention(()), 120, INK).text


def test_a_lost_number_is_not_grave() -> None:
    assert most_important_loss(Retention((lost("numbers", "41"),))) is None
    light, heavy = replace(lost("asks", "fix it"), weight=0.4), lost("constraints", "never")
    assert most_important_loss(Retention((light, heavy))) == heavy


def test_the_heat_is_as_high_as_what_is_lost_is_heavy() -> None:
    assert heat_line(report(), 60, 120, INK).text == " ▁▄█·  how much each message loses"


@pytest.mark.parametrize(
    ("share", "glyph", "ink"),
    [
        (None, "·", "ink-faint"),
        (0.0, "▁", "severity-ok"),
        (0.01, "▂", "severity-warning"),
        (0.5, "▅", "severity-warning"),
        (1.0, "█", "severity-critical"),
    ],
)
def test_a_loss_has_a_height_and_a_colour(share: float | None, glyph: str, ink: str) -> None:
    assert (heat_glyph(share), heat_ink(share)) == (glyph, ink)


@given(SHARES, st.integers(0, 80))
@settings(max_examples=100, deadline=None)
def test_no_loss_is_hidden_however_few_cells_there_are(shares: list[float | None], cells: int) -> None:
    found = heat(shares, cells)
    assert len(found) == min(cells, len(shares))
    if found:
        known = [share for share in shares if share is not None]
        assert max((share for share in found if share is not None), default=None) == max(known, default=None)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("width", [20, 120])
def test_hostile_facts_are_harmless(text: str, width: int) -> None:
    assert not harmful(survival_line(report(lost("asks", text)), width, INK).strip(width).text)
