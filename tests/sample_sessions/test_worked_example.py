"""The worked example of Hermes' developer guide: 45 messages of about 95K tokens become 25 of about 45K."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.compress.planning.plan import plan_messages
from core.hermes.policy.policy import load_policy
from core.model.compaction.plan import Plan, Settings
from core.model.transcript.message import Message
from core.store.database.locate import locate
from core.store.store import Store

TITLE = "Help me set up a FastAPI project"
SYSTEM = "You are a helpful assistant."
WINDOW = 200_000
SUMMARY_TOKENS = 300
"""What the summary in the guide weighs."""


@pytest.fixture(scope="module")
def example(sample_home: Path) -> Iterator[list[Message]]:
    """The list the guide shows, its system prompt in front."""
    with Store(locate(home=sample_home, profile="first-year")[0]) as store:
        conversation = store.conversation(store.resolve(TITLE).id)
        rows = store.generation_messages(conversation.generations[-1])
        yield [Message({"role": "system", "content": SYSTEM}), *rows]


def planned(messages: list[Message], release: str) -> Plan:
    return plan_messages(messages, load_policy(release), Settings(window=WINDOW))


def test_the_rows_are_those_the_guide_shows(example: list[Message]) -> None:
    assert len(example) == 45
    shown = {at: example[at].text for at in (1, 40, 43, 44)}
    assert shown == {
        1: TITLE,
        40: "Fix the failing tests",
        43: "I see the issue with the test fixtures...",
        44: "Great, also add error handling",
    }
    assert "directory created" in example[3].text
    assert "file written (2.3KB)" in example[5].text
    assert "8 passed, 2 failed" in example[39].text
    assert "import pytest" in example[42].text
    assert 4_500 < len(example[39].text) < 6_500
    assert 2_500 < len(example[42].text) < 3_500


def test_what_the_guide_describes_leaves_25_messages(example: list[Message]) -> None:
    told = planned(example, "seed-50")
    assert (told.head.size, told.middle.size, told.tail.size) == (4, 21, 20)
    assert told.head.size + 1 + told.tail.size == 25
    before = told.estimated_tokens
    kept = sum(told.estimates) - sum(told.estimates[told.middle.start : told.middle.end])
    assert round(before, -3) == 95_000
    assert round(kept + SUMMARY_TOKENS, -3) == 45_000
    assert not told.would_fire, "somebody asked for it: 95K is below the half of 200K"


@pytest.mark.parametrize("release", ["0.13", "0.16", "0.19", "0.22"])
def test_what_releases_do_is_distinguished_from_it(example: list[Message], release: str) -> None:
    """The guide keeps twenty messages at the end; a release keeps what its tokens allow."""
    told = planned(example, release)
    assert told.middle.size > 0
    assert told.tail.size != 20
