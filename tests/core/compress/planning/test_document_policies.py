"""What documents describe works for sessions as the rules of a release do."""

from __future__ import annotations

import pytest

from core.compress.planning.plan import between, plan_messages
from core.compress.summarise.extract.fact_lines import FactLine
from core.compress.summarise.extract.sections import kind_of, render
from core.compress.summarise.fallback.summariser import fallback
from core.hermes.config.config import HermesConfig
from core.hermes.policy.policy import documents, load_policy
from core.model.compaction.plan import Settings
from core.model.transcript.message import Message


def _talk(turns: int, size: int) -> list[Message]:
    return [Message({"role": ("user", "assistant")[i % 2], "content": "x" * size}) for i in range(turns)]


def test_a_conversation_that_fits_the_promised_tail_is_kept_to_its_newest_request() -> None:
    found = plan_messages(_talk(40, 1_200), load_policy("seed-tiered"), Settings(window=200_000))
    assert found.tail.end - found.tail.start + found.head.end == 40
    assert found.middle.start == found.middle.end


def test_a_longer_one_keeps_a_tail_of_the_promised_size() -> None:
    messages = _talk(200, 1_200)
    found = plan_messages(messages, load_policy("seed-tiered"), Settings(window=200_000))
    kept = sum(len(message.text) for message in messages[found.tail.start :]) / 4
    assert 15_000 < kept <= 16_000
    assert found.middle.start < found.middle.end


@pytest.mark.parametrize("name", documents())
def test_the_configuration_is_read_for_a_document_too(name: str) -> None:
    assert HermesConfig(raw={"compression.threshold": 0.6}).value("compression.threshold", name) == 0.6


@pytest.mark.parametrize(
    ("heading", "kind"),
    [
        ("Pending Questions", "pending"),
        ("Open Questions", "pending"),
        ("Resolved Questions", "questions"),
        ("Pending User Asks", "pending"),
    ],
)
def test_a_pending_question_is_not_reported_as_answered(heading: str, kind: str) -> None:
    assert kind_of(heading) == kind


def test_the_four_tiers_of_pressure_are_reported_with_the_share_in_use() -> None:
    chosen = Settings(window=200_000, current_tokens=160_000)
    found = plan_messages(_talk(200, 1_200), load_policy("seed-tiered"), chosen)
    told = [line for line in found.arithmetic if line.startswith("above ")]
    assert [line.split()[1] for line in told] == ["0.65", "0.75", "0.85", "0.95"]
    assert [line.endswith(": reached at 0.80") for line in told] == [True, True, False, False]


def test_the_guide_keeps_progress_in_three_parts_and_calls_sizes_by_its_own_words() -> None:
    policy = load_policy("seed-50")
    facts = [
        FactLine("actions", "patch a.py", 1),
        FactLine("blocked", "no key", 2),
        FactLine("state", "x", 3),
    ]
    body = render(facts, policy.summary.headings)
    assert "## Progress\n### Done\n1. patch a.py\n\n### In Progress\n" in body
    assert "### Blocked\n- no key" in body
    assert policy.feedback.size_line == "Rough transcript estimate"
    assert load_policy("0.22").feedback.size_line == "Approx request size"


def test_what_a_summary_takes_is_reported_by_the_table_of_the_document() -> None:
    told = plan_messages(_talk(200, 1_200), load_policy("seed-tiered"), Settings(window=200_000)).arithmetic
    assert [line.split(" takes ")[0] for line in told if " takes " in line] == [
        "by its table Flash",
        "by its table Sonnet",
    ]


@pytest.mark.parametrize(
    ("tokens", "seconds"), [(5_000, 1), (10_000, 2), (30_000, 5), (100_000, 15), (200_000, 30)]
)
def test_sizes_between_those_of_the_table_lie_between_its_values(tokens: int, seconds: float) -> None:
    assert between(tokens, (10_000, 50_000, 100_000), (2, 8, 15)) == pytest.approx(seconds)


def test_the_note_in_place_of_a_summary_names_the_error() -> None:
    turns = _talk(2, 10)
    note = fallback(turns, load_policy("seed-tiered"), reason="the key was refused")
    assert "the key was refused" in note
    assert "2 message(s)" in note
    assert "no model was asked" in fallback(turns, load_policy("seed-tiered"))
