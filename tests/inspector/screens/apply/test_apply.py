"""Applying from the app: reviewed, confirmed by typing, written, undone."""

from __future__ import annotations

import hashlib
import re
import shutil
import sqlite3
import sys
from contextlib import closing, nullcontext
from dataclasses import replace
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import TextArea

from core.apply import rehearse
from core.errors import UsageError
from core.model.compaction.apply import ApplyMode, Rehearsal
from core.model.compaction.preview import Preview
from core.store.database.locate import Location, locate
from core.store.store import Store
from core.support.own_files import journal_file
from inspector.base.commands import hint
from inspector.base.live import OUTDATED
from inspector.screens.apply.model import Stage
from inspector.screens.apply.screen import ApplyScreen
from inspector.screens.apply.undo import UndoScreen
from inspector.screens.apply.work import next_mode, short_id
from inspector.screens.workspace.preview.next_screens import EditSummary, edit_text
from inspector.screens.workspace.preview.view import PreviewView
from inspector.widgets.panes.text_pane import LongText, TextPane
from tests.hostile import HOSTILE, harmful
from tests.inspector.driving import at_sizes, front, settled
from tests.inspector.screens.conftest import answer, drawn, open_app, press, settle

TITLE = "Split the tenant settings table"


@pytest.fixture
def own(samples: Location, tmp_path: Path) -> Location:
    """A copy of the sample home that may be written to."""
    assert samples.home is not None
    home = shutil.copytree(samples.home, tmp_path / "home")
    return locate(home=home, profile="default")[0]


def dump(location: Location) -> str:
    """Every row of every table that Hermes owns."""
    with closing(sqlite3.connect(f"file:{location.db}?mode=ro", uri=True)) as connection:
        text = "\n".join(line for line in connection.iterdump() if "_fts" not in line)
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


async def review(pilot: Pilot[None]) -> ApplyScreen:
    """From the preview to the review."""
    await settle(pilot)
    await press(pilot, "A")
    return front(pilot.app, ApplyScreen)


def stage(screen: ApplyScreen) -> Stage:
    return screen.stage


def shown(screen: ApplyScreen) -> str:
    return screen.query_one(TextPane).text


async def test_the_review_names_the_rows_for_each_way_of_writing_and_changes_nothing(own: Location) -> None:
    before = dump(own)
    async with open_app(own, TITLE, "preview").run_test(size=(120, 40)) as pilot:
        screen = await review(pilot)
        assert stage(screen) is Stage.REVIEW, shown(screen)
        assert "archived" in shown(screen)
        assert "✓ unchanged" in shown(screen)
        assert "can write" in drawn(pilot)
        assert "in place:" in shown(screen)
        assert " with the text that Hermes itself puts around a summary" in " ".join(shown(screen).split())
        await press(pilot, "m")
        assert "continuation:" in shown(screen)
        await press(pilot, "m")
        assert "fork:" in shown(screen)
    assert dump(own) == before


async def test_a_short_terminal_shows_the_whole_review_and_a_wrong_id_writes_nothing(own: Location) -> None:
    before = dump(own)
    async with open_app(own, TITLE, "preview").run_test(size=(80, 24)) as pilot:
        screen = await review(pilot)
        assert "integrity" in " ".join(drawn(pilot).split())
        assert screen.query_one(TextPane).max_scroll_y == 0
        await press(pilot, "W")
        short = short_id(screen.proposal.session_id)
        assert f"type {short} to write the end of the session's id; esc writes nothing" in drawn(pilot)
        await answer(pilot, "nonsense")
        assert stage(screen) is Stage.REVIEW
    assert dump(own) == before


async def test_what_was_written_is_taken_back_row_by_row(own: Location) -> None:
    before = dump(own)
    async with open_app(own, TITLE, "preview").run_test(size=(120, 40)) as pilot:
        screen = await review(pilot)
        await press(pilot, "W")
        await answer(pilot, short_id(screen.proposal.session_id))
        assert stage(screen) is Stage.APPLIED, shown(screen)
        told = " ".join(drawn(pilot).split())
        assert told.startswith(f"{TITLE} · apply the compaction · written ● Compressed: ")
        assert "messages. Written, read back and identical; U undoes it. Approx request size: ~" in told
        assert dump(own) != before
        await press(pilot, "U")
        assert stage(screen) is Stage.APPLIED
        assert "U once more undoes it; esc leaves it written." in drawn(pilot)
        await press(pilot, "escape")
        assert "U undoes it." in " ".join(drawn(pilot).split())
        assert dump(own) != before
        await press(pilot, "U", "U")
        assert stage(screen) is Stage.UNDONE, shown(screen)
        told = " ".join(shown(screen).split())
        assert re.search(r"rows \d+ put back, \d+ taken out", told)
        assert f"hermes --resume {screen.proposal.session_id}" in told
        assert "again esc, then A, writes it once more" in told
    assert dump(own) == before


