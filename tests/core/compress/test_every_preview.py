"""Every preview of every conversation at hand leaves a sound list, or says where its release does not.

The exceptions are the releases' own (the lists equal theirs row by row), so each is asserted as such: it is
noted exactly where it is there, and only releases known for it have it.
"""

from __future__ import annotations

import json
import pickle
import tarfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from core.compress.dry_run import preview
from core.compress.planning.measure import measure
from core.compress.planning.plan import plan
from core.compress.summarise.base import GivenSummary
from core.hermes.markers.markers import PREFILTERS
from core.hermes.policy.policy import Policy, load_policy, releases
from core.model.compaction.preview import Preview
from core.model.transcript.message import Message
from core.store.store import Store
from tests.core.compress.conversations import SHAPES
from tests.core.compress.planning.test_plan import SETTINGS
from tests.shared import shared

SEEDS, STARTS = 42, 10
TWO, FOREIGN = "The old summary stays next to the new one", "The list holds an earlier summary"
LOST, BESIDE = "The newest request", "The summary is next to"
KNOWN = {
    TWO: {"0.13", "0.14", "0.15", "0.16", "0.17", "0.18", "0.19"},  # 0.22 takes every earlier summary out
    FOREIGN: set(releases()),  # wrapped ones are read from 0.18 on, and no release reads all others' prefixes
    LOST: set(releases()),  # a request at the very edge of the middle; a finished turn too large for the tail
    # What stood between may go as an orphan; 0.22 puts a request back behind a summary that ends the list.
    BESIDE: {"0.13", "0.14", "0.15", "0.16", "0.17", "0.18", "0.22"},
}
_POLICIES = [load_policy(name) for name in releases()]


def previewed(rows: Sequence[dict[str, Any]], turn: int) -> tuple[Preview, Policy]:
    """A preview under the release and the settings whose turn it is, of a list that must stay as it was."""
    policy, settings = _POLICIES[turn % len(_POLICIES)], SETTINGS[turn % len(SETTINGS)]
    given: list[dict[str, Any]] = pickle.loads(pickle.dumps(list(rows)))
    measured = measure([Message(row) for row in given], policy)
    made = preview(measured, plan(measured, settings), GivenSummary("## Goal\nA summary."), retention=False)
    assert given == list(rows)
    return made, policy


def exceptions(made: Preview, policy: Policy) -> set[str]:
    """What the list lacks of a sound one, by the notes of the preview; unsound pairs are never excused."""
    assert_paired(made.after, policy)
    noted = {sign for sign in KNOWN for note in made.notes if sign in note}
    summaries = sum(any(sign in str(m.content) for sign in PREFILTERS) for m in made.after)
    assert (summaries > 1) is bool(noted & {TWO, FOREIGN}), made.notes
    request = next((m.text.strip()[:200] for m in reversed(made.before) if is_words(m)), "")
    behind = made.after[made.summary_index or 0 :]
    assert any(request in message.text for message in behind) is (LOST not in noted), made.notes
    return noted


def is_words(message: Message) -> bool:
    return (
        message.role == "user"
        and bool(message.text.strip())
        and not any(sign in message.text for sign in PREFILTERS)
    )


def assert_paired(messages: Sequence[Message], policy: Policy) -> None:
    calls = {call.id for message in messages for call in message.tool_calls}
    results = {message.tool_call_id for message in messages if message.role == "tool"}
    assert results <= calls
    last = next((message for message in reversed(messages) if message.role == "assistant"), None)
    running = {call.id for call in last.tool_calls} if last and policy.assembly.keeps_pending else set()
    assert calls - results <= running


def generated() -> Iterator[list[dict[str, Any]]]:
    """Conversations of every shape, each from several of its requests on."""
    for seed in range(SEEDS):
        for make in SHAPES:
            rows = make(seed)
            requests = [at for at, row in enumerate(rows) if row["role"] == "user"]
            for start in [0, *requests[1:]][:STARTS]:
                yield rows[start:]


def all_of(home: Path) -> Iterator[list[dict[str, Any]]]:
    """Every generation of every conversation below a home."""
    for database in sorted(home.rglob("state.db")):
        with Store(database) as store:
            for root in store.conversation_ids():
                for generation in store.conversation(root).generations:
                    yield [dict(message.wire) for message in store.generation_messages(generation)]


def changed_by(conversations: Iterable[list[dict[str, Any]]]) -> tuple[int, int]:
    """How many conversations there were, and how many a preview changed; every exception is a known one."""
    seen = changed = 0
    for rows in conversations:
        made, policy = previewed(rows, seen)
        seen += 1
        if made.summary_index is not None:
            changed += 1
            strange = {sign for sign in exceptions(made, policy) if policy.release not in KNOWN[sign]}
            assert not strange, (policy.release, made.notes)
    return seen, changed


def test_a_thousand_made_conversations() -> None:
    seen, changed = changed_by(generated())
    assert seen >= 1000
    assert changed > seen / 3


def test_every_sample_session(sample_home: Path) -> None:
    seen, changed = changed_by(all_of(sample_home))
    assert changed > seen / 4


@pytest.mark.shared
def test_real_transcripts(tmp_path: Path) -> None:
    with tarfile.open(shared("data/cases.tar.xz")) as archive:
        archive.extractall(tmp_path, filter="data")
    rows = [json.loads(path.read_text("utf-8")) for path in sorted(tmp_path.rglob("*.json"))]
    seen, changed = changed_by(row if isinstance(row, list) else row["messages"] for row in rows)
    assert changed > seen / 4
