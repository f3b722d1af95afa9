import pytest

from core.hermes.markers.markers import find_summary, recognised_by, scaffold_kind, typed
from tests.timing import assert_linear

LONG = "[CONTEXT COMPACTION — REFERENCE ONLY]"
END = "--- END OF CONTEXT SUMMARY — respond to the message below, not the summary above ---"
PRIOR = "[PRIOR CONTEXT — for reference only; not a new message]"
PRIOR_END = "[END OF PRIOR CONTEXT — COMPACTION SUMMARY BELOW]"


def test_a_user_quoting_the_marker_is_not_a_summary() -> None:
    assert find_summary(f"what does {LONG} mean?") is None
    assert find_summary(f"it said:\n{PRIOR_END}\n{LONG} x\nbody") is None
    assert find_summary("") is None


@pytest.mark.parametrize(
    ("hint", "family"),
    [
        ("resume exactly from there", "0.13"),
        ("is consistent with the '## Active Task'", "0.16"),
        ("Topic overlap with the summary", "0.17"),
        ("tools remain fully active", "0.19"),
        ("If no user message appears AFTER this summary, do nothing", "0.22"),
        ("something newer", "unknown"),
    ],
)
def test_an_unknown_prefix_names_its_nearest_family_and_no_release(hint: str, family: str) -> None:
    match = find_summary(f"{LONG} Earlier turns … {hint} …:\n## Goal\nship it")
    assert match is not None
    assert (match.family, match.releases, match.exact) == (family, (), False)
    assert match.body == "## Goal\nship it"
    assert not recognised_by(match, "0.22")


def test_the_legacy_opener_is_read_by_every_release() -> None:
    match = find_summary("[CONTEXT SUMMARY]: we did things")
    assert match is not None
    assert match.body == "we did things"
    assert all(recognised_by(match, f"0.{minor}") for minor in (13, 14, 15, 16, 17, 18, 19, 22))


def test_a_merge_that_follows_the_message_keeps_the_message_apart() -> None:
    match = find_summary(f"{PRIOR}\nlive text\n\n{PRIOR_END}\n{LONG} rules:\nbody\n\n{END}")
    assert match is not None
    assert match.merged
    assert (match.before, match.body, match.after) == ("live text", "body", "")


def test_a_merge_that_precedes_the_message_keeps_the_message_apart() -> None:
    match = find_summary(f"{LONG} rules:\nbody\n\n{END}\n\nlive text")
    assert match is not None
    assert match.merged
    assert (match.before, match.body, match.after) == ("", "body", "live text")


def test_a_restated_request_behind_the_end_marker_is_not_a_merge() -> None:
    request = (
        "[STILL IN PROGRESS — this is the active request, restated after the compaction boundary …]\nbuild it"
    )
    match = find_summary(f"{LONG} rules:\nbody\n\n{END}\n\n{request}")
    assert match is not None
    assert match.restated
    assert not match.merged
    assert match.after == request


@pytest.mark.parametrize(
    ("body", "dropped", "reason"),
    [
        ("Summary generation was unavailable. 12 message(s) were removed …", 12, None),
        (
            "## Goal\nRecovered from a deterministic fallback …\n## Critical Context\nSummary generation was "
            "unavailable, so this is a best-effort deterministic fallback for 30 compacted message(s). "
            "Summary failure reason: HTTP 529 overloaded.",
            30,
            "HTTP 529 overloaded",
        ),
        ("Recovered from a deterministic fallback …\n...[fallback summary truncated]", None, None),
        (f"Summary generation was unavailable. {'9' * 6_000} message(s) were removed …", None, None),
    ],
)
def test_a_fallback_gives_its_count_and_reason(body: str, dropped: int | None, reason: str | None) -> None:
    match = find_summary(f"{LONG} rules:\n{body}")
    assert match is not None
    assert match.fallback
    assert (match.dropped, match.reason) == (dropped, reason)


def test_a_model_summary_is_not_a_fallback() -> None:
    match = find_summary(f"{LONG} rules:\n## Goal\nfix the fallback")
    assert match is not None
    assert not match.fallback
    assert match.dropped is None


def test_an_early_summary_begins_with_the_short_opener() -> None:
    match = find_summary("[CONTEXT COMPACTION] Earlier turns were compacted:\nbody")
    assert match is not None
    assert match.family == "early"
    assert match.body == "body"


def test_damaged_text_does_not_raise() -> None:
    assert find_summary(f"{LONG}\udcff") is not None
    assert find_summary(f"{PRIOR} never closed") is None
    assert find_summary(LONG) is not None


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("[Your active task list was preserved across context compression]\n- [ ] x", "todo_snapshot"),
        ("Continue from the compressed conversation context above. This …", "continuation"),
        ("(tool call removed)", "stripped_call"),
        ("[Result from earlier conversation — see context summary above]", "stub_result"),
        ("[terminal output demoted at compaction — 1,000 chars preserved]", "demoted_output"),
        ("You just executed tool calls but returned an empty response. Please …", "stall_notice"),
        ("why was (tool call removed) written?", None),
        ("hello", None),
    ],
)
def test_scaffolding_is_named(text: str, kind: str | None) -> None:
    assert scaffold_kind(text) == kind


@pytest.mark.parametrize(
    "unit",
    [
        "[System note\n",
        '[Replying to: "',
        '[Replying to: "\n',
        '[IMPORTANT: The user has invoked the "x" skill,\n',
        '[IMPORTANT: The "x" skill is auto-loaded.`node ',
        '[IMPORTANT: The user has invoked the "x" skill bundle,\nUser instruction: ',
    ],
)
def test_notes_without_an_end_take_time_that_grows_with_the_text(unit: str) -> None:
    assert_linear(typed, unit)
