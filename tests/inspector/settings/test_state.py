"""What the app remembers between runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.settings.state import RememberedState


def test_what_is_remembered_is_there_in_the_next_run(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "app.json"
    RememberedState(file).remember("theme", "light")
    RememberedState(file).remember("welcomed", True)
    assert RememberedState(file).read("theme") == "light"
    assert RememberedState(file).read("welcomed") is True
    assert [one.name for one in file.parent.iterdir()] == ["app.json"]


@pytest.mark.parametrize("damaged", [b"", b"[]", b"{", b"\xff\xfe", b'"words"', b"[" * 100_000])
def test_a_damaged_file_remembers_nothing_and_is_replaced(tmp_path: Path, damaged: bytes) -> None:
    file = tmp_path / "app.json"
    file.write_bytes(damaged)
    state = RememberedState(file)
    assert state.read("theme") is None
    state.remember("theme", "dark")
    assert state.read("theme") == "dark"


def test_a_folder_that_cannot_be_made_is_not_a_failure(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    RememberedState(tmp_path / "file" / "app.json").remember("theme", "dark")
