"""The focus lab: which of two topics keeps what."""

from __future__ import annotations

from dataclasses import replace

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from core.model.compaction.preview import Fact, Retention
from core.model.finding import Headline, Severity
from core.preview.foreseen import Basis
from core.preview.offers import Writer
from core.store.database.locate import Location
from inspector.screens.workspace.preview.focus.column import column_lines
from inspector.screens.workspace.preview.focus.model import (
    aligned,
    facts_on_topic,
    fates,
    kept_of,
    outcome,
    suggest_topics,
)
from inspector.screens.workspace.preview.focus.screen import FateList, FocusLab
from inspector.screens.workspace.preview.view import PreviewView
from inspector.terminal.line import Palette, defaults
from tests.hostile import harmful
from tests.inspector.driving import at_sizes, front, settled
from tests.inspector.screens.conftest import answer, drawn, open_app, press, settle

AUTH = "Refactor the auth module"
FULL = "Split the tenant settings table"
INK = Palette(defaults())


def fact(value: str, fate: str) -> Fact:
    return Fact("paths", value, (3,), fate)


def test_sections_are_under_the_same_heading_in_every_column() -> None:
    found = aligned(["## Goal\na\n## Done\nb", "## Goal\nc\n## Files\nd", ""])
    assert [section.heading for section in found] == ["Goal", "Done", "Files"]
    assert [section.texts for section in found] == [("a", "c", ""), ("b", "", ""), ("", "d", "")]


def test_every_section_begins_on_the_same_line_in_all_columns() -> None:
    found = aligned(["## Goal\n" + "word " * 40 + "\n## Done\nb", "## Goal\nc\n## Done\nd"])
    columns = [[line.strip().text.strip() for line in column_lines(found, k, 20, INK)] for k in (0, 1)]
    assert len(columns[0]) == len(columns[1])
    assert columns[0].index("Done") == columns[1].index("Done")


def test_every_column_counts_the_same_facts_of_a_topic() -> None:
    about = replace(fact("auth.py", "lost"), in_focus=True)
    focused = Retention((replace(about, fate="kept"), fact("b.py", "lost")))
    plain = Retention((fact("auth.py", "lost"), fact("b.py", "kept")))
    keys = facts_on_topic(focused)
    assert kept_of(focused, keys) == (1, 1)
    assert kept_of(plain, keys) == (0, 1)
    assert [row.value for row in fates([plain, focused])] == ["auth.py", "b.py"]


def test_facts_the_focus_decides_about_come_first() -> None:
    one = Retention((fact("a.py", "kept"), fact("b.py", "lost"), fact("c.py", "lost")))
    two = Retention((fact("a.py", "kept"), fact("b.py", "lost"), fact("c.py", "kept")))
    rows = fates([one, two, None])
    assert [(row.value, row.fates) for row in rows] == [
        ("c.py", ("lost", "kept", None)),
        ("b.py", ("lost", "lost", None)),
        ("a.py", ("kept", "kept", None)),
    ]


async def test_three_summaries_are_side_by_side_and_scroll_together(samples: Location) -> None:
    async with settled(open_app(samples, FULL, "preview"), 140, 40) as pilot:
        await press(pilot, "F")
        await answer(pilot, "reader | pytest")
        lab = front(pilot.app, FocusLab)
        text = drawn(pilot)
        assert "no focus" in text
        assert "focus reader" in text
        assert text.count("facts of “pytest”") == 3
        [row] = [line for line in text.splitlines() if line.count("facts in total") == 3]
        assert row.count("│") == 2, "a line between two columns, and none at the edge"
        await press(pilot, "x", "G")
        tops = {column.pane.scroll_offset.y for column in lab.columns}
        assert len(tops) == 1
        assert tops != {0}


