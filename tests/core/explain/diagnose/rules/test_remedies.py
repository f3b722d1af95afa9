"""What a finding advises can be done: every setting is one of Hermes', every command one there is."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from core.explain.diagnose.diagnose import examine
from core.explain.diagnose.registry import Found, Rule, rules
from core.hermes.config.config_values import key_specs
from core.model.finding import Finding, Severity
from core.store.database.locate import Location
from core.support.program_files import shared_table
from inspector.cli.registry import COMMANDS
from tests.core.explain.conftest import MakeHome
from tests.core.explain.diagnose.scene import LONG, Build, base, guarded, line, plain, twice
from tests.core.explain.diagnose.structure_scenes import ended
from tests.core.explain.diagnose.summary_scenes import failing, last_word
from tests.core.explain.diagnose.thrash_scenes import GAVE_UP, often
from tests.core.explain.diagnose.trigger_scenes import reading
from tests.core.explain.home import CONFIG, Home

OLDEST = "0.13"
SECTIONS = frozenset(key.partition(".")[0] for key in key_specs() if "." in key)
KEY = re.compile(rf"\b(?:{'|'.join(sorted(SECTIONS))})\.[a-z_.]*[a-z_]")
OWN = re.compile(r"hermes-inspector ([a-z-]+)")
SLASH = re.compile(r"(?<![\w`])/([a-z]+)")
EVERYWHERE = {"compress", "new", "undo", "retry", "branch", "sessions", "resume"}
"""Commands that every release from 0.13 to 0.22 has."""

ADVICE = {
    **{key: rule.helps for key, rule in rules().items()},
    **{
        cause: entry["helps"]
        for cause, entry in shared_table("core/explain/headline/cache_breaks.yaml")["causes"].items()
    },
}


@pytest.mark.parametrize("rule", ADVICE)
def test_a_remedy_names_settings_and_commands_of_every_release(rule: str) -> None:
    known = [name for name, spec in key_specs().items() if spec.known_to(OLDEST)]
    named = [key for key in KEY.findall(ADVICE[rule]) if not key.endswith((".yaml", ".log"))]
    assert [key for key in named if not any(f"{one}.".startswith(f"{key}.") for one in known)] == []
    assert set(OWN.findall(ADVICE[rule])) <= set(COMMANDS)
    assert set(SLASH.findall(ADVICE[rule])) <= EVERYWHERE


def finding(home: Home, build: Build, rule: str) -> Finding:
    build(home)
    with home.store() as store:
        return next(one for one in examine(store, "S").findings if one.rule == rule)


def window(tokens: int, section: str = "") -> str:
    return CONFIG.replace("64000", str(tokens)) + section


@pytest.mark.parametrize(
    ("release", "tokens", "remedy"),
    [
        ("0.13", 600_000, "Set a lower compression.threshold in"),
        ("0.19", 1_000_000, "Set a lower compression.threshold in"),
        ("0.19", 400_000, "Set a lower model.context_length in config.yaml (75% is"),
        ("0.22", 400_000, "Set compression.threshold_tokens in"),
    ],
)
def test_a_threshold_is_lowered_by_what_the_release_goes_by(
    make_home: MakeHome, release: str, tokens: int, remedy: str
) -> None:
    found = finding(make_home(release, window(tokens)), reading(9_000_000, 200_000), "A3")
    assert found.remedy.startswith(remedy)


@pytest.mark.parametrize(
    ("release", "tokens", "section", "remedy"),
    [
        ("0.22", 64_000, "compression:\n  threshold_tokens: 30000\n", "Raise compression.threshold_tokens"),
        (
            "0.19",
            200_000,
            "auxiliary:\n  compression:\n    context_length: 70000\n",
            "Set auxiliary.compression.model",
        ),
        ("0.19", 100_000, "  max_tokens: 60000\n", "Lower model.max_tokens: 60,000 of the window"),
    ],
)
def test_a_threshold_is_raised_by_what_holds_it_down(
    make_home: MakeHome, release: str, tokens: int, section: str, remedy: str
) -> None:
    home = make_home(release, window(tokens, section))
    assert finding(home, often(60), "B3").remedy.startswith(remedy)


def test_an_answer_that_takes_most_of_the_window_is_what_to_shorten(make_home: MakeHome) -> None:
    found = finding(make_home("0.13", window(100_000, "  max_tokens: 60000\n")), base, "A2")
    assert found.remedy == "Lower model.max_tokens, which takes 60,000 of it"


@pytest.mark.parametrize(
    ("said", "remedy"),
    [
        (
            "HTTP 400: max_tokens: 60000 > available_tokens: 28535; context window is 100000",
            "Lower the output",
        ),
        ("HTTP 400: prompt is too long: 70000 tokens > 64000 maximum", "Start a new session"),
    ],
)
def test_a_turn_given_up_is_told_what_the_provider_refused(
    make_home: MakeHome, said: str, remedy: str
) -> None:
    def build(home: Home) -> None:
        base(home)
        home.refused(said)
        home.line("Context length exceeded: 70,000 tokens. Cannot compress further.", level="ERROR")

    assert finding(make_home("0.13"), build, "B6").remedy.startswith(remedy)


def test_where_no_setting_raises_a_threshold_none_is_advised(make_home: MakeHome) -> None:
    assert finding(make_home("0.19", window(200_000)), often(60), "B3").remedy.startswith("Raise compression")
    short = finding(make_home("0.19", window(64_000)), often(60), "B3")
    assert short.remedy.startswith("Use a model with a longer window")


def test_a_threshold_that_cannot_move_is_not_said_to(make_home: MakeHome) -> None:
    found = finding(make_home("0.19", window(64_000)), base, "A1")
    assert found.remedy == "Nothing needs fixing: compression.threshold does not move it in this window"
    whole = finding(make_home("0.13", window(64_000)), base, "A1")
    assert whole.remedy.startswith("Use a model with a longer window")
    assert "above 0.75" in finding(make_home("0.19", window(200_000)), base, "A1").remedy


@pytest.mark.parametrize(
    ("said", "helps"),
    [
        (
            "HTTP 400: This model's maximum context length is 70000 tokens.",
            "set model.context_length to what",
        ),
        (
            "HTTP 400: This model's maximum context length is 40000 tokens.",
            "use a model with a longer window",
        ),
        ("HTTP 413: Payload Too Large", "remove pictures and large tool results"),
        (
            "HTTP 400: max_tokens: 30000 > 28000, which is the maximum allowed number of output tokens",
            "something other than the length",
        ),
    ],
)
def test_requests_the_provider_refused_are_not_blamed_on_the_threshold(
    make_home: MakeHome, said: str, helps: str
) -> None:
    def build(home: Home) -> None:
        base(home)
        for _ in range(4):
            home.talk(4)
            home.refused(said)
            home.started(41_000, 28)
            home.compact(summary=LONG)
            home.done(28, 8, 9_000)

    found = finding(make_home("0.19", window(200_000)), build, "B3")
    assert helps in found.remedy


@pytest.mark.parametrize(("release", "severity"), [("0.19", Severity.WARNING), ("0.22", Severity.CRITICAL)])
def test_a_dead_end_is_refused_only_where_hermes_refuses_it(
    make_home: MakeHome, release: str, severity: Severity
) -> None:
    found = finding(make_home(release), ended("compression"), "E1")
    assert found.severity is severity
    assert ("refuses" in found.sentence) is (severity is Severity.CRITICAL)


def test_a_result_away_from_its_call_is_worse_than_one_that_never_came(make_home: MakeHome) -> None:
    def apart(home: Home) -> None:
        unanswered(home)
        home.db.message("S", "tool", "late", tool_call_id="open", tool_name="t")

    def unanswered(home: Home) -> None:
        base(home)
        home.db.message("S", "assistant", "", calls=[("open", "t", "{}")])
        home.db.message("S", "user", "never mind")

    assert finding(make_home(), unanswered, "E6").severity is Severity.WARNING
    assert finding(make_home(), apart, "E6").severity is Severity.CRITICAL


def test_turns_that_failed_for_different_reasons_are_told_apart(make_home: MakeHome) -> None:
    """Run with 0.19.0: two of four turns without an answer were told as all there were."""
    home = make_home()
    plain(home)
    for said in ("HTTP 402: Insufficient credits.", "HTTP 401: Incorrect API key.", "HTTP 402: Add credits."):
        home.turn(history=28)
        home.refused(said)
    with home.store() as store:
        told = [(one.sentence, one.remedy) for one in examine(store, "S").findings if one.rule == "B10"]
    assert ["2 turns ended with" in told[0][0], "Add credit" in told[0][1]] == [True, True]
    assert ["1 turn ended with" in told[1][0], "Renew the key" in told[1][1]] == [True, True]


def test_strikes_outlive_a_process_only_where_the_database_keeps_them(make_home: MakeHome) -> None:
    at = datetime(2033, 5, 18, 3, 33, 20, tzinfo=UTC)
    kept = guarded(compression_ineffective_count=2, compression_recovery_deadline=at.timestamp())
    remedy = finding(make_home("0.22"), kept, "B2").remedy
    assert "a new process does not" in remedy
    assert "tries again at 03:33:20" in remedy
    assert "a new process or /new starts afresh" in finding(make_home("0.19"), line(GAVE_UP), "B2").remedy


def test_what_a_shortened_result_hid_is_in_the_generation_before(make_home: MakeHome) -> None:
    home = make_home()
    assert "show S --generation 1" in finding(home, failing("[probe] (40 chars result)"), "C11").remedy


def test_a_head_is_worth_a_warning_once_it_outlived_a_second_compaction(make_home: MakeHome) -> None:
    def once(home: Home) -> None:
        base(home)
        home.compact(summary=LONG)

    assert finding(make_home(), once, "D3").severity is Severity.INFO
    again = finding(make_home(), twice(LONG, LONG * 2, speak=True), "D3")
    assert again.severity is Severity.WARNING
    assert "after 2 of them" in again.sentence


def test_a_head_that_the_configuration_no_longer_protects_needs_nothing(make_home: MakeHome) -> None:
    again = twice(LONG, LONG * 2, speak=True)
    assert "Set compression.protect_first_n: 0" in finding(make_home(), again, "D3").remedy
    found = finding(make_home(config=CONFIG + "compression:\n  protect_first_n: 0\n"), again, "D3")
    assert found.severity is Severity.INFO
    assert found.remedy.startswith("Nothing to do")


PREFIX = "[CONTEXT COMPACTION — REFERENCE ONLY] Go on and resume exactly from there.\n"


@pytest.mark.parametrize("release", ["0.13", "0.19"])
def test_a_summary_that_gives_orders_is_reported_behind_a_request_too(
    make_home: MakeHome, release: str
) -> None:
    def build(home: Home) -> None:
        last_word(PREFIX + LONG)(home)
        home.db.message("S", "user", "something else")

    found = finding(make_home(release), build, "C7")
    assert found.sentence.startswith("The words before the summary")
    assert found.severity is (Severity.INFO if release == "0.13" else Severity.WARNING)


def test_what_is_advised_about_a_sample_answers_for_the_samples() -> None:
    rule = Rule("C0", "gone", Severity.INFO, "Gone", helps="hermes-inspector recall s1 WORDS finds it")
    assert rule.finding(Found(), None).remedy == "hermes-inspector recall s1 WORDS finds it"
    samples = Location(Path("/c/hermes-inspector/demo-1/state.db"))
    told = rule.finding(Found(), None, samples.addressed).remedy
    assert told == "hermes-inspector demo recall s1 WORDS finds it"
