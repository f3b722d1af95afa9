"""Tables are read from YAML once; no kept copy may outlive or outgrow its source, or be half a file."""

from __future__ import annotations

import builtins
import os
import stat
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from core.support import program_files as tables
from core.support.own_files import cache_directory
from core.support.program_files import MAX_FILES, OLDEST, ROOM, keep, load_table

ROOT = Path(__file__).parents[3]
MARKERS = "core/hermes/markers/markers.yaml"
SHIPPED = sorted(
    path.relative_to(ROOT).as_posix()
    for room in ("core", "inspector")
    for path in (ROOT / room).rglob("*.yaml")
)


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tables, "_ROOT", tmp_path)
    path = tmp_path / "one.yaml"
    path.write_text("a: [1, 2]\n")
    return path


@pytest.mark.parametrize("name", SHIPPED)
def test_the_kept_copy_says_what_the_source_says(name: str) -> None:
    source = yaml.safe_load((ROOT / name).read_text("utf-8"))
    assert load_table(name) == source
    assert load_table(name) == source


@pytest.mark.parametrize("name", tables.SHIPPED)
def test_the_copy_next_to_a_table_is_of_the_table_as_it_is(name: str) -> None:
    """Made again with `python -m tests.reference`."""
    copy = (ROOT / name).with_suffix(".json").read_text("utf-8")
    assert copy == tables.shipped_copy(ROOT / name), "run python -m tests.reference"


def test_a_copy_next_to_a_table_counts_only_while_the_table_is_as_it_was(
    table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "SHIPPED", ("one.yaml",))
    table.with_suffix(".json").write_text(tables.shipped_copy(table).replace("2]", "7]"))
    assert load_table("one.yaml") == {"a": [1, 7]}
    table.write_text("a: [1, 2, 3]\n")
    assert load_table("one.yaml") == {"a": [1, 2, 3]}
    table.with_suffix(".json").write_text("rubbish")
    assert load_table("one.yaml") == {"a": [1, 2, 3]}


def test_the_second_reading_needs_no_yaml(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load_table("one.yaml")
    monkeypatch.setattr(builtins, "__import__", lambda name, *_: pytest.fail(f"imports {name}"))
    assert load_table("one.yaml") == {"a": [1, 2]}


def test_a_changed_source_is_read_again(table: Path) -> None:
    load_table("one.yaml")
    table.write_text("a: [1, 2, 3]\n")
    assert load_table("one.yaml") == {"a": [1, 2, 3]}


def test_every_reader_gets_a_table_of_its_own(table: Path) -> None:
    load_table("one.yaml")["a"].append(9)
    load_table("one.yaml")["a"].append(9)
    assert load_table("one.yaml") == {"a": [1, 2]}


@pytest.mark.parametrize("rubbish", [b"", b"\x00", b"rubbish", b"\xe9\x01\x00\x00\x00"])
def test_a_damaged_copy_is_made_again(table: Path, rubbish: bytes) -> None:
    load_table("one.yaml")
    (kept,) = (cache_directory() / "tables").iterdir()
    kept.write_bytes(rubbish)
    assert load_table("one.yaml") == {"a": [1, 2]}
    assert kept.read_bytes() != rubbish


def test_what_cannot_be_kept_is_read_every_time(table: Path) -> None:
    table.write_text("day: 2026-11-20\n")
    assert str(load_table("one.yaml")["day"]) == "2026-11-20"
    assert str(load_table("one.yaml")["day"]) == "2026-11-20"


def test_without_a_folder_to_write_to_tables_are_read_all_the_same(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(table))  # a file
    assert load_table("one.yaml") == {"a": [1, 2]}

    def nowhere() -> Path:
        raise RuntimeError("no home")

    monkeypatch.setattr(tables, "cache_directory", nowhere)
    assert load_table("one.yaml") == {"a": [1, 2]}


def test_a_table_that_does_not_exist_is_an_error() -> None:
    with pytest.raises(FileNotFoundError):
        load_table("core/none.yaml")


def aged(folder: Path, count: int, seconds: float) -> None:
    """Files of an age, each a second older than the one before."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(count):
        path = folder / f"old-{number:04}"
        path.write_bytes(b"x")
        moment = time.time() - seconds - number
        os.utime(path, (moment, moment))


def test_what_is_kept_is_complete_and_leaves_nothing_next_to_it(tmp_path: Path) -> None:
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


def test_a_folder_that_cannot_be_made_is_not_a_fault(tmp_path: Path) -> None:
    (tmp_path / "taken").write_bytes(b"")
    keep(tmp_path / "taken" / "one", b"x")
    assert (tmp_path / "taken").read_bytes() == b""


def test_a_folder_that_is_not_full_keeps_its_oldest_files(tmp_path: Path) -> None:
    aged(tmp_path, MAX_FILES - 1, 2 * OLDEST)
    keep(tmp_path / "one", b"x")
    assert len(list(tmp_path.iterdir())) == MAX_FILES


def test_the_oldest_files_of_a_full_folder_are_dropped(tmp_path: Path) -> None:
    aged(tmp_path, MAX_FILES, 60)
    keep(tmp_path / "one", b"x")
    left = {path.name for path in tmp_path.iterdir()}
    assert len(left) == MAX_FILES * 3 // 4
    assert {"one", "old-0000"} <= left
    assert f"old-{MAX_FILES - 1:04}" not in left


def test_a_full_folder_holds_nothing_older_than_a_month(tmp_path: Path) -> None:
    aged(tmp_path, MAX_FILES, OLDEST + 60)
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