async def test_a_high_screen_shows_the_summaries_and_their_facts_at_once(samples: Location) -> None:
    async with settled(open_app(samples, FULL, "preview"), 140, 40) as pilot:
        await press(pilot, "F")
        await answer(pilot, "reader | pytest")
        lab = front(pilot.app, FocusLab)
        shown = [(lab.columns[0].pane.display, lab.query_one(FateList).display)]
        async for _ in at_sizes(pilot, (200, 60)):
            shown.append((lab.columns[0].pane.display, lab.query_one(FateList).display))
            assert drawn(pilot).count("Completed Actions") == 3
            assert lab.query_one(FateList).has_focus
            await press(pilot, "x")
            shown.append((lab.columns[0].pane.display, lab.query_one(FateList).display))
        assert shown == [(False, True), (True, True), (True, False)]


async def test_a_fact_leads_back_to_its_message(samples: Location) -> None:
    async with settled(open_app(samples, FULL, "preview"), 140, 40) as pilot:
        await press(pilot, "F")
        await answer(pilot, "reader | pytest")
        row = pilot.app.screen.query_one(FateList).current
        assert row is not None
        await press(pilot, "enter")
        assert pilot.app.screen.query_one(PreviewView).panes.before.message == row.messages[-1]


async def test_one_topic_is_compared_with_none(samples: Location) -> None:
    async with settled(open_app(samples, FULL, "preview"), 140, 40) as pilot:
        await press(pilot, "F")
        await answer(pilot, "reader")
        lab = front(pilot.app, FocusLab)
        assert len(lab.columns) == 2
        assert "summarised two ways" in drawn(pilot)
        async for _ in at_sizes(pilot, (140, 40), (80, 24)):
            assert "focus lab" in drawn(pilot).splitlines()[0]


@pytest.mark.parametrize("typed", [" | ", "a | b | c"])
async def test_no_topic_and_three_are_refused_with_what_is_expected(samples: Location, typed: str) -> None:
    async with settled(open_app(samples, FULL, "preview"), 140, 40, notifications=True) as pilot:
        await press(pilot, "F")
        await answer(pilot, typed)
        assert not isinstance(pilot.app.screen, FocusLab)
        assert "Type one topic" in drawn(pilot)


async def test_while_the_summaries_are_written_nothing_is_said_of_their_facts(
    samples: Location, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FocusLab, "make", lambda lab: None)
    async with settled(open_app(samples, FULL, "preview"), 120, 40) as pilot:
        lab = FocusLab(basis_of(pilot), writer_of(pilot), ("settings",), lambda _: None)
        pilot.app.push_screen(lab)
        await settle(pilot)
        assert "The facts follow with the first summary." in drawn(pilot)
        assert "no checkable facts" not in drawn(pilot)


@pytest.mark.parametrize("session", [FULL, "20261112"])
async def test_hostile_topics_and_messages_reach_no_terminal(samples: Location, session: str) -> None:
    async with settled(open_app(samples, session, "preview"), 140, 40) as pilot:
        lab = FocusLab(basis_of(pilot), writer_of(pilot), HOSTILE_TOPICS, lambda _: None)
        await pilot.app.push_screen(lab)
        await settle(pilot)
        for key in ("G", "x", "G", "x"):
            assert not harmful(drawn(pilot))
            await press(pilot, key)
        assert pilot.app.is_running


HOSTILE_TOPICS = (
    "reader \x1b]52;c;ZXZpbA==\x07 [/nope] [@click=app.quit]x[/]",
    "pytest \u202egpj.exe \x9b31m \ud800 [bold",
)


def basis_of(pilot: Pilot[None]) -> Basis:
    found = pilot.app.screen.query_one(PreviewView).work.basis
    assert found is not None
    return found


def writer_of(pilot: Pilot[None]) -> Writer:
    found = pilot.app.screen.query_one(PreviewView).work.writer
    assert found is not None
    return found


def about(category: str, value: str, *messages: int) -> Fact:
    return Fact(category, value, messages, "kept")


def test_topics_are_suggested_that_most_messages_are_about_each_its_own() -> None:
    found = Retention(
        (
            about("paths", "src/auth/login.py", 3, 4, 5),
            about("paths", "tests/login.py", 6),
            about("paths", "src/auth/token.py", 3, 4, 5),
            about("commands", "docker history app:7", 8),
            about("commands", "docker history app:8", 9),
            about("ids", "build-22", 1, 2, 3, 4, 5, 6, 7, 8, 9),
        )
    )
    assert suggest_topics(found) == ("login.py", "docker history")
    assert suggest_topics(Retention((about("paths", "a.py", 1),))) == ("a.py",)
    assert suggest_topics(None) == ()