async def test_back_in_the_preview_the_new_generation_is_seen(own: Location) -> None:
    async with open_app(own, TITLE, "preview").run_test(size=(170, 40)) as pilot:
        screen = await review(pilot)
        made = pilot.app.screen_stack[-2].query_one(PreviewView).work.shown
        assert made is not None
        await press(pilot, "W")
        await answer(pilot, short_id(screen.proposal.session_id))
        await press(pilot, "escape")
        assert "generation 2 of 2" in drawn(pilot)
        after = pilot.app.screen.query_one(PreviewView).work.shown
        assert after is not None
        assert len(after.before) == len(made.after) < len(made.before)
        assert hint(OUTDATED) not in drawn(pilot)
        await press(pilot, "U")
        await press(pilot, "U")
        await press(pilot, "escape")
        again = pilot.app.screen.query_one(PreviewView).work.shown
        assert again is not None
        assert again.before == made.before
        assert hint(OUTDATED) not in drawn(pilot)


async def test_a_review_that_wrote_nothing_leaves_the_preview_as_it_was(own: Location) -> None:
    async with open_app(own, TITLE, "preview").run_test(size=(170, 40)) as pilot:
        await review(pilot)
        made = pilot.app.screen_stack[-2].query_one(PreviewView).work.shown
        await press(pilot, "escape")
        assert pilot.app.screen.query_one(PreviewView).work.shown is made
        assert hint(OUTDATED) not in drawn(pilot)


async def test_a_fallback_is_written_only_when_it_is_named(own: Location) -> None:
    before = dump(own)
    async with open_app(own, TITLE, "preview").run_test(size=(120, 40)) as pilot:
        screen = await review(pilot)
        screen.proposal = replace(screen.proposal, failure="the key was refused")
        short = short_id(screen.proposal.session_id)
        await press(pilot, "m", "m", "m")
        assert "No model wrote this summary: the call failed (the key was refused)" in " ".join(
            shown(screen).split()
        )
        await press(pilot, "W")
        await answer(pilot, short)
        assert stage(screen) is Stage.REVIEW
        assert dump(own) == before
        await press(pilot, "W")
        await answer(pilot, f"fallback {short}")
        assert stage(screen) is Stage.APPLIED, shown(screen)


async def test_a_session_hermes_is_compressing_cannot_be_written(own: Location) -> None:
    async with settled(open_app(own, TITLE, "preview"), 120, 40) as pilot:
        view = pilot.app.screen.query_one(PreviewView)
        assert view.subject is not None
        tip = view.subject.conversation.tip.id
        with closing(sqlite3.connect(own.db)) as connection:
            connection.execute(
                "INSERT INTO compression_locks VALUES (?, 'pid=1:tid=1:agent=a:nonce=b', 1, 9e12)", (tip,)
            )
            connection.commit()
        screen = await review(pilot)
        assert "■ lock" in shown(screen)
        await press(pilot, "W")
        assert stage(screen) is Stage.REVIEW
        assert not screen.query_one("PromptBar").has_class("-asking")


async def test_what_others_wrote_into_the_lock_is_drawn_and_not_obeyed(own: Location) -> None:
    async with settled(open_app(own, TITLE, "preview")) as pilot:
        view = pilot.app.screen.query_one(PreviewView)
        assert view.subject is not None
        tip = view.subject.conversation.tip.id
        with closing(sqlite3.connect(own.db)) as connection:
            holder = "".join(HOSTILE[name] for name in ("clear screen", "clipboard write", "bidi override"))
            connection.execute("INSERT INTO compression_locks VALUES (?, ?, 1, 9e12)", (tip, holder))
            connection.commit()
        screen = await review(pilot)
        async for _ in at_sizes(pilot, (60, 24), (80, 24), (120, 24)):
            # At the top of the checks, where a short terminal shows it.
            assert "checks    ■ lock" in " ".join(shown(screen).split("\n"))
            assert not any(harmful(line) for line in drawn(pilot).split("\n"))


async def test_an_edited_summary_is_the_one_previewed(own: Location) -> None:
    async with settled(open_app(own, TITLE, "preview"), 120, 40) as pilot:
        await press(pilot, "E")
        screen = front(pilot.app, EditSummary)
        screen.query_one(TextArea).load_text("## Goal\nKeep the tenant table whole.")
        await press(pilot, "ctrl+s")
        view = pilot.app.screen.query_one(PreviewView)
        assert view.work.shown is not None
        assert "Keep the tenant table whole." in view.work.shown.summary
        assert view.work.shown.made_by == "your own text"


