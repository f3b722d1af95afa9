"""Tables are read from YAML once; the kept copy must never outlive or outgrow its source."""

from __future__ import annotations

import builtins
from pathlib import Path

import pytest
import yaml

from core.support import yaml_tables as tables
from core.support.own_files import cache_directory
from core.support.yaml_tables import load_table

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
def test_the_copy_beside_a_table_is_of_the_table_as_it_is(name: str) -> None:
    """Made again with `python -m tests.reference`."""
    copy = (ROOT / name).with_suffix(".json").read_text("utf-8")
    assert copy == tables.shipped_copy(ROOT / name), "run python -m tests.reference"


def test_a_copy_beside_a_table_counts_only_while_the_table_is_as_it_was(
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
