"""Context engines of others: named by the configuration, or shown by what they wrote."""

from __future__ import annotations

from core.explain.compactions.foreign_engine import foreign_engine
from core.explain.diagnose.diagnose import examine
from core.explain.events import explain
from core.explain.explanation import Explanation
from core.model.compaction.event import SummaryStatus, Trigger
from core.model.finding import FindingGroup, Verdict
from core.model.transcript.conversation import BoundaryMode
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
        return explain(store, "S")


def test_a_configured_engine_takes_the_threshold_out_of_force(begun: MakeHome) -> None:
    home = begun(config=FOREIGN)
    home.talk(1)
    (home.path / "lcm_store.db").write_bytes(b"x" * 2_000)
    (home.path / "lcm_moved.db").symlink_to(home.path / "nowhere")
    (home.path / "plugins" / "lcm").mkdir(parents=True)
    notes = told(home).notes
    assert any("'lcm', so Hermes' own threshold is not in force" in note for note in notes)
    assert any("2,000 bytes in lcm_store.db" in note for note in notes)
    assert any(note.startswith("it is loaded from ") for note in notes)


def test_an_engine_that_was_not_found_decides_nothing(begun: MakeHome) -> None:
    home = begun(config=FOREIGN)
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
    assert "the context engine has its own threshold" in event.arithmetic
    with home.store() as store:
        (found,) = (finding for finding in examine(store, "S").findings if finding.rule == "N1")
    assert found.group is FindingGroup.GOOD_TO_KNOW, "another engine is a choice, and nothing to fix"


def test_the_built_in_one_is_not_a_foreigner(begun: MakeHome) -> None:
    home = begun("0.22")
    home.talk(7)
    home.compact()
    with home.store() as store:
        assert foreign_engine(explain(store, "S").context) is None


def test_rows_that_are_missing_are_reported_with_the_reasons(begun: MakeHome) -> None:
    home = begun()
    home.talk(2)
    home.db.connection.execute("UPDATE sessions SET message_count = 20 WHERE id = 'S'")
    assert any("counts 20 live messages, 8 of them could be read" in note for note in told(home).notes)


def engine_lines(home: Home, before: int) -> None:
    """The lines around a compaction of another engine in 0.22: its record names no number."""
    home.call(3, 29_383)
    home.line("Pre-API compression: ~31,869 request tokens >= 30,000 threshold (context=64,000, attempt=1/3)")
    home.started(31_869, before, tag=None)
    home.done(before, 8, 9_000, tag=None)
    home.telemetry(trigger_source="pre_api", commit_status="committed", method="none", route="hermes")


def test_the_short_record_of_another_engine_belongs_to_the_attempt_before_it(begun: MakeHome) -> None:
    home = begun("0.22", config=FOREIGN)
    home.turn()
    home.talk(7)
    engine_lines(home, 28)
    (event,) = told(home).events
    assert (event.trigger, event.verdict) == (Trigger.PRE_API, Verdict.PROVED)
    assert (event.tokens, event.threshold, event.window) == (31_869, 30_000, 64_000)
    assert any(one.text.startswith("Pre-API") for one in event.evidence)


def test_a_record_that_names_no_trigger_leaves_the_cause_to_the_lines_before_it(begun: MakeHome) -> None:
    home = begun("0.22")
    home.turn()
    home.talk(7)
    home.call(3, 29_383)
    home.line("Pre-API compression: ~31,869 request tokens >= 30,000 threshold (context=64,000, attempt=1/3)")
    home.started(31_869, 28, tag=None)
    home.done(28, 8, 9_000, tag=None)
    home.telemetry(commit_status="committed")
    (event,) = told(home).events
    assert (event.trigger, event.verdict, event.threshold) == (Trigger.PRE_API, Verdict.PROVED, 30_000)


def test_from_0_20_on_a_line_without_a_tag_was_written_by_a_thread_of_the_turn(begun: MakeHome) -> None:
    home = begun("0.19")
    home.db.connection.execute("UPDATE schema_version SET version = 25")
    home.turn()
    home.talk(7)
    home.call(3, 31_869)
    home.started(31_869, 28, tag=None)
    home.done(28, 8, 9_000, tag=None)
    (event,) = told(home).events
    assert event.trigger is Trigger.POST_RESPONSE


