"""A compaction that happened, put together from the rows of both sides."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.explain.context.past_compaction import Past
from core.explain.events import explain
from core.hermes.policy.policy import load_policy, releases
from core.model.compaction.plan import Span
from core.model.finding import Severity
from core.model.transcript.conversation import Boundary, BoundaryMode
from core.model.transcript.message import Message, Row
from core.preview.headline import comparison_headline
from core.preview.past import past_comparison, past_event
from core.store.database.locate import Location
from core.store.store import Store
from inspector.screens.workspace.preview.header import figures
from inspector.terminal.line import Palette, defaults

SUMMARY = "[CONTEXT SUMMARY]: handoff\n## Goal\nFix src/auth.py"


def row(number: int, text: str, role: str = "user") -> Message:
    return Message({"role": role, "content": text}, Row(number, "s"))


BEFORE = tuple(row(number, f"message {number} about src/file_{number}.py") for number in range(1, 11))


def boundary(summary_row: int, head: int, tail: int, *, merged: bool = False) -> Boundary:
    return Boundary(BoundaryMode.IN_PLACE, None, summary_row, head, tail, merged)


def copies(numbers: range) -> tuple[Message, ...]:
    return tuple(row(number + 100, BEFORE[number].text) for number in numbers)


@pytest.mark.parametrize("release", releases())
def test_head_and_tail_are_found_from_both_ends(release: str) -> None:
    after = (*copies(range(2)), row(50, SUMMARY), *copies(range(7, 10)))
    shown = past_comparison(Past(BEFORE, after, boundary(50, 2, 3), load_policy(release)))
    assert (shown.head, shown.middle, shown.tail) == (Span(0, 2), Span(2, 7), Span(7, 10))
    assert shown.kept == {0: 0, 1: 1, 3: 7, 4: 8, 5: 9}
    assert shown.summary_index == 2
    assert shown.real


def test_a_summary_merged_into_the_tail_counts_its_message_as_kept() -> None:
    after = (row(50, SUMMARY), *copies(range(8, 10)))
    shown = past_comparison(Past(BEFORE, after, boundary(50, 0, 2, merged=True), load_policy("0.19")))
    assert (shown.middle, shown.tail) == (Span(0, 7), Span(7, 10))


def test_what_the_middle_held_is_compared_with_the_summary() -> None:
    after = (row(50, SUMMARY), *copies(range(8, 10)))
    retention = past_comparison(Past(BEFORE, after, boundary(50, 0, 2), load_policy("0.19"))).retention
    assert retention is not None
    assert retention.score == 0
    assert len(retention.lost_by_message) == 8


def test_where_much_was_lost_it_is_told_what_helps_now() -> None:
    after = (row(50, SUMMARY), *copies(range(8, 10)))
    shown = past_comparison(Past(BEFORE, after, boundary(50, 0, 2), load_policy("0.19")))
    told = comparison_headline(shown)
    assert told.severity is Severity.WARNING
    assert str(told.remedy).startswith("Repeat what matters")
    assert comparison_headline(replace(shown, retention=None)).remedy is None
    assert comparison_headline(replace(shown, real=False)).remedy is None


@pytest.mark.parametrize(
    ("made_by", "checked"), [("", True), ("Recovered from a deterministic fallback. ", False)]
)
def test_what_no_model_wrote_is_not_checked_for_claims(made_by: str, checked: bool) -> None:
    after = (row(50, f"{SUMMARY}\n{made_by}The repair is in /opt/never/gate.py."), *copies(range(8, 10)))
    retention = past_comparison(Past(BEFORE, after, boundary(50, 0, 2), load_policy("0.19"))).retention
    assert retention is not None
    assert any("gate.py" in claim.value for claim in retention.unsupported) == checked


def test_without_a_summary_there_is_nothing_to_hold_against() -> None:
    shown = past_comparison(Past(BEFORE, (), None, load_policy("0.19")))
    assert (shown.summary_index, shown.retention, shown.made_by) == (None, None, "no summary")


def test_a_side_the_database_did_not_keep_is_at_least_or_unknown() -> None:
    past = Past(BEFORE, (), None, load_policy("0.16"), (), (True, True), ("kept only 10",))
    shown = past_comparison(past)
    assert (shown.saved, shown.retention, shown.notes[-1]) == (None, None, "kept only 10")
    line = figures(shown, None, 120, Palette(defaults())).text
    assert "≥10 → – messages" in line
    assert "→ – tokens" in line
    assert "– tokens – tokens" not in line


def test_every_compaction_of_the_samples_has_two_sides(samples: Location) -> None:
    assert _check_all(samples) >= 5


def test_what_hermes_counted_next_to_the_messages_is_stated(samples: Location) -> None:
    with Store(samples) as store:
        tip = store.resolve("Refactor the auth module").id
        conversation, events = store.conversation(tip), explain(store, tip).events
    asked = next(event for event in events if event.generation == 2)
    shown = past_event(samples, conversation, conversation.generations[1], lambda: False)
    assert shown is not None
    assert asked.tokens is not None
    assert asked.tokens_after is not None
    outside = asked.tokens - shown.before_tokens, asked.tokens_after - shown.after_tokens
    assert outside[0] == outside[1] > 0, "system prompt and tools weigh the same on both sides"
    assert f"{asked.tokens:,} → {asked.tokens_after:,} tokens" in shown.notes[-1]


def _check_all(place: Location) -> int:
    found = 0
    with Store(place) as store:
        tips = [row.tip.id for row in store.conversations().rows]
        conversations = [store.conversation(tip) for tip in tips]
    for conversation in conversations:
        for generation in conversation.generations[:-1]:
            shown = past_event(place, conversation, generation, lambda: False)
            assert shown is not None
            assert shown.summary
            assert shown.after_tokens < shown.before_tokens
            for here, there in shown.kept.items():
                assert shown.after[here].role == shown.before[there].role
            found += 1
    return found
