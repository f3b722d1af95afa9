import pytest

from core.hermes.markers.markers import SummaryMatch
from core.hermes.policy.release import ReleaseClues, detect_release, release_of_summary, shape_names
from core.model.finding import Verdict

SUMMARISED = "messages._compressed_summary"


def summary(*releases: str) -> tuple[SummaryMatch, str]:
    return SummaryMatch(family=releases[0], releases=releases, exact=True, body=""), "message 7"


def test_a_stored_version_proves_the_release() -> None:
    guess = detect_release(ReleaseClues(pin="0.22.2.post1", schema_version=22))
    assert (guess.release, guess.verdict, guess.version) == ("0.22", Verdict.PROVED, "0.22.2.post1")


def test_a_pin_that_is_not_a_version_is_passed_over() -> None:
    assert detect_release(ReleaseClues(pin="nightly", schema_version=22)).release == "0.19"


def test_a_version_of_thousands_of_digits_is_newer_than_any_known() -> None:
    guess = detect_release(ReleaseClues(pin=f"0.{'9' * 6_000}"))
    assert (guess.release, guess.verdict) == ("0.22", Verdict.SUSPECTED)


@pytest.mark.parametrize(
    ("version", "release"),
    [(13, "0.15"), (14, "0.16"), (16, "0.17"), (17, "0.18.0"), (19, "0.18"), (22, "0.19"), (31, "0.22")],
)
def test_the_schema_version_names_the_newest_release_that_opened_the_file(version: int, release: str) -> None:
    guess = detect_release(ReleaseClues(schema_version=version))
    assert (guess.release, guess.verdict) == (release, Verdict.DERIVED)


def test_releases_that_leave_the_same_traces_are_named_by_the_older() -> None:
    columns = frozenset({"sessions.id", "sessions.handoff_state"})
    guess = detect_release(ReleaseClues(schema_version=11, columns=columns))
    assert (guess.release, guess.version) == ("0.13", "0.13 to 0.14")


def test_an_older_summary_in_an_upgraded_file_is_mentioned_and_lowers_the_verdict() -> None:
    guess = detect_release(ReleaseClues(schema_version=22, summary=summary("0.13", "0.14", "0.15")))
    assert (guess.release, guess.verdict) == ("0.19", Verdict.SUSPECTED)
    assert "0.13 to 0.15" in guess.evidence[-1].text


def test_log_and_summary_that_fit_narrow_the_range() -> None:
    clues = ReleaseClues(summary=summary("0.17", "0.18"), log_shapes=(("pre_api", "agent.log:3"),))
    guess = detect_release(clues)
    assert (guess.release, guess.version, guess.verdict) == ("0.18", "0.18", Verdict.DERIVED)


def test_without_a_trace_the_newest_is_assumed_and_said_to_be_unknown() -> None:
    assert detect_release(ReleaseClues()).verdict is Verdict.UNKNOWN


def test_a_newer_schema_than_any_known_takes_the_newest_policy() -> None:
    guess = detect_release(ReleaseClues(schema_version=99))
    assert (guess.release, guess.version) == ("0.22", "0.22 or newer")


@pytest.mark.parametrize(
    ("logger", "message", "names"),
    [
        ("run_agent", "conversation turn: session=S model=m", ["turn_by_agent"]),
        ("agent.turn_context", "conversation turn: session=S model=m", ["turn_by_context"]),
        ("x", "context compression done: session=S messages=4->3 rough_tokens=~7 awaiting", ["rough_done"]),
        ("x", "context compression done: session=S messages=4->3 tokens=~7", ["plain_done"]),
        ("x", "the user said tokens=~7", []),
    ],
)
def test_the_wording_of_a_line_is_a_trace(logger: str, message: str, names: list[str]) -> None:
    assert list(shape_names(logger, message)) == names


def test_a_summary_names_the_newest_release_that_writes_it() -> None:
    assert release_of_summary(summary("0.13", "0.14", "0.15")[0]) == "0.15"
    assert release_of_summary(summary("0.20", "0.21")[0]) == "0.21.5"


def test_a_release_without_rules_of_its_own_borrows_its_neighbours_and_says_so() -> None:
    guess = detect_release(ReleaseClues(schema_version=6))
    assert (guess.release, guess.verdict) == ("0.13", Verdict.SUSPECTED)
    assert "are not known: those of 0.13 are used" in guess.stands_in


def test_a_release_named_without_its_patch_may_be_any_of_them() -> None:
    guess = detect_release(ReleaseClues(schema_version=25, summary=summary("0.19", "0.20")))
    assert (guess.version, guess.verdict) == ("0.20.0", Verdict.DERIVED)


@pytest.mark.parametrize(
    ("clues", "release", "version"),
    [
        (ReleaseClues(schema_version=25), "0.20.0", "0.20.0"),
        (ReleaseClues(schema_version=26), "0.20.5", "0.20.4 to 0.21.0"),
        (ReleaseClues(schema_version=26, columns=frozenset({SUMMARISED})), "0.20.6", "0.20.6 to 0.21.0"),
        (ReleaseClues(schema_version=30), "0.21.3", "0.21.3 to 0.21.5"),
    ],
)
def test_a_patch_release_is_reported_by_its_schema_and_says_what_is_borrowed(
    clues: ReleaseClues, release: str, version: str
) -> None:
    guess = detect_release(clues)
    assert (guess.release, guess.version, guess.verdict) == (release, version, Verdict.DERIVED)
    assert "only weights and cut are known" in guess.stands_in


def test_a_version_stored_in_a_session_proves_no_rules_it_has_none_of() -> None:
    guess = detect_release(ReleaseClues(pin="0.23.3"))
    assert (guess.release, guess.verdict, guess.version) == ("0.22", Verdict.SUSPECTED, "0.23.3")
    assert guess.stands_in == "the rules of Hermes 0.23.3 are not known: those of 0.22 are used"
    assert detect_release(ReleaseClues(pin="0.22.2")).stands_in == ""
