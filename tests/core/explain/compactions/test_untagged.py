"""A line that names no session is quoted by the compaction it can be of, and by no other."""

from __future__ import annotations

from datetime import datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from core.explain.compactions.attempts import find_attempts
from core.hermes.log.parse import parse_line
from core.hermes.log.read import compaction_ends
from core.hermes.log.record import LogRecord
from tests.core.explain.home import Home, explained

START = datetime(2026, 11, 22, 14, 0)
AFTER = "Auxiliary compression: using anthropic (claude-opus-4-5) at https://api.anthropic.com/"


def test_a_line_of_an_hour_later_is_not_of_an_attempt_that_was_given_up(home: Home) -> None:
    home.pre_api(54_828)
    home.started(54_828, 28)
    home.line("Summary generation failed — aborting compression", level="WARNING")
    home.shift += timedelta(hours=1)
    home.line(AFTER, tag=None)
    (event,) = explained(home).events
    assert not any("Auxiliary" in one.text for one in event.evidence)


def test_in_a_turn_whose_lines_are_tagged_one_without_a_tag_is_of_another(home: Home) -> None:
    home.pre_api(54_828)
    home.started(54_828, 28)
    home.line(AFTER, tag=None)
    home.line("Summary generation failed — aborting compression", level="WARNING")
    (event,) = explained(home).events
    assert not any("Auxiliary" in one.text for one in event.evidence)


def _line(seconds: float, message: str, tag: str | None, number: int) -> LogRecord:
    at = START + timedelta(seconds=seconds)
    mark = f" [{tag}]" if tag else ""
    text = f"{at:%Y-%m-%d %H:%M:%S},{at.microsecond // 1000:03} INFO{mark} agent.x: {message}"
    record = parse_line(text, f"agent.log:{number}", "")
    assert record is not None
    return record


def _attempt(
    name: str, count: int, gaps: list[float], tagged: bool, ends: bool
) -> list[tuple[float, str, str | None]]:
    """What one compaction writes; the lines in between differ by the model they name."""
    tag = name if tagged else None
    messages = [
        f"context compression started: session={name} messages={count} tokens=~90,000 model=m focus=None",
        f"Auxiliary compression: using custom (model-of-{name})",
        "Failed to generate context summary: boom of "
        + name
        + ". Further summary attempts paused for 60 seconds.",
    ]
    if ends:
        messages.append(
            f"context compression done: session={name} messages={count}->9 "
            "rough_tokens=~9,000 awaiting_real_usage=true"
        )
    times = [sum(gaps[: place + 1]) for place in range(len(messages))]
    return [(at, text, tag) for at, text in zip(times, messages, strict=True)]


ATTEMPT = st.tuples(
    st.integers(20, 30), st.lists(st.floats(0.01, 900), min_size=4, max_size=4), st.booleans(), st.booleans()
)


@settings(max_examples=500, deadline=None)
@given(st.lists(st.lists(ATTEMPT, min_size=1, max_size=3), min_size=2, max_size=3), st.booleans())
def test_no_event_quotes_a_line_that_another_sessions_compaction_wrote(
    sessions: list[list[tuple[int, list[float], bool, bool]]], turns_tagged: bool
) -> None:
    written: list[tuple[float, str, str | None]] = []
    for index, attempts in enumerate(sessions):
        begin = 0.0
        for count, gaps, tagged, ends in attempts:
            lines = _attempt(f"s{index}", count, [begin + gaps[0], *gaps[1:]], tagged or turns_tagged, ends)
            written += lines
            begin = lines[-1][0] + 1
    records = [
        _line(at, text, tag, number) for number, (at, text, tag) in enumerate(sorted(written), start=1)
    ]
    for index in range(len(sessions)):
        own = f"s{index}"
        seen = [record for record in records if record.session in (own, None)]
        found = find_attempts(seen, {own}, turns_tagged=turns_tagged, compactions=compaction_ends(records))
        assert len(found) == len(sessions[index])
        for attempt in found:
            assert all(own in line.message for line in attempt.inner)
