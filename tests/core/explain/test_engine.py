"""Context engines of others: named by the configuration, or shown by what they wrote."""

from __future__ import annotations

from core.explain.engine import foreign_engine
from core.explain.events import explained
from core.explain.explanation import Explanation
from core.explain.findings.examine import examine
from core.model.event import Trigger
from core.model.evidence import Verdict
from tests.core.explain.conftest import MakeHome
from tests.core.explain.home import CONFIG, Home

FOREIGN = CONFIG + "context:\n  engine: lcm\n"


def foreign_summary(home: Home) -> None:
    """A compaction whose summary is none of Hermes' own."""
    home.db.session("S")
    home.talk(7)
    rows = home.db.compact("S", 3, 4, "kept")
    home.db.mark([rows[3]], content="[Recent summary, node 3] things happened")
    home.talk(1)


def told(home: Home) -> Explanation:
    with home.store() as store:
        return explained(store, "S")[1]


def test_a_configured_engine_takes_the_threshold_out_of_force(make_home: MakeHome) -> None:
    home = make_home(config=FOREIGN)
    home.db.session("S")
    home.talk(1)
    (home.path / "lcm_store.db").write_bytes(b"x" * 2_000)
    (home.path / "plugins" / "lcm").mkdir(parents=True)
    notes = told(home).notes
    assert any("'lcm', so the threshold shown is not in force" in note for note in notes)
    assert any("2,000 bytes in lcm_store.db" in note for note in notes)
    assert any(note.startswith("it is loaded from ") for note in notes)


def test_an_engine_that_was_not_found_decides_nothing(make_home: MakeHome) -> None:
    home = make_home(config=FOREIGN)
    home.db.session("S")
    home.turn()
    home.line("Context engine 'lcm' not found — falling back to built-in compressor", level="WARNING")
    home.talk(1)
    notes = told(home).notes
    assert not any("not in force" in note for note in notes)
    assert any("'lcm' was not found, so Hermes' own decides" in note for note in notes)


def test_rows_show_an_engine_nobody_configured_any_more(make_home: MakeHome) -> None:
    home = make_home("0.22")
    foreign_summary(home)
    explanation = told(home)
    assert any("another context engine wrote this" in note for note in explanation.notes)
    (event,) = explanation.events
    assert (event.trigger, event.verdict) == (Trigger.UNKNOWN, Verdict.UNKNOWN)
    assert any("rules of its own" in line for line in event.arithmetic)
    with home.store() as store:
        assert "N1" in {finding.rule for finding in examine(store, "S").findings}


def test_the_built_in_one_is_no_foreigner(make_home: MakeHome) -> None:
    home = make_home("0.22")
    home.db.session("S")
    home.talk(7)
    home.compact()
    with home.store() as store:
        assert foreign_engine(explained(store, "S")[0]) is None


def test_rows_that_are_missing_are_told_with_the_reasons(make_home: MakeHome) -> None:
    home = make_home()
    home.db.session("S")
    home.talk(2)
    home.db.connection.execute("UPDATE sessions SET message_count = 20 WHERE id = 'S'")
    assert any("counts 20 live messages, 8 of them could be read" in note for note in told(home).notes)
