"""What a family of sessions comes to, in one sentence."""

from __future__ import annotations

from pathlib import Path

from core.explain.headline.chain import chain_headline
from core.model.finding import Severity
from core.model.transcript.conversation import Chain, ChainNode
from core.model.transcript.session import Kind, Session
from core.store.store import Store


def test_what_is_odd_about_a_family_is_a_warning() -> None:
    told = chain_headline(Chain("a", "a", "a", "", (), ("its parent is missing",)))
    assert told.severity is Severity.WARNING
    assert "its parent is missing" in told.sentence


def test_a_session_whose_continuation_was_deleted_is_not_said_to_be_never_compacted() -> None:
    ended = Session("a", Path("state.db"), end_reason="compression")
    told = chain_headline(Chain("a", "a", "a", "", (ChainNode(ended, Kind.MAIN, None, 0, generations=1),)))
    assert told.sentence.startswith("One session, 1 compaction, ")


def test_a_family_whose_last_attempt_failed_is_a_warning(sample_home: Path) -> None:
    with Store(sample_home / "state.db") as store:
        failed = next(
            one.id for one in (row.session for row in store.sessions().rows) if one.guards.failure_error
        )
        told = chain_headline(store.chain(failed))
    assert told.sentence.startswith("One session, never compacted (the last attempt failed), ")
    assert told.severity is Severity.WARNING
