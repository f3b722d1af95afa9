"""The recall tool of the plugin."""

from __future__ import annotations

from pathlib import Path

from inspector.hermes_plugin.recall import recall_answer
from tests.core.store.database import SessionDatabase


def test_it_reads_the_home_of_its_hermes_whatever_profile_is_the_active_one(tmp_path: Path) -> None:
    for home, words in ((tmp_path, "deploy to the staging host"), (tmp_path / "profiles" / "work", "else")):
        home.mkdir(parents=True, exist_ok=True)
        with SessionDatabase(home / "state.db") as database:
            database.session("s1")
            database.message("s1", "user", words)
    (tmp_path / "active_profile").write_text("work")
    found = recall_answer(tmp_path, "s1", {"query": "deploy"})
    assert [hit["text"] for hit in found["hits"]] == ["deploy to the staging host"]
