"""The README and the program agree, and the machine that checks every push runs what the README says."""

from __future__ import annotations

import io
import json
import pkgutil
import re
import shlex
import sys
from pathlib import Path

import pytest

from core.support.program_files import load_table
from inspector.base.commands import table
from inspector.base.named_screens import NAMES
from inspector.base.words import screen_questions
from inspector.cli.main import run, split
from inspector.cli.registry import COMMANDS
from inspector.settings.settings import Settings, values
from tests import examples
from tests.reference.all_pages import DOCS, pages
from tests.reference.commands import MADE
from tests.shipped import FILES, SHARE, direct, shared_files

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
CHECK = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
FENCE = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)
GUIDES = [ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
LINES = [line for block in FENCE.findall(README) for line in block.splitlines() if line.strip()]
GUIDE_TEXTS = [guide.read_text(encoding="utf-8") for guide in GUIDES]
GUIDE_LINES = [line for text in GUIDE_TEXTS for block in FENCE.findall(text) for line in block.splitlines()]
CALLS = [line for line in dict.fromkeys([*LINES, *GUIDE_LINES]) if line.startswith("hermes-inspector")]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_a_page_with_an_example_and_its_options(command: str) -> None:
    written, marker, made = (DOCS / f"commands/{command}.md").read_text(encoding="utf-8").partition(MADE)
    assert f"hermes-inspector {command}" in written
    assert marker
    assert "## Options" in made


@pytest.mark.parametrize("name", [name for name in pages() if not name.endswith("licences.md")])
def test_a_page_says_what_the_program_says_today(name: str) -> None:
    """Made again with `python -m tests.reference`."""
    assert (DOCS / name).read_text(encoding="utf-8") == pages()[name]


def test_the_reference_names_every_scope_setting_and_finding() -> None:
    written = {path.stem: path.read_text(encoding="utf-8") for path in (DOCS / "reference").glob("*.md")}
    findings = load_table("core/explain/diagnose/findings.yaml")
    expected = {
        "keys": [f"## {one.scope}" for one in table()] + [f"`{one.id}`" for one in table()],
        "settings": [f"`{'.'.join(path)}`" for path, _, _ in values(Settings())],
        "findings": [f"## {name}: {rule['name']}" for name, rule in findings.items()],
    }
    assert [one for page, names in expected.items() for one in names if one not in written[page]] == []


def test_every_screen_answers_a_question_and_names_keys_that_exist() -> None:
    scopes = {one.scope for one in table()}
    assert set(screen_questions()) == set(NAMES)
    assert all(question.asks.endswith("?") for question in screen_questions().values())
    assert {scope for question in screen_questions().values() for scope in question.scopes} - scopes == set()


@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="argparse words usage lines by its release")
@pytest.mark.parametrize("place", FILES.values())
def test_what_the_wheel_ships_for_shells_and_man_is_what_the_program_prints(place: str) -> None:
    """Made again with `python -m tests.reference`."""
    assert (SHARE / place).read_text(encoding="utf-8") == shared_files()[place]


def test_every_package_that_is_installed_along_is_named_with_a_free_licence() -> None:
    page = (DOCS / "reference" / "licences.md").read_text(encoding="utf-8")
    assert [name for name in direct() if f"| {name} |" not in page] == []
    assert "not named" not in page
    assert re.search(r"\| A?GPL", page) is None


def test_data_others_made_is_named_with_its_version_and_dates() -> None:
    page = (DOCS / "reference" / "licences.md").read_text(encoding="utf-8")
    assert re.search(r"\| genai-prices \| \d+\.\d+", page)
    assert re.search(r"say from\nwhich day their rates hold, \d{4}-\d\d-\d\d to \d{4}-\d\d-\d\d;", page)
    assert "Hermes Agent 0.22" in page


def test_every_page_is_reached_from_the_contents() -> None:
    contents = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    folder = ROOT / "docs"
    pages_there = [path.relative_to(folder).as_posix() for path in folder.rglob("*.md")]
    assert [page for page in pages_there if f": {page}\n" not in contents] == []


ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
DOTTED = sorted(set(re.findall(r"`((?:core|inspector)(?:\.\w+)+)`", ARCHITECTURE)))


@pytest.mark.parametrize("name", DOTTED)
def test_what_the_architecture_names_is_there(name: str) -> None:
    assert pkgutil.resolve_name(name) is not None


LINKS = re.compile(r"\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)")


