from __future__ import annotations

import os
import stat
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.support.file_cache import MOST, OLDEST, ROOM, keep


def aged(folder: Path, count: int, seconds: float) -> None:
    """Files of an age, each a second older than the one before."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(count):
        path = folder / f"old-{number:04}"
        path.write_bytes(b"x")
        moment = time.time() - seconds - number
        os.utime(path, (moment, moment))


def test_what_is_kept_is_whole_and_leaves_nothing_beside(tmp_path: Path) -> None:
    kept = tmp_path / "answers" / "one.json"
    keep(kept, b"first")
    keep(kept, b"second")
    assert kept.read_bytes() == b"second"
    assert [path.name for path in kept.parent.iterdir()] == ["one.json"]


def test_what_follows_is_written_after_what_it_begins_with(tmp_path: Path) -> None:
    keep(tmp_path / "one", b"a", (str(number).encode() for number in range(3)))
    assert (tmp_path / "one").read_bytes() == b"a012"


def test_what_fails_halfway_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    def broken() -> Iterator[bytes]:
        yield b"second"
        raise OSError

    keep(tmp_path / "one", b"first")
    keep(tmp_path / "one", b"the ", broken())
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"first"]


@pytest.mark.skipif(sys.platform == "win32", reason="has no permission bits")
def test_nobody_else_may_read_it(tmp_path: Path) -> None:
    keep(tmp_path / "one", b"x")
    assert stat.S_IMODE((tmp_path / "one").stat().st_mode) == 0o600


def test_a_folder_that_cannot_be_made_is_no_fault(tmp_path: Path) -> None:
    (tmp_path / "taken").write_bytes(b"")
    keep(tmp_path / "taken" / "one", b"x")
    assert (tmp_path / "taken").read_bytes() == b""


def test_a_folder_that_is_not_full_keeps_its_oldest_files(tmp_path: Path) -> None:
    aged(tmp_path, MOST - 1, 2 * OLDEST)
    keep(tmp_path / "one", b"x")
    assert len(list(tmp_path.iterdir())) == MOST


def test_the_oldest_files_of_a_full_folder_are_dropped(tmp_path: Path) -> None:
    aged(tmp_path, MOST, 60)
    keep(tmp_path / "one", b"x")
    left = {path.name for path in tmp_path.iterdir()}
    assert len(left) == MOST * 3 // 4
    assert {"one", "old-0000"} <= left
    assert f"old-{MOST - 1:04}" not in left


def test_a_full_folder_holds_nothing_older_than_a_month(tmp_path: Path) -> None:
    aged(tmp_path, MOST, OLDEST + 60)
    keep(tmp_path / "one", b"x")
    assert [path.name for path in tmp_path.iterdir()] == ["one"]


def large(folder: Path, count: int) -> None:
    """Files that hold a quarter of the room each, of which nothing is on disk."""
    aged(folder, count, 60)
    for path in folder.iterdir():
        moment = path.stat().st_mtime
        with path.open("r+b") as stream:
            stream.truncate(ROOM // 4)
        os.utime(path, (moment, moment))


def test_files_that_fill_the_room_stay(tmp_path: Path) -> None:
    large(tmp_path, 3)
    keep(tmp_path / "one", b"x")
    assert len(list(tmp_path.iterdir())) == 4


def test_the_oldest_of_few_large_files_are_dropped(tmp_path: Path) -> None:
    large(tmp_path, 4)
    keep(tmp_path / "one", b"x")
    assert {path.name for path in tmp_path.iterdir()} == {"one", "old-0000", "old-0001"}


def test_a_file_larger_than_the_room_is_kept_alone(tmp_path: Path) -> None:
    large(tmp_path, 2)
    keep(tmp_path / "one", b"", (bytes(2**20) for _ in range(ROOM // 2**20 + 1)))
    assert [path.name for path in tmp_path.iterdir()] == ["one"]
