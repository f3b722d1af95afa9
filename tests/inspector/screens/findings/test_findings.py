from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from core.model.finding import Evidence, Finding, NotKnown, Severity, Source, Verdict
from core.store.database.locate import Location
from inspector.app import InspectorApp
from inspector.screens.findings.list_view import Advice, Folded, Group, card, in_clauses, proof
from inspector.screens.findings.results import Results
from inspector.screens.findings.screen import FindingsScreen
from inspector.screens.findings.sweep import Diagnosis, Step, examine_all, examine_one
from inspector.screens.sessions.screen import SessionsScreen
from inspector.screens.workspace.screen import WorkspaceScreen
from inspector.widgets.bars.status_line import Banner
from tests.conftest import NOW
from tests.core.store.database import SessionDatabase
from tests.inspector.conftest import MakeApp
from tests.inspector.driving import front, settled
from tests.inspector.screens.conftest import INK, drawn, open_app, plain, press, settle

PLACE = Location(Path("/somewhere/state.db"))


def diagnosis(severity: Severity = Severity.WARNING, rule: str = "A1", title: str = "One") -> Diagnosis:
    finding = Finding(
        rule=rule,
        name="threshold-raised",
        severity=severity,
        sentence=f"{rule} is so.",
        verdict=Verdict.DERIVED,
        session="s1",
        numbers={"threshold": 150_000},
        evidence=(Evidence(Source.CONFIG, "config.yaml:3", "threshold: 0.50"),),
        remedy="compression.threshold: 0.75",
    )
    return Diagnosis(finding, PLACE, title)


def text(row: Diagnosis | NotKnown, width: int = 80) -> str:
    return plain((*card(row, width, INK), *proof(row, width, INK)))


def test_a_card_says_what_how_we_know_and_what_helps() -> None:
    shown = text(diagnosis())
    for words in (
        "A1 is so.",
        "compression.threshold: 0.75",
        "150,000",
        "config config.yaml:3",
        "≈ computed",
    ):
        assert words in shown


def test_a_rule_without_evidence_says_what_is_missing() -> None:
    lacking = NotKnown("D1", "tail-swallowed", "the window is unknown", "whether the kept tail is too large")
    assert "Not checked: whether the kept tail is too large. The window is unknown." in text(lacking)


@pytest.mark.parametrize("width", [20, 50, 120])
def test_a_card_fits(width: int) -> None:
    assert max(map(len, text(diagnosis(), width).split("\n"))) <= width


def test_everything_is_examined_and_counted(samples: Location) -> None:
    steps = list(examine_all([samples], lambda: False))
    assert steps[-1].done == steps[-1].total > 10
    assert [step.done for step in steps[:-1]] == list(range(len(steps) - 1))
    assert all(found.title is None for found in steps[-1].found)
    assert steps[-1].found


def test_a_conversation_without_title_and_words_goes_by_its_newest_session_as_in_the_list(
    tmp_path: Path,
) -> None:
    with SessionDatabase(tmp_path / "state.db") as database:
        database.session("first", end_reason="compression", ended_at=database.tick())
        database.session("second", parent_session_id="first", message_count=30)
        database.message("second", "assistant", "done")
    steps = examine_all([Location(tmp_path / "state.db")], lambda: False)
    assert {one.title for step in steps for one in step.found if one.title} == {"second"}


def test_the_messages_looked_through_are_reported(samples: Location) -> None:
    told: list[tuple[int, int]] = []
    steps = examine_all([samples], lambda: False, lambda done, total: told.append((done, total)))
    assert next(steps).done == 0
    list(steps)
    assert all(0 < done <= total for done, total in told)


def test_a_broken_database_is_reported_and_the_next_one_examined(samples: Location, tmp_path: Path) -> None:
    broken = tmp_path / "broken.db"
    broken.write_bytes(b"nothing of a database" * 40)
    steps = list(examine_all([Location(broken), samples], lambda: False))
    assert len(steps[0].errors) == 1
    assert steps[-1].done > 10


