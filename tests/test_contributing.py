"""What CONTRIBUTING.md says is there is there, and its examples work when they are carried out."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
import yaml

from core.compress.dry_run import preview
from core.compress.planning.measure import measure
from core.compress.planning.plan import plan
from core.explain.diagnose import registry
from core.explain.diagnose.rules.compression import summary as summary_rules
from core.hermes.policy import policy
from core.model.compaction.event import Trigger
from core.model.compaction.plan import Settings
from core.support.program_files import load_table
from sample_sessions.scenario import parse
from tests.core.compress.conversations import messages
from tests.core.store.database import SessionDatabase

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
FENCE = re.compile(r"^```(\w+)\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
PROSE = FENCE.sub("", TEXT)
PATHS = sorted(set(re.findall(r"`((?:core|inspector|themes|sample_sessions|tests|\.ci)/[\w./*-]*)`", PROSE)))


def example(starts: str) -> str:
    """The one fenced block that begins so."""
    (found,) = (block for _, block in FENCE.findall(TEXT) if block.startswith(starts))
    return str(found)


def defined(code: str, module: ModuleType) -> dict[str, Any]:
    """What a piece of code would define in a module."""
    namespace = dict(vars(module))
    exec(compile(code, "CONTRIBUTING.md", "exec"), namespace)  # our own text
    return namespace


@pytest.mark.parametrize("path", PATHS)
def test_every_path_it_names_exists(path: str) -> None:
    assert list(ROOT.glob(path.rstrip("/")))


def test_a_release_is_added_with_the_fields_that_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    added = yaml.safe_load(example("# core/hermes/policy/releases/0.23.yaml"))
    monkeypatch.setattr(
        policy, "load_table", lambda path: dict(added) if path.endswith("/0.23.yaml") else load_table(path)
    )
    monkeypatch.setattr(policy, "_names", lambda: ("0.22", "0.23"))
    made, parent = policy.load_policy.__wrapped__("0.23"), policy.load_policy("0.22")
    assert made.threshold.small_percent == added["threshold"]["small_percent"]
    assert replace(made.threshold, small_percent=parent.threshold.small_percent) == parent.threshold


def test_a_finding_is_words_and_a_function(monkeypatch: pytest.MonkeyPatch) -> None:
    table = yaml.safe_load(example("# core/explain/diagnose/findings.yaml"))
    monkeypatch.setitem(registry.CONVERSATION_RULES, "C20", list)  # taken out again after the test
    monkeypatch.setattr(registry, "load_table", lambda path: table)
    monkeypatch.setattr(registry, "rules", registry.rules.__wrapped__)
    defined(example("from core.model.compaction.event import Trigger"), summary_rules)

    def said(*focuses: str | None) -> list[str]:
        events = [SimpleNamespace(trigger=Trigger.MANUAL, focus=focus, evidence=()) for focus in focuses]
        found = registry.apply(registry.CONVERSATION_RULES, SimpleNamespace(completed=events), "s")
        return [finding.sentence for finding in found.findings]

    assert said(None, "parser", None) == ["2 compactions by hand named no topic"]
    assert said("parser") == []


def test_a_summariser_is_a_class_with_one_method() -> None:
    made = defined(example("from core.redact.text import redact_text"), ModuleType("opening"))
    measured = measure(messages(11), policy.load_policy("0.19"))
    written = preview(measured, plan(measured, Settings(window=64_000)), made["OpeningSummariser"]())
    assert written.summary is not None
    assert written.summary.startswith("## ")
    assert not written.feedback.fallback_used


def test_a_sample_session_is_a_file() -> None:
    raw = yaml.safe_load(example("# sample_sessions/scenarios/"))
    (session,) = parse("21", raw).sessions
    assert session.title == "Say hello"


PACKAGES = ("core", "inspector", "themes", "sample_sessions")


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project in which whatever CONTRIBUTING.md says was done."""
    copy = tmp_path_factory.mktemp("checkout")
    for package in PACKAGES:
        shutil.copytree(ROOT / package, copy / package, ignore=shutil.ignore_patterns("__pycache__"))
    subprocess.run(example("sed "), shell=True, cwd=copy, check=True)
    for kind, block in FENCE.findall(TEXT):
        named = re.match(r"# ([\w/]+\.py)\b", block)
        if kind == "python" and named:
            (copy / named[1]).write_text(block.partition("\n")[2], "utf-8")
    _insert(copy / "inspector/base/commands.yaml", "", example("# inspector/base/commands.yaml"))
    screen = copy / "inspector/screens/sessions/screen.py"
    method = example("    def action_sources")
    _insert(screen, "self.app.push_screen(SearchScreen(everywhere(self.locations)))\n", f"\n{method}")
    _insert(copy / "inspector/cli/registry.py", "COMMANDS = {\n", example('    "sources": Command('))
    (entry,) = re.findall(r"in `PAGES` of `[\w/.]+`: `(.*)`\.", TEXT)
    _insert(copy / "inspector/base/named_screens.py", "PAGES = {", f"{entry}, ")
    return copy


