"""Which conversation a session's spending belongs to."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.account.spending import conversations
from core.account.spending.conversations import read_threads
from core.store.store import Store


def test_of_one_session_its_family_says_what_the_whole_database_does(
    sample_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store(sample_home / "state.db") as store:
        every = read_threads(store)
        monkeypatch.setattr(conversations, "every_family", None)
        assert len(every.roots) > 20
        for session, root in every.roots.items():
            own = read_threads(store, session)
            assert own.root(session) == root
            assert own.members(root) == every.members(root)
            assert sorted(own.delegates(root)) == sorted(every.delegates(root))
