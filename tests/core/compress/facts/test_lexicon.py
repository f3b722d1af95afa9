"""Days are known in figures and by the names of months in many languages."""

from __future__ import annotations

import pytest

from core.compress.facts.lexicon import dates, day_of, spoken, without_figures


@pytest.mark.parametrize(
    ("text", "date", "day"),
    [
        ("until 2026-10-14 at the latest", "2026-10-14", (10, 14)),
        ("bis 14.10.2026 verlegen", "14.10.2026", (10, 14)),
        ("am 3. März 2026", "3. März 2026", (3, 3)),
        ("el 5 de octubre", "5 de octubre", (10, 5)),
        ("le 12 août 2026", "12 août 2026", (8, 12)),
        ("10月14日之前", "10月14日", (10, 14)),
        ("on Jan. 5th, 2024", "Jan. 5th, 2024", (1, 5)),
        ("on 2 May", "2 May", (5, 2)),
        ("do 15 sierpnia", "15 sierpnia", (8, 15)),
        ("до 21 августа", "21 августа", (8, 21)),
        ("entro il 9 giugno", "9 giugno", (6, 9)),
        ("30 Ağustos'a kadar", "30 Ağustos", (8, 30)),
        ("8월 21일까지", "8월 21일", (8, 21)),
    ],
)
def test_a_day_is_found_as_it_is_written(text: str, date: str, day: tuple[int, int]) -> None:
    assert list(dates(text)) == [date]
    assert day_of(date) == day


@pytest.mark.parametrize(
    "text",
    [
        "Marx 13:00",
        "LOD-0 may",
        "step 2 may fail",
        "maybe 5",
        "decide 3",
        "version 1.14.2",
        "2026-10-14-3",
        "13月45日",
        "2026-13-01",
        "32.10.2026",
    ],
)
def test_a_word_that_begins_like_a_month_and_a_version_are_not_days(text: str) -> None:
    assert list(dates(text)) == []


def test_days_in_figures_are_blank_where_figures_are_counted() -> None:
    assert without_figures("14.10.2026 moved 3 dates") == "           moved 3 dates"


@pytest.mark.parametrize(
    ("figure", "words"),
    [
        ("1900", ["nineteen hundred", "one thousand nine hundred"]),
        ("20000", ["twenty thousand"]),
        ("38500", ["thirty-eight thousand five hundred", "thirty eight thousand five hundred"]),
        ("950", []),
        ("1.5", []),
        ("100000", []),
    ],
)
def test_round_numbers_are_spoken_as_people_do(figure: str, words: list[str]) -> None:
    assert list(spoken(figure)) == words
