"""What a home says of when the identity of its agent changed."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

from core.account.prompt_cache.calls import identity_changed

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)


def test_an_identity_is_another_once_the_stored_prompt_no_longer_holds_it(tmp_path: Path) -> None:
    assert identity_changed(tmp_path, "You are Hermes.") is None
    soul = tmp_path / "SOUL.md"
    soul.write_text("You are Athena.\n")
    os.utime(soul, (NOON.timestamp(), NOON.timestamp()))
    assert identity_changed(tmp_path, "You are Hermes.\n\nRules") == NOON
    assert identity_changed(tmp_path, "You are Athena.\n\nRules") is None
    assert identity_changed(tmp_path, None) is identity_changed(None, "You are Hermes.") is None


def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "SOUL.md")
    assert identity_changed(tmp_path, "a prompt") is None