@pytest.mark.parametrize("page", [ROOT / "README.md", *GUIDES], ids=lambda page: page.name)
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    links = LINKS.findall(page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


@pytest.mark.parametrize("line", CALLS)
def test_every_example_names_commands_and_options_that_exist(
    line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = shlex.split(line.partition(" #")[0].partition(" | ")[0].partition(" > ")[0], comments=True)[1:]
    command, rest = split(words)
    assert run([command, "--help"] if command else ["--help"]) == 0
    documented = capsys.readouterr().out
    options = [word.partition("=")[0] for word in rest if word.startswith("--")]
    assert [option for option in options if option not in documented] == []


@pytest.mark.parametrize("page", examples.PAGES, ids=lambda page: page.name)
def test_what_a_page_shows_is_what_the_samples_say(page: Path, sample_home: Path) -> None:
    text = page.read_text(encoding="utf-8")
    made = examples.refreshed(text, lambda said: examples.printed(said, sample_home))
    told = [line for line in text.splitlines() if line not in made.splitlines()]
    assert told == [], "refresh the figures with: python -m tests.reference"


def test_the_readme_shows_figures_of_three_commands() -> None:
    assert len({command for command, _ in examples.shown(README)}) >= 3


NOT_RUN = re.compile(
    r"hermes-inspector( (demo( --path| --screen \S+)?|undo|repair.*|config edit|serve.*|mcp|plugin.*"
    r"|.*--screenshot.*))?( +#.*)?$"
    r"|.*(--apply|--fleet|--summariser|--engine|--compare-engine|--hermes-python|--engine ray|--browse|~/)"
    r"|hermes-inspector (watch(?!.*--once)|trajectory '|reconcile|engines|completion)"
)
"""What opens the app or listens, writes, asks a model, or needs what no machine has."""


@pytest.mark.parametrize("line", [line for line in CALLS if not NOT_RUN.match(line)])
def test_every_example_runs_on_the_samples(
    line: str,
    sample_home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    said = [{"role": role, "content": f"{role} {n}"} for n in range(40) for role in ("user", "assistant")]
    run_of = {"conversations": [{"from": "human", "value": "hello"}, {"from": "gpt", "value": "hello"}]}
    monkeypatch.chdir(tmp_path)
    (tmp_path / "messages.json").write_text(json.dumps(said), encoding="utf-8")
    (tmp_path / "runs.jsonl").write_text(json.dumps(run_of), encoding="utf-8")
    (tmp_path / "summary.md").write_text("## Goal\nSay hello.", encoding="utf-8")
    monkeypatch.setattr("sys.stdin", io.StringIO("prompt is too long: 210000 tokens > 200000 maximum"))
    monkeypatch.setattr("sample_sessions.demo.demo_home", lambda: sample_home)
    where = [] if " demo " in line else ["--home", str(sample_home)]
    code = run([*examples.words(line), *where])
    assert code in ((0, 6) if "--budget" in line else (0,)), capsys.readouterr().err


def test_the_first_two_commands_need_only_python() -> None:
    demo, tests = LINES[:2]
    assert demo.startswith("python3 -m venv")
    assert demo.endswith("hermes-inspector demo")
    assert tests.startswith("python3 -m venv")
    assert " -m pytest" in tests


def test_the_check_takes_its_test_command_from_the_readme() -> None:
    pattern = re.search(r"sed -n \"s/(.+?)/&/p\" README\.md", CHECK)
    assert pattern is not None
    assert [line for line in LINES if re.match(pattern.group(1), line)] == [LINES[1]]


def test_the_changelog_has_room_for_the_next_change() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert "## [Unreleased]" in changelog


NAMED = re.compile(r"`((?:core|inspector|themes|sample_sessions|tests)(?:[./][\w.]+)+/?)`")


@pytest.mark.parametrize("guide", GUIDES, ids=lambda guide: guide.name)
def test_every_room_and_file_a_guide_names_is_there(guide: Path) -> None:
    named = NAMED.findall(guide.read_text(encoding="utf-8"))
    assert [one for one in named if not _there(one)] == []


def _there(name: str) -> bool:
    """A path, a module, or a name in a module."""
    if "/" in name:
        return "*" in name or (ROOT / name).exists() or name.endswith(("0.23.yaml", "21-two-words.yaml"))
    path = ROOT / name.replace(".", "/")
    return path.exists() or path.with_suffix(".py").exists() or path.parent.with_suffix(".py").exists()
