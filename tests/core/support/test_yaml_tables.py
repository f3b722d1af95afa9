"""Tables are read from YAML once; the kept copy must never outlive or outgrow its source."""

from __future__ import annotations

import builtins
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from core.support import yaml_tables as tables
from core.support.own_files import (
    MOST_BYTES,
    BadYaml,
    built_yaml,
    cache_directory,
    read_user_file,
    user_yaml,
    weight,
)
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


BOMB = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 9)
)
MERGES = "a0: &a0 {x: 1, y: 2}\n" + "".join(
    f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 10)}], k{n}: 1}}\n" for n in range(1, 9)
)


def test_what_people_write_is_read() -> None:
    text = "model: {default: m, context_length: 64000}\nbase: &b {x: 1}\nmore: {<<: *b, y: 2}\nlist: [*b, *b]"
    found = user_yaml(text)
    assert found["model"]["context_length"] == 64_000
    assert (found["more"], found["list"]) == ({"x": 1, "y": 2}, [{"x": 1}, {"x": 1}])
    assert user_yaml(b"") is None


@pytest.mark.parametrize("opening", ["[", "{a: ", "- "])
def test_thirty_thousand_levels_end_in_a_line_and_not_the_process(opening: str) -> None:
    code = (
        "import sys\nfrom core.support.yaml_tables import BadYaml, user_yaml\n"
        f"try:\n    user_yaml('a: ' * {int(opening != '- ')} + {opening!r} * 30_000)\n"
        "except BadYaml as error:\n    print(error.problem)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, "is nested more than 100 levels deep")


@pytest.mark.parametrize("text", [BOMB, MERGES])
def test_a_few_lines_cannot_stand_for_billions_of_values(text: str) -> None:
    with pytest.raises(BadYaml, match="stands for more than 500,000 values"):
        user_yaml(text)


def test_shared_aliases_cost_nothing_and_merged_ones_do() -> None:
    tree = built_yaml(BOMB, lambda loader: loader.get_single_data(), shared=True)
    assert weight(tree["a8"]) > 1_000_000_000
    with pytest.raises(BadYaml):
        built_yaml(MERGES, lambda loader: loader.get_single_data(), shared=True)


@pytest.mark.parametrize(
    "text", ["a: &a [*a]", "a: [", "when: 2026-13-41", f"n: {'9' * 6_000}", "a: !!python/object:os.system {}"]
)
def test_what_cannot_be_built_is_told_in_a_few_words(text: str) -> None:
    with pytest.raises(BadYaml) as caught:
        user_yaml(text)
    assert caught.value.problem
    assert len(str(caught.value)) < 400


def test_pipes_are_not_waited_for_and_huge_files_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(BadYaml, match="not a regular file"):
        read_user_file(tmp_path / "pipe")
    with (tmp_path / "huge").open("wb") as stream:
        stream.truncate(MOST_BYTES + 1)
    with pytest.raises(BadYaml, match="larger than 4 MiB"):
        read_user_file(tmp_path / "huge")
    with pytest.raises(FileNotFoundError):
        read_user_file(tmp_path / "none")