def test_an_examination_stops_when_told_to(samples: Location) -> None:
    asked = 0

    def stop() -> bool:
        nonlocal asked
        asked += 1
        return asked > 3

    assert len(list(examine_all([samples], stop))) < 8


def test_one_conversation_says_what_it_could_not_answer(samples: Location) -> None:
    from core.store.store import Store

    with Store(samples) as store:
        session = store.resolve("Nightly triage").id
    first, last = examine_one(samples, session, lambda: False)
    assert (first.done, last.done) == (0, 1)
    assert any(found.finding.severity is Severity.CRITICAL for found in last.found)


class Examined:
    """Replaces the examination; continues when told to."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.go_on = threading.Event()
        monkeypatch.setattr("inspector.screens.findings.screen.examine_all", self.steps)
        monkeypatch.setattr("inspector.screens.findings.screen.TELL_SECONDS", 0)

    def steps(self, _locations: object, stop: object, _scanned: object) -> Iterator[Step]:
        yield Step(1, 3, (diagnosis(Severity.INFO, "C9"), diagnosis(rule="B2")))
        self.go_on.wait(10)
        yield Step(2, 3, (diagnosis(Severity.CRITICAL, "A4"),))
        yield Step(3, 3)


async def test_the_worst_comes_first_and_the_cursor_stays_on_what_is_read(
    app: MakeApp, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    examined = Examined(monkeypatch)
    running = app(home)
    async with running.run_test(size=(120, 30)) as pilot:
        await pilot.press("f")
        await wait_for(pilot.app, "checked 1 of 3")
        await pilot.press("j")
        assert "C9 is so." in drawn(pilot)
        examined.go_on.set()
        await settle(pilot)
        screen = front(running, FindingsScreen)
        rows = [screen.diagnoses.rows.row(index) for index in range(5)]
        assert [row.finding.rule for row in rows if isinstance(row, Diagnosis)] == ["A4", "B2", "C9"]
        assert screen.diagnoses.cursor == 4
        assert "checked" not in drawn(pilot)


async def wait_for(app: object, words: str) -> None:
    """Until a progress line says so."""
    assert isinstance(app, InspectorApp)
    for _ in range(200):
        screen = app.screen
        if isinstance(screen, FindingsScreen) and words in str(screen.query_one("#head").right):  # type: ignore[attr-defined]
            return
        await pause(app)
    raise AssertionError(words)


async def pause(app: InspectorApp) -> None:
    import asyncio

    await asyncio.sleep(0.01)
    assert app.is_running


async def test_escape_stops_and_returns(app: MakeApp, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    examined = Examined(monkeypatch)
    running = app(home)
    async with running.run_test(size=(120, 30)) as pilot:
        await pilot.press("f")
        await wait_for(running, "checked 1 of 3")
        await pilot.press("escape")
        examined.go_on.set()
        await settle(pilot)
        assert isinstance(running.screen, SessionsScreen)


async def test_the_samples_have_findings_and_enter_opens_their_conversation(samples: Location) -> None:
    async with settled(running := InspectorApp([samples], now=lambda: NOW), 100, 40) as pilot:
        await press(pilot, "f")
        assert "critical" in drawn(pilot)
        assert "No model wrote a summary" in drawn(pilot)
        await press(pilot, "j", "enter")  # the first is about the database as a whole
        assert isinstance(running.screen, WorkspaceScreen)


async def test_the_list_counts_the_findings_and_its_signs_mean_what_they_meant(samples: Location) -> None:
    async with settled(running := InspectorApp([samples], now=lambda: NOW), 180, 40) as pilot:
        before = [line for line in drawn(pilot).splitlines() if line.strip()[:1] in ("■", "▲")]
        await press(pilot, "f")
        screen = front(running, FindingsScreen)
        found = len(screen._results.findings)
        await press(pilot, "escape")
        after = drawn(pilot).splitlines()
        assert [line for line in after if line.strip()[:1] in ("■", "▲")] == before
        assert f"{found} findings" in after[0]


async def test_enter_on_a_conversation_whose_compression_fails_opens_the_reason(samples: Location) -> None:
    async with settled(running := InspectorApp([samples], session=None, now=lambda: NOW), 160, 40) as pilot:
        alert = drawn(pilot).splitlines()[1]
        assert "Why is the deploy slow" in alert
        assert "401" in alert
        await press(pilot, "slash", *"deploy slow", "enter")
        await press(pilot, "enter")
        assert isinstance(running.screen, WorkspaceScreen)
        assert "Compression failed" in drawn(pilot)


async def test_f_examines_the_conversation_in_front(samples: Location) -> None:
    async with settled(running := open_app(samples, "Nightly triage", "why"), 100, 40) as pilot:
        await press(pilot, "f")
        assert "Findings · Nightly triage" in drawn(pilot)
        await press(pilot, "y")
        assert running.clipboard


async def test_where_few_findings_leave_room_what_helps_stands_below_each(samples: Location) -> None:
    async with settled(running := open_app(samples, "Refactor the auth module", "why"), 160, 45) as pilot:
        await press(pilot, "f")
        screen = front(running, FindingsScreen)
        listed = screen.diagnoses
        said = "\n".join(
            listed.draw_row(row, 0, 158).text for row in map(listed.rows.row, range(listed.rows.count)) if row
        )
        remedies = [one.remedy for one in screen._results.findings if one.remedy]
        assert len(remedies) > 3
        for remedy in remedies:
            assert remedy[:60] in said
        for _ in range(3):
            await press(pilot, "j")
            assert isinstance(listed.current, Diagnosis)
        read = listed.current
        for size in ((80, 24), (160, 45)):
            await pilot.resize_terminal(*size)
            await settle(pilot)
            assert any(isinstance(listed.rows.row(place), Advice) for place in range(listed.rows.count)) == (
                size[0] > 80
            )
            assert listed.current is read


async def test_findings_name_their_conversation_only_where_there_are_several(
    app: MakeApp, database: SessionDatabase
) -> None:
    for title in ("Rename the flag", "Refactor the module"):
        database.turn(database.session(title, title=title, model="nobody/knows"), "a")
        async with settled(running := app(database.path.parent), 120, 40) as pilot:
            await press(pilot, "f")
            found = front(running, FindingsScreen).diagnoses
            rows = [
                found.draw_row(row, 0, 118).text.strip()
                for row in map(found.rows.row, range(found.told))
                if row
            ]
            assert any(row.endswith(" default") for row in rows) is (title != "Rename the flag"), rows


async def test_what_cannot_be_examined_is_stated(app: MakeApp, tmp_path: Path) -> None:
    broken = tmp_path / "state.db"
    broken.write_bytes(b"no database here" * 40)
    async with settled(running := app(broken), 80, 24) as pilot:
        await press(pilot, "f")
        assert "not a SQLite database" in running.screen.query_one(Banner).message


async def test_a_click_on_a_finding_reads_it_and_a_second_one_opens_it(samples: Location) -> None:
    async with settled(app := InspectorApp([samples], view="findings", now=lambda: NOW), 120, 40) as pilot:
        found = front(app, FindingsScreen)
        first = found.diagnoses.region.y + found.diagnoses.gutter.top
        await pilot.click(offset=(20, first + 1))
        assert found.diagnoses.cursor == 1
        await pilot.click(offset=(20, first + 1))
        await settle(pilot)
        assert isinstance(app.screen, WorkspaceScreen)


async def test_what_is_about_a_whole_database_says_that_it_opens_nothing(samples: Location) -> None:
    app = InspectorApp([samples], view="findings", now=lambda: NOW)
    async with settled(app, 120, 40, notifications=True) as pilot:
        found = front(app, FindingsScreen)
        rows = [found.diagnoses.rows.row(place) for place in range(found.diagnoses.rows.count)]
        whole = [isinstance(row, Diagnosis) and row.finding.session is None for row in rows]
        found.diagnoses.cursor = whole.index(True)
        await press(pilot, "enter")
        assert app.screen is found
        assert "about the whole database" in drawn(pilot)


def test_opening_the_screen_loads_nothing_that_examines() -> None:
    code = "import sys, inspector.screens.findings; print([m for m in sys.modules if 'explain' in m])"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"


def test_what_two_conversations_that_fork_share_is_found_once_as_on_the_command_line() -> None:
    results = Results()
    new = results.take([Step(1, 2, (diagnosis(title="One"),)), Step(2, 2, (diagnosis(title="Two"),))])
    assert len(results.findings) == len(new) == 1


def alike(count: int) -> Results:
    """So many findings of one rule, each of a conversation of its own, and one of another rule."""
    results = Results()
    many = [
        replace(one := diagnosis(), finding=replace(one.finding, session=f"s{number}"))
        for number in range(count)
    ]
    other = diagnosis(rule="C9", title="Other")
    other = replace(other, finding=replace(other.finding, name="constraint-lost"))
    results.take([Step(1, 1, (*many, other))])
    return results


def test_many_findings_of_one_rule_stand_as_one_line_that_enter_opens() -> None:
    results = alike(6)
    rows = results.rows("", filtering=False)
    (fold,) = (row for row in rows if isinstance(row, Folded))
    assert [type(row) for row in rows] == [Group, Diagnosis, Diagnosis, Folded]
    assert fold.sentence == "5 more like this · enter shows them"
    results.fold(fold)
    assert sum(isinstance(row, Diagnosis) for row in results.rows("", filtering=False)) == 7


def test_a_few_findings_of_one_rule_and_those_filtered_stand_each_for_itself() -> None:
    for results, filtering in ((alike(3), False), (alike(6), True)):
        assert not any(isinstance(row, Folded) for row in results.rows("", filtering=filtering))


LONG = "Fix: Set the key of its provider, or choose another auxiliary.compression.model, then run /compress"


@pytest.mark.parametrize(
    ("room", "told"),
    [
        (120, LONG),
        (90, "Fix: Set the key of its provider, or choose another auxiliary.compression.model …"),
        (60, "Fix: Set the key of its provider …"),
        (24, ""),
    ],
)
def test_a_remedy_too_long_for_its_row_ends_with_a_clause_not_in_a_word(room: int, told: str) -> None:
    assert in_clauses(LONG, room) == told
    assert len(told) <= room


def test_a_remedy_of_two_sentences_ends_with_the_first_if_that_fits() -> None:
    told = "Fix: Run /compress again; if it keeps failing, choose another auxiliary.compression.model"
    assert in_clauses(f"{told}. What was replaced is not lost: recall WORDS finds it", 110) == f"{told} …"


@pytest.mark.parametrize("width", [40, 80])
def test_a_command_is_never_cut_into_half_and_stands_whole_on_the_card(width: int) -> None:
    command = "chmod 600 /home/ada/.hermes/profiles/the-largest-of-all/of-many/that-there-are/state.db"
    assert in_clauses(f"Fix: {command}", width) == ""
    one = diagnosis(rule="I2")
    told = text(replace(one, finding=replace(one.finding, remedy=command)), width)
    assert "".join(command.split()) in "".join(told.split())


async def test_before_anything_was_found_no_number_of_findings_is_told(
    app: MakeApp, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    let_go = threading.Event()

    def nothing(*_: object) -> Iterator[Step]:
        let_go.wait(20)
        yield from ()

    monkeypatch.setattr("inspector.screens.findings.screen.examine_all", nothing)
    running = app(home)
    async with running.run_test(size=(120, 30)) as pilot:
        running.push_screen(FindingsScreen([PLACE]))
        await pilot.pause()
        assert "0 findings" not in drawn(pilot)
        let_go.set()
        await settle(pilot)
        assert "0 findings" in drawn(pilot)