def test_a_threshold_of_hermes_is_not_shown_for_another_engine(begun: MakeHome) -> None:
    home = begun(config=FOREIGN)
    home.turn()
    home.talk(7)
    home.turn_ended()
    home.started(17_000, 28, tag=None)
    home.done(28, 8, 7_000, tag=None)
    (event,) = told(home).events
    assert (event.trigger, event.threshold) == (Trigger.MANUAL, None)
    assert "the context engine 'lcm' has its own threshold" in event.arithmetic


def test_an_engine_that_asked_below_its_threshold_names_both_numbers(begun: MakeHome) -> None:
    home = begun("0.22", config=FOREIGN)
    home.turn()
    home.talk(7)
    told_by = "Engine-driven preflight maintenance: tiny requested compress() at"
    home.line(f"{told_by} ~17,278 tokens (below 30,000 threshold)")
    home.started(17_278, 28, tag=None)
    (event,) = told(home).events
    assert (event.trigger, event.tokens, event.threshold) == (Trigger.ENGINE, 17_278, 30_000)


def test_what_another_engine_left_in_place_is_counted_by_its_rows(begun: MakeHome) -> None:
    home = begun()
    home.talk(7)
    old, at = home.db.live("S"), home.db.tick()
    home.db.mark(old, active=0, compacted=1)
    new = [home.db.copy(old[0]), home.db.message("S", "assistant", "[digest 1] folded")]
    new += [home.db.copy(row) for row in old[-4:]]
    for number, row in enumerate(new):
        home.db.mark([row], timestamp=at + number * 1e-6)
    home.talk(1)
    (event,) = told(home).events
    assert (event.trigger, event.verdict) == (Trigger.UNKNOWN, Verdict.UNKNOWN)
    assert (event.messages_before, event.messages_after) == (28, 6)


def test_a_digest_of_another_engine_is_an_event_without_a_log(begun: MakeHome) -> None:
    home = begun(config=FOREIGN)
    home.talk(7)
    old = home.db.live("S")
    home.db.mark(old, active=0, compacted=1)
    at = home.db.tick()
    home.db.message("S", "user", "[digest]", timestamp=at)
    for row in old[-4:]:
        home.db.copy(row, timestamp=at)
    (event,) = told(home).events
    assert (event.mode, event.at and event.at.timestamp()) == (BoundaryMode.IN_PLACE, at)
    assert (event.trigger, event.verdict) == (Trigger.UNKNOWN, Verdict.UNKNOWN)
    assert (event.messages_before, event.messages_after) == (28, 5)
    assert any("holds no summary of Hermes' own: '[digest]'" in note for note in told(home).notes)


def test_a_summary_in_hermes_form_is_nobodys_while_another_engine_is_in_charge(begun: MakeHome) -> None:
    home = begun("0.22", config=FOREIGN)
    home.talk(7)
    home.db.compact("S", 3, 4, "kept")
    home.talk(1)
    (event,) = told(home).events
    assert event.summary.status is SummaryStatus.UNKNOWN
    assert event.summary.model is None


def test_the_same_summary_is_a_models_where_hermes_decides(begun: MakeHome) -> None:
    home = begun("0.22")
    home.talk(7)
    home.db.compact("S", 3, 4, "kept")
    home.talk(1)
    (event,) = told(home).events
    assert event.summary.status is SummaryStatus.MODEL


def test_an_engine_loaded_after_one_was_not_found_is_in_charge(begun: MakeHome) -> None:
    home = begun(config=FOREIGN)
    home.line("Context engine 'lcm' not found — falling back to built-in compressor", level="WARNING")
    home.line("Plugin 'hermes-lcm' registered context engine: lcm", tag=None)
    home.turn()
    home.talk(1)
    notes = told(home).notes
    assert any("'lcm', so Hermes' own threshold is not in force" in note for note in notes)
    assert not any("was not found" in note for note in notes)


def test_a_summary_written_next_to_an_engine_since_taken_away_is_not_a_models_for_sure(
    begun: MakeHome,
) -> None:
    home = begun()
    home.line("Plugin 'inspector' registered context engine: inspector", tag=None)
    home.turn()
    home.talk(7)
    home.started(17_000, 28)
    home.compact()
    home.done(28, 8, 7_000)
    (event,) = told(home).events
    assert event.summary is not None
    assert event.summary.status is SummaryStatus.UNKNOWN