@pytest.mark.parametrize(
    ("command", "topics"),
    [
        ('python3 -c "import random;random.seed(14)"', ()),
        ("python3 tools/migrate.py --now", ()),
        ("pytest -q tests/auth", ()),
        ("cd build", ()),
        ("make", ()),
        ("./gradlew build", ("gradlew build",)),
        ("git commit -m x", ("git commit",)),
        ("FOO=1", ()),
    ],
)
def test_a_suggested_topic_is_something_a_person_would_type(command: str, topics: tuple[str, ...]) -> None:
    assert suggest_topics(Retention((about("commands", command, 3),))) == topics


async def test_the_question_for_two_topics_offers_an_answer(samples: Location) -> None:
    async with settled(open_app(samples, FULL, "preview"), 140, 40) as pilot:
        await press(pilot, "F")
        offered = pilot.app.screen.query_one("PromptBar Input", Input).value
        assert len(offered.split(" | ")) == 2
        await press(pilot, "enter")
        front(pilot.app, FocusLab)
        assert all(f"focus {topic}" in drawn(pilot) for topic in offered.split(" | "))


async def test_a_middle_that_suggests_no_topic_says_what_to_do(
    samples: Location, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inspector.screens.workspace.preview.work.PreviewWork.topics", lambda *_: ())
    async with settled(open_app(samples, AUTH, "preview"), 140, 40, notifications=True) as pilot:
        pilot.app.screen.query_one(PreviewView).action_focus_lab()
        await settle(pilot)
        assert "These messages suggest no topic" in drawn(pilot)


async def test_both_topics_named_on_the_command_line_reach_the_lab(samples: Location) -> None:
    async with settled(open_app(samples, AUTH, "preview"), 140, 40) as pilot:
        await pilot.app.run_action("focus_lab('login', 'tests')", pilot.app.screen.query_one(PreviewView))
        await settle(pilot)
        assert "focus login" in drawn(pilot)
        assert "focus tests" in drawn(pilot)


def _fact(value: str, fate: str, *, in_focus: bool = False) -> Fact:
    return Fact("names", value, (0,), fate, in_focus=in_focus)


def _retention(*facts: Fact) -> Retention:
    return Retention(facts=facts)


def test_the_answer_names_the_focus_that_keeps_most_more_of_its_topic() -> None:
    plain = _retention(_fact("a", "lost"), _fact("b", "kept"), _fact("c", "kept"))
    first = _retention(_fact("a", "kept", in_focus=True), _fact("b", "lost"), _fact("c", "kept"))
    second = _retention(_fact("a", "lost"), _fact("b", "kept", in_focus=True), _fact("c", "kept"))
    found = outcome(("one", "two"), (plain, first, second))
    assert "Focus “one” keeps 1 of 1 facts of its topic (no focus: 0)" in found.sentence
    assert "2 of all 3 facts (no focus: 2)" in found.sentence
    assert found.remedy == "/compress one"


def test_nothing_is_answered_before_all_summaries_are_there() -> None:
    plain = _retention(_fact("a", "kept"))
    assert not outcome(("one",), (plain, None)).sentence


def test_a_focus_that_keeps_no_more_is_not_recommended() -> None:
    plain = _retention(_fact("a", "kept"))
    focused = _retention(_fact("a", "kept", in_focus=True))
    assert outcome(("one",), (plain, focused)) == Headline(
        "Focus “one” gains nothing: a summary without a focus keeps as much of it.",
        "/compress without a topic",
        Severity.INFO,
    )
    assert outcome(("one", "two"), (plain, focused, focused)).sentence.startswith("Neither topic gains")
    assert outcome(("docker", "caddy"), (plain, plain, plain)) == Headline(
        "No fact to summarise is about “docker” or “caddy”: without a topic the summary keeps as much.",
        "Choose a topic that the messages to be summarised mention: /compress TOPIC.",
        Severity.INFO,
    )
