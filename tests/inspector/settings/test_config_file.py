"""The user's file of settings: what it sets, and the line of what it cannot set."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest
import yaml

from core.errors import ConfigError
from inspector.settings.config_file import ConfigFile, own_config, own_settings, read_config
from inspector.settings.edit import TEMPLATE
from inspector.settings.settings import Settings, values


def read(tmp_path: Path, text: str) -> ConfigFile:
    path = tmp_path / "config.yaml"
    path.write_text(text, encoding="utf-8")
    return read_config(path)


def test_without_a_file_the_defaults_are_in_force() -> None:
    assert own_settings() == Settings()


def test_a_value_is_taken_and_its_line_is_known(tmp_path: Path) -> None:
    found = read(tmp_path, "theme: hermes-light\nhomes:\n  default: ~/elsewhere\nbudgets:\n  today: 2.50\n")
    assert found.problems == ()
    assert found.settings.homes.default == "~/elsewhere"
    assert found.settings.budgets.today == Decimal("2.5")
    assert found.lines["homes", "default"] == 3


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("theme: hermes-light\nhoems:\n  default: x\n", 2, "homes"),
        ("homes:\n  dfault: x\n", 2, "default"),
        ("theme: hermes-ligth\n", 1, "hermes-light"),
        ("keys:\n  sessions.sortt: o\n", 2, "sessions.sort"),
        ("formats:\n  money: cent\n", 2, "cents"),
        ("formats:\n  ages: clocks\n", 2, "clock"),
        ("theme: hermes-light\ncolumns: [last, models]\n", 2, "model"),
    ],
)
def test_an_unknown_name_is_refused_with_its_line_and_what_was_meant(
    tmp_path: Path, text: str, line: int, said: str
) -> None:
    (problem,) = read(tmp_path, text).problems
    assert problem.line == line
    assert said in problem.remedy


@pytest.mark.parametrize(
    "text",
    [
        "alerts:\n  context: 80\n",
        "budgets:\n  today: -1\n",
        "budgets:\n  today: .nan\n",
        "summariser:\n  name: oracle\n",
        "windows:\n  my-model: 0\n",
        "windows:\n  my-model: many\n",
        "columns: cost\n",
        "formats:\n  time: 25h\n",
        "homes: ~/.hermes\n",
        "- theme\n",
        "theme: [\n",
        "theme: hermes-light\ntheme: hermes-dark\n",
        "theme: " + "[" * 30_000,
        "5: five\n",
        "? [a, b]\n: c\n",
    ],
)
def test_what_cannot_be_used_is_a_problem_and_changes_nothing(tmp_path: Path, text: str) -> None:
    found = read(tmp_path, text)
    assert found.problems
    assert found.settings == Settings()


def test_every_problem_is_reported_not_only_the_first(tmp_path: Path) -> None:
    found = read(tmp_path, "theme: drak\nalerts:\n  context: 80\nhoems: 1\nbudget: 3\n")
    assert [problem.line for problem in found.problems] == [1, 2, 4, 5]


def test_a_section_with_nothing_in_it_is_fine(tmp_path: Path) -> None:
    assert read(tmp_path, "homes:\nkeys:\n").problems == ()


def test_the_first_problem_ends_a_command_with_its_line() -> None:
    own_config().parent.mkdir(parents=True)
    own_config().write_text("\nthme: dark\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"config\.yaml line 2: there is no setting 'thme'.*'theme'"):
        own_settings()


def test_a_new_file_begins_with_every_setting_and_each_can_be_switched_on(tmp_path: Path) -> None:
    lines = [line.removeprefix("# ") for line in TEMPLATE.read_text("utf-8").splitlines()[2:]]
    found = read(tmp_path, "\n".join(lines))
    assert found.problems == ()
    offered = {
        (name, *rest) for name, part in yaml.safe_load("\n".join(lines)).items() for rest in _below(part)
    }
    unnamed = {("keys",), ("windows",), ("summariser", "provider")}
    known = {path for path, _, _ in values(Settings())} - unnamed
    assert known <= offered


def _below(part: object) -> list[tuple[str, ...]]:
    return [(name,) for name in part] if isinstance(part, dict) else [()]