LOADED = "Plugin 'lcm' registered context engine: lcm"
CLEARED = "Compression budget rearmed after provider-confirmed recovery: prompt=9,000 < threshold=25,600"


def with_an_engine(begun: MakeHome) -> Home:
    """A conversation in which an engine was loaded, in the release whose lines name its threshold."""
    home = begun("0.22", config=FOREIGN)
    home.line(LOADED, tag=None)
    home.turn()
    home.talk(7)
    home.call(3, 26_000)
    home.started(26_400, 28)
    return home


def test_the_threshold_an_engine_named_is_the_one_in_force(begun: MakeHome) -> None:
    home = with_an_engine(begun)
    home.done(28, 8, 9_000)
    home.line(f"{CLEARED} (attempts were 1/3)")
    found = told(home)
    (event,) = found.events
    assert (event.threshold, found.now.threshold) == (25_600, 25_600)
    assert any("so the threshold shown is the one it named in agent.log:" in note for note in found.notes)
    with home.store() as store:
        assert "A1" not in {finding.rule for finding in examine(store, "S").findings}


def test_what_hermes_compared_with_before_an_engine_came_is_not_the_engines(begun: MakeHome) -> None:
    home = begun("0.22", config=FOREIGN)
    home.turn()
    home.talk(7)
    home.line(f"{CLEARED} (attempts were 1/3)")
    home.line(LOADED, tag=None)
    home.turn()
    home.talk(1)
    assert told(home).now.threshold != 25_600


def test_an_engine_that_raises_is_reported_as_the_cause(begun: MakeHome) -> None:
    home = with_an_engine(begun)
    home.telemetry(commit_status="aborted", failure_class="exception:RuntimeError", method="none")
    (event,) = told(home).events
    assert (
        event.headline.sentence == "Compression failed: the context engine stopped it. Nothing was removed."
    )
    assert event.headline.remedy is not None
    assert "context.engine: compressor" in event.headline.remedy


def test_an_engine_that_gives_all_back_is_not_helped_by_hermes_own_threshold(begun: MakeHome) -> None:
    home = with_an_engine(begun)
    home.line("Compression made no progress (session=S) — skipping boundary rewrite.")
    (event,) = told(home).events
    assert "gave the conversation back as it was" in event.headline.sentence
    assert "compression.threshold" not in (event.headline.remedy or "")


def test_what_fires_too_often_is_not_helped_by_a_setting_the_engine_does_not_read(begun: MakeHome) -> None:
    home = with_an_engine(begun)
    home.done(28, 8, 9_000)
    home.line(f"{CLEARED} (attempts were 1/3)")
    for number in range(4, 7):
        home.call(number, 26_000)
        home.started(26_400, 28)
        home.done(28, 8, 9_000)
    with home.store() as store:
        found = {finding.rule: finding.remedy for finding in examine(store, "S").findings}
    assert found["B3"] is not None
    assert "compression.threshold" not in found["B3"]


def digested(home: Home, number: int) -> None:
    """What an engine leaves that puts its digest before an answer: Hermes joins the two."""
    old, at = home.db.live("S"), home.db.tick()
    home.db.mark(old, active=0, compacted=1)
    new = [home.db.copy(old[0]), home.db.message("S", "assistant", f"[digest {number}] folded")]
    new += [home.db.copy(row) for row in old[-3:]]
    for place, row in enumerate(new):
        home.db.mark([row], timestamp=at + place * 1e-6)


def test_a_digest_that_hermes_joins_with_the_answer_behind_it_is_not_a_disagreement(begun: MakeHome) -> None:
    """Run with 0.19 and 0.22.2: two compactions of one turn."""
    home = with_an_engine(begun)
    digested(home, 1)
    home.done(28, 5, 9_000)
    home.call(4, 11_000)
    home.db.message("S", "assistant", "", calls=[("again", "terminal", "{}")])
    home.db.message("S", "tool", "r" * 400, tool_call_id="again", tool_name="terminal")
    home.started(26_400, 5)
    digested(home, 2)
    home.done(5, 5, 9_000)
    assert [event.disagreements for event in told(home).events] == [(), ()]
