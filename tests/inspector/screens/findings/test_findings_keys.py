"""Filter, evidence and report of the findings."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from textual.pilot import Pilot

from core.errors import InspectorError
from core.model.finding import Evidence, Finding, NotKnown, Severity, Source, Verdict
from core.store.database.locate import Location
from core.store.store import Store
from inspector.app import InspectorApp
from inspector.screens.dialogs.save_report import ReportScreen
from inspector.screens.findings import screen as findings
from inspector.screens.findings.list_view import Advice, Group, place_of, proof, read_message
from inspector.screens.findings.screen import FindingsScreen
from inspector.screens.findings.sweep import Diagnosis, Step
from inspector.screens.workspace.screen import WorkspaceScreen
from tests.conftest import NOW
from tests.inspector.driving import front
from tests.inspector.screens.conftest import INK, answer, drawn, press, settle


def finding(rule: str, *evidence: Evidence) -> Finding:
    return Finding(rule, "x", Severity.INFO, "", Verdict.PROVED, evidence=evidence)


@pytest.mark.parametrize(
    ("found", "place"),
    [
        (finding("C4", Evidence(Source.DATABASE, "message 582", "")), ("map", 582)),
        (finding("E6", Evidence(Source.DATABASE, "messages 71, 90, 112", "")), ("map", 71)),
        (finding("D1", Evidence(Source.DERIVED, "messages 3 to 9", "")), ("map", None)),
        (finding("A2", Evidence(Source.LOG, "agent.log:12", "")), ("why", None)),
        (finding("E3", Evidence(Source.DATABASE, "sessions 2026_11", "")), ("chain", None)),
        (finding("F9"), ("usage", None)),
        (finding("G6"), ("cache", None)),
    ],
)
def test_a_finding_opens_where_its_evidence_is(found: Finding, place: tuple[str, int | None]) -> None:
    assert place_of(found) == place


def shown(app: InspectorApp) -> type:
    return type(app.screen)


def _found(row: object) -> Finding:
    assert isinstance(row, Diagnosis)
    return row.finding


async def findings_of(pilot: Pilot[None]) -> FindingsScreen:
    """The screen the app was opened on: the list below it is not measured."""
    await settle(pilot)
    return front(pilot.app, FindingsScreen)


async def test_the_filter_keeps_what_holds_every_word_escape_leaves_it_and_nothing_has_no_card(
    samples: Location,
) -> None:
    app = InspectorApp([samples], view="findings", now=lambda: NOW)
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await findings_of(pilot)
        everything = screen.diagnoses.rows.count
        await press(pilot, "slash", *"c4 warning", "enter")
        places = range(1, screen.diagnoses.rows.count)  # below the title of their group
        below = [screen.diagnoses.rows.row(place) for place in places]
        rows = [row for row in below if not isinstance(row, Advice)]
        assert 0 < len(rows) < everything
        assert {_found(row).rule for row in rows} == {"C4"}
        await press(pilot, "escape")
        assert app.screen is screen
        assert screen.diagnoses.rows.count == everything
        assert screen.card.text
        await press(pilot, "slash", *"zzzz", "enter")
        assert "No finding contains these words." in drawn(pilot)
        assert not screen.card.text


async def test_enter_shows_the_message_a_finding_goes_by(samples: Location) -> None:
    app = InspectorApp([samples], view="findings", now=lambda: NOW)
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await findings_of(pilot)
        await press(pilot, "slash", *"c7", "enter")
        row = screen.diagnoses.current
        wanted = place_of(_found(row))[1]
        await press(pilot, "enter")
        assert isinstance(app.screen, WorkspaceScreen)
        assert app.screen.cursor.row == wanted is not None


async def test_the_message_that_a_finding_goes_by_is_read_out_below_its_evidence(samples: Location) -> None:
    app = InspectorApp([samples], view="findings", now=lambda: NOW)
    async with app.run_test(size=(160, 45)) as pilot:
        screen = await findings_of(pilot)
        await press(pilot, "slash", *"c7", "enter")
        await settle(pilot)
        row = screen.diagnoses.current
        assert isinstance(row, Diagnosis)
        with Store(row.location) as store:
            (whole,) = read_message(place_of(row.finding)[1] or 0, store)
        assert " ".join(whole.text.split()[-5:]) in " ".join(screen.card.text.split())


async def test_a_report_is_written_once(
    samples: Location, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    app = InspectorApp([samples], view="findings", now=lambda: NOW)
    async with app.run_test(size=(120, 40)) as pilot:
        await findings_of(pilot)
        await press(pilot, "e", "enter")
        assert shown(app) is FindingsScreen
        (report,) = tmp_path.iterdir()
        text = report.read_text("utf-8")
        assert "## Findings" in text
        await press(pilot, "e", "enter")
        assert shown(app) is ReportScreen
        assert report.read_text("utf-8") == text


async def test_an_empty_store_is_examined_to_the_end_and_says_of_what(
    samples: Location, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(findings, "examine_all", lambda *_: iter([Step(0, 0)]))
    app = InspectorApp([samples], view="findings", now=lambda: NOW)
    async with app.run_test(size=(120, 40)) as pilot:
        await findings_of(pilot)
        shown = drawn(pilot)
        assert "● Nothing is wrong." in shown
        assert "Every rule was checked against the database, its log" in shown
        assert "checking" not in shown


async def test_rules_without_evidence_are_one_line_that_opens(
    samples: Location, monkeypatch: pytest.MonkeyPatch
) -> None:
    unknown = tuple(NotKnown(f"F{place}", "some-rule", "nobody says") for place in range(5))
    steps = [Step(1, 1, unknown=unknown)]
    monkeypatch.setattr(findings, "examine_all", lambda *_: iter(steps))
    app = InspectorApp([samples], view="findings", now=lambda: NOW)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await findings_of(pilot)
        assert screen.diagnoses.rows.count == 1
        assert "5 checks lacked data" in drawn(pilot)
        await press(pilot, "enter")
        assert screen.diagnoses.rows.count == 6
        await press(pilot, "G", "g", "enter")
        assert screen.diagnoses.rows.count == 1


async def test_an_examination_that_broke_off_does_not_say_that_nothing_is_wrong(
    samples: Location, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> Iterator[Step]:
        yield Step(3, 9)
        raise InspectorError("the disk is gone")

    monkeypatch.setattr(findings, "examine_all", broken)
    app = InspectorApp([samples], view="findings", now=lambda: NOW)
    async with app.run_test(size=(120, 24)) as pilot:
        await findings_of(pilot)
        assert "stopped at" in drawn(pilot)
        assert "Nothing to report" not in drawn(pilot)


async def test_rows_stay_where_they_are_until_all_is_examined(
    samples: Location, monkeypatch: pytest.MonkeyPatch
) -> None:
    let_go = threading.Event()

    def slowly(*_: object) -> Iterator[Step]:
        yield Step(1, 2, (HELPED,))
        let_go.wait(20)
        yield Step(2, 2)

    monkeypatch.setattr(findings, "examine_all", slowly)
    app = InspectorApp([samples], view="findings", now=lambda: NOW)
    async with app.run_test(size=(160, 45)) as pilot:
        await pilot.pause(0.3)
        rows = front(app, FindingsScreen).diagnoses.rows
        assert [type(rows.row(place)) for place in range(rows.count)] == [Group, Diagnosis]
        let_go.set()
        rows = (await findings_of(pilot)).diagnoses.rows
        assert [type(rows.row(place)) for place in range(rows.count)] == [Group, Diagnosis, Advice]


HELPED = Diagnosis(
    Finding("A1", "x", Severity.WARNING, "It is so.", Verdict.PROVED, session="s1", remedy="Do this"),
    Location(Path("s.db")),
)


async def test_a_check_that_lacked_data_is_not_said_to_be_about_the_database(
    samples: Location, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = [Step(1, 1, unknown=(NotKnown("D4", "x", "the window is unknown", "whether it is so"),))]
    monkeypatch.setattr(findings, "examine_all", lambda *_: iter(steps))
    app = InspectorApp([samples], view="findings", now=lambda: NOW)
    async with app.run_test(size=(120, 30)) as pilot:
        await findings_of(pilot)
        await press(pilot, "enter")
        assert [one.message for one in app._notifications] == [
            "There is nothing to open: this was not checked."
        ]


def test_what_the_sentence_says_is_not_a_number_to_show_again() -> None:
    said = Finding(
        "C7", "x", Severity.INFO, "The newest: it may", Verdict.PROVED, numbers={"what": "The newest"}
    )
    assert not list(proof(Diagnosis(said, Location(Path("s.db"))), 80, INK))


async def test_a_report_into_the_home_of_a_user_whom_this_machine_does_not_know_is_refused(
    samples: Location, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    app = InspectorApp([samples], view="findings", now=lambda: NOW)
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        await findings_of(pilot)
        await press(pilot, "e")
        await answer(pilot, "~nobody-here/report.md")
        assert shown(app) is ReportScreen
        assert "~nobody-here/report.md: cannot be written" in " ".join(drawn(pilot).split())