async def test_where_no_editor_can_open_as_in_a_browser_the_text_stays(
    own: Location, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EDITOR", "true")
    async with settled(open_app(own, TITLE, "preview"), 120, 40) as pilot:
        await press(pilot, "E")
        front(pilot.app, EditSummary).query_one(TextArea).load_text("## Goal")
        await press(pilot, "ctrl+o")
        assert front(pilot.app, EditSummary).query_one(TextArea).text == "## Goal"


def test_the_users_own_editor_changes_the_text() -> None:
    program = "import sys, pathlib; p = pathlib.Path(sys.argv[1]); p.write_text(p.read_text() + ' and more')"
    assert edit_text("a summary", [sys.executable, "-c", program]) == "a summary and more"
    assert edit_text("a summary", ["no-such-editor-anywhere"]) is None
    assert edit_text("a summary", [sys.executable, "-c", "raise SystemExit(1)"]) is None


@pytest.mark.parametrize("named", ["", " ", "vim '"])
async def test_an_editor_that_is_not_named_as_a_shell_would_read_it_is_none(
    own: Location, monkeypatch: pytest.MonkeyPatch, named: str
) -> None:
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", named)
    monkeypatch.setattr("textual.app.App.suspend", lambda _: nullcontext())
    async with settled(open_app(own, TITLE, "preview"), 120, 40, notifications=True) as pilot:
        await press(pilot, "E", "ctrl+o")
        assert "Set $VISUAL or $EDITOR to use an editor." in drawn(pilot)


async def test_a_way_of_writing_that_cannot_be_rehearsed_leads_on_to_the_next(
    own: Location, monkeypatch: pytest.MonkeyPatch
) -> None:
    rehearsed = rehearse.rehearse

    def but_one(store: Store, session: str, preview: Preview, mode: ApplyMode | None) -> Rehearsal:
        if mode is ApplyMode.CONTINUATION:
            raise UsageError("not here")
        return rehearsed(store, session, preview, mode)

    monkeypatch.setattr(rehearse, "rehearse", but_one)
    async with open_app(own, TITLE, "preview").run_test(size=(120, 40)) as pilot:
        screen = await review(pilot)
        await press(pilot, "m")
        assert stage(screen) is Stage.FAILED
        await press(pilot, "m")
        assert "fork:" in shown(screen)


async def test_a_journal_that_cannot_be_read_is_reported_and_nothing_is_undone(
    own: Location, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal_file(own.db).parent.mkdir(parents=True, exist_ok=True)
    journal_file(own.db).write_bytes(b"damaged" * 2_000)
    running, told = open_app(own, TITLE, "preview"), list[str]()
    monkeypatch.setattr(running, "notify", lambda message, **_: told.append(message))
    async with settled(running, 120, 40) as pilot:
        await press(pilot, "U")
        assert any(journal_file(own.db).name in one for one in told)


def test_the_short_id_is_the_end_of_the_id() -> None:
    assert short_id("20261121_131129_4d1786") == "4d1786"
    assert short_id("a-very-long-plain-name") == "ain-name"


def test_the_ways_go_round() -> None:
    assert next_mode(tuple(ApplyMode), ApplyMode.FORK) is ApplyMode.IN_PLACE


async def test_what_was_written_can_be_taken_back_after_leaving(own: Location) -> None:
    before = dump(own)
    async with open_app(own, TITLE, "preview").run_test(size=(80, 24)) as pilot:
        screen = await review(pilot)
        await press(pilot, "W")
        await answer(pilot, short_id(screen.proposal.session_id))
        await press(pilot, "escape")
        assert dump(own) != before
        await press(pilot, "U")
        assert isinstance(pilot.app.screen, UndoScreen)
        assert "that this compaction replaced" in drawn(pilot)
        assert dump(own) != before
        await press(pilot, "U")
        assert drawn(pilot).startswith(f" {TITLE} · undo · written 20")
        assert "Undone: every row is as it was." in drawn(pilot)
        assert " put back, " in drawn(pilot)
        assert f"hermes --resume {screen.proposal.session_id}" in drawn(pilot)
        assert "in place" not in drawn(pilot)  # nothing is in the place of anything any more
        assert "hermes-inspector undo" not in drawn(pilot)  # once is enough
        await press(pilot, "escape")
    assert dump(own) == before


async def test_undo_first_lists_what_it_brings_back_and_takes_out(own: Location) -> None:
    async with open_app(own, TITLE, "preview").run_test(size=(80, 24)) as pilot:
        screen = await review(pilot)
        await press(pilot, "W")
        await answer(pilot, short_id(screen.proposal.session_id))
        await press(pilot, "escape", "U")
        await settle(pilot)
        text = drawn(pilot)
        assert re.search(r"sizes +\d+ → \d+ messages, ~[\d,]+ → ~[\d,]+ tokens in them", text)
        assert re.search(r"rows +\d+ replaced, \d+ written · [\d,]+ bytes in the journal", text)
        assert re.search(r"U brings back \d+ messages\s+0 ○ user", text)
        assert "…" not in text.partition("U brings back")[0]
        assert not pilot.app.screen.query_one(LongText).display
        async for _ in at_sizes(pilot, (200, 60)):
            assert "U takes this summary out:" in drawn(pilot)
            assert "## Goal" in drawn(pilot)
        await press(pilot, "U")
        assert not pilot.app.screen.query_one(LongText).display


def _tokens(text: str) -> list[int]:
    found = re.search(r"~([\d,]+) → ~([\d,]+) tokens in them", text)
    assert found is not None, text
    return [int(one.replace(",", "")) for one in found.groups()]


async def test_review_and_undo_give_one_compaction_the_same_sizes(own: Location) -> None:
    async with open_app(own, TITLE, "preview").run_test(size=(120, 40)) as pilot:
        screen = await review(pilot)
        reviewed = _tokens(shown(screen))
        await press(pilot, "W")
        await answer(pilot, short_id(screen.proposal.session_id))
        await press(pilot, "escape", "U")
        await settle(pilot)
        written = _tokens(drawn(pilot))
    assert written[0] == reviewed[0]
    assert abs(written[1] - reviewed[1]) <= 1  # the new row's time is counted too, by its digits


@pytest.mark.parametrize(
    ("ways", "happens", "undoing"),
    [
        (1, "this one is closed", "removes the new session and reopens the one that it closed"),
        (2, "this one does not change", "removes the new session"),
    ],
    ids=["continuation", "fork"],
)
async def test_of_a_new_session_no_rows_are_said_to_be_replaced(
    own: Location, ways: int, happens: str, undoing: str
) -> None:
    async with open_app(own, TITLE, "preview").run_test(size=(120, 40)) as pilot:
        screen = await review(pilot)
        await press(pilot, *("m",) * ways)
        assert f"109 rows written, {happens}. Nothing is written yet" in " ".join(drawn(pilot).split())
        assert "archived" not in shown(screen)
        await press(pilot, "W")
        await answer(pilot, short_id(screen.proposal.session_id))
        await press(pilot, "escape", "U")
        await settle(pilot)
        told = " ".join(drawn(pilot).split())
        assert f"U {undoing}. It refuses if Hermes has continued since." in told
        assert "rows 109 written" in told
        await press(pilot, "U")
        assert "rows 109 taken out" in " ".join(drawn(pilot).split())


async def test_a_conversation_opened_by_the_session_that_an_undo_removes_stays_open(own: Location) -> None:
    async with open_app(own, TITLE, "preview").run_test(size=(120, 40)) as pilot:
        screen = await review(pilot)
        await press(pilot, "m", "W")
        await answer(pilot, short_id(screen.proposal.session_id))
        assert stage(screen) is Stage.APPLIED, shown(screen)
        (written,) = re.findall(r"hermes --resume (\S+)", drawn(pilot))
    async with open_app(own, written, "preview").run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        assert "generation 2 of 2" in drawn(pilot)
        await press(pilot, "U", "U")
        assert "Undone: every row is as it was." in drawn(pilot)
        await press(pilot, "escape")
        assert "no session" not in drawn(pilot)
        assert "generation" not in drawn(pilot).splitlines()[0]
        assert re.search(r"\d+ of \d+ messages become one summary", drawn(pilot))


async def test_nothing_written_is_nothing_to_take_back(own: Location) -> None:
    async with settled(open_app(own, TITLE, "preview"), 80, 24, notifications=True) as pilot:
        await press(pilot, "U")
        assert not isinstance(pilot.app.screen, UndoScreen)
        assert "has written nothing" in drawn(pilot)


async def test_a_wide_review_shows_the_summary_that_would_be_written(own: Location) -> None:
    async with open_app(own, TITLE, "preview").run_test(size=(200, 60)) as pilot:
        screen = await review(pilot)
        assert screen._review is not None
        row = next(one for one in screen._review.rehearsal.inserted if one.is_summary)
        text = screen.query_one(LongText)
        assert text.text.split() == row.values["content"].split()
        assert "## Goal" in drawn(pilot)
        async for _ in at_sizes(pilot, (120, 40)):
            assert not text.display
            assert "✓ unchanged" in drawn(pilot)


async def test_the_review_says_first_that_writing_would_save_nothing(own: Location) -> None:
    async with open_app(own, "Check the backups", "preview").run_test(size=(120, 40)) as pilot:
        screen = await review(pilot)
        assert stage(screen) is Stage.REVIEW, shown(screen)
        told = " ".join(drawn(pilot).split())
        assert "▲ It saves nothing: what is written is at least as long as what it replaces." in told