def _insert(path: Path, after: str, text: str) -> None:
    """Insert a text after another that occurs once; without one, at the end of a file."""
    head, found, rest = (
        path.read_text("utf-8").rpartition(after) if after else (path.read_text("utf-8"), "", "")
    )
    assert bool(found) == bool(after)
    path.write_text(head + found + text + rest, "utf-8")


def found(checkout: Path) -> dict[str, str]:
    """The environment in which the copy is the project."""
    return os.environ | {"PYTHONPATH": str(checkout)}


def carried_out(checkout: Path, home: Path, *words: str) -> str:
    """What the changed program prints."""
    done = subprocess.run(
        [sys.executable, "-P", "-m", "inspector", *words, "--home", str(home)],
        capture_output=True,
        text=True,
        cwd=checkout,
        check=False,
        env=found(checkout),
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def frame(checkout: Path, home: Path, screen: str) -> str:
    picture = home.parent / f"{screen}.svg"
    carried_out(checkout, home, "--screen", screen, "--screenshot", str(picture))
    return picture.read_text("utf-8")


@pytest.fixture
def two_sources(tmp_path: Path) -> Path:
    """A home with sessions held in two places."""
    home = tmp_path / "home"
    home.mkdir()
    with SessionDatabase(home / "state.db") as database:
        for number, source in enumerate(("cli", "telegram", "telegram")):
            database.session(f"s{number}", source=source)
            database.turn(f"s{number}", "hello")
    return home


def test_a_theme_is_a_file_and_the_settings_start_the_app_with_it(checkout: Path, two_sources: Path) -> None:
    settings = Path(carried_out(checkout, two_sources, "config", "path").strip())
    settings.parent.mkdir(parents=True)
    settings.write_text("theme: hermes-dusk\n", "utf-8")
    assert carried_out(checkout, two_sources, "config", "check")
    assert "#141019" in frame(checkout, two_sources, "sessions")
    held = [sys.executable, "-P", "-m", "pytest", "-v", "-p", "no:cacheprovider", "--rootdir", str(checkout)]
    shutil.copy(ROOT / "tests/themes/test_loader.py", checkout / "test_themes.py")
    done = subprocess.run(
        [*held, "test_themes.py"],
        capture_output=True,
        text=True,
        cwd=checkout,
        check=False,
        env=found(checkout),
    )
    assert "[hermes-dusk-16] PASSED" in done.stdout
    assert done.returncode == 0, done.stdout


def test_a_screen_is_opened_by_its_name(checkout: Path, two_sources: Path) -> None:
    shown = frame(checkout, two_sources, "sources").replace("&#160;", " ")
    assert re.search(r"2\b.*telegram", shown, re.DOTALL)
    assert "esc" in shown


def test_a_subcommand_says_the_same_to_people_and_to_scripts(checkout: Path, two_sources: Path) -> None:
    told = carried_out(checkout, two_sources, "sources")
    assert [line.split() for line in told.splitlines()] == [["2", "telegram"], ["1", "cli"]]
    found = json.loads(carried_out(checkout, two_sources, "sources", "--json"))
    assert found == {"sources": {"telegram": 2, "cli": 1}}
    assert "where the sessions are from" in carried_out(checkout, two_sources, "--help")
