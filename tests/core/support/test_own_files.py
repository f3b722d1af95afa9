"""YAML that a person wrote is read within bounds, or refused in a few words."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from core.support.own_files import (
    MAX_BYTES,
    BadYaml,
    built_yaml,
    read_user_file,
    user_yaml,
    weight,
)

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
        "import sys\nfrom core.support.own_files import BadYaml, user_yaml\n"
        f"try:\n    user_yaml('a: ' * {int(opening != '- ')} + {opening!r} * 30_000)\n"
        "except BadYaml as error:\n    print(error.problem)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, "is nested more than 100 levels deep")


@pytest.mark.parametrize("text", [BOMB, MERGES])
def test_a_few_lines_cannot_stand_for_billions_of_values(text: str) -> None:
    with pytest.raises(BadYaml, match="expands to more than 500,000 values"):
        user_yaml(text)


def test_shared_aliases_cost_nothing_and_merged_ones_do() -> None:
    tree = built_yaml(BOMB, lambda loader: loader.get_single_data(), shared=True)
    assert weight(tree["a8"]) > 1_000_000_000
    with pytest.raises(BadYaml):
        built_yaml(MERGES, lambda loader: loader.get_single_data(), shared=True)


@pytest.mark.parametrize(
    "text", ["a: &a [*a]", "a: [", "when: 2026-13-41", f"n: {'9' * 6_000}", "a: !!python/object:os.system {}"]
)
def test_what_cannot_be_built_is_reported_in_a_few_words(text: str) -> None:
    with pytest.raises(BadYaml) as caught:
        user_yaml(text)
    assert caught.value.problem
    assert len(str(caught.value)) < 400


def test_pipes_are_not_waited_for_and_huge_files_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(BadYaml, match="not a regular file"):
        read_user_file(tmp_path / "pipe")
    with (tmp_path / "huge").open("wb") as stream:
        stream.truncate(MAX_BYTES + 1)
    with pytest.raises(BadYaml, match="larger than 4 MiB"):
        read_user_file(tmp_path / "huge")
    with pytest.raises(FileNotFoundError):
        read_user_file(tmp_path / "none")
