"""What CONTRIBUTING.md says is there is there, and its examples work when they are carried out."""

from __future__ import annotations

import re
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
from core.model.compaction.settings import Settings
from core.support.yaml_tables import load_table
from sample_sessions.scenario import parse
from tests.core.compress.conversations import messages

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
    """What a piece of code defines where it would stand in a module."""
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
    ((key, entry),) = yaml.safe_load(example("# core/explain/diagnose/findings.yaml")).items()
    monkeypatch.setattr(registry, "CONVERSATION_RULES", {})
    monkeypatch.setattr(registry, "rules", lambda: {key: registry._rule(key, entry)})
    defined(example("from core.model.compaction.event import Trigger"), summary_rules)

    def said(*focuses: str | None) -> list[str]:
        events = [SimpleNamespace(trigger=Trigger.MANUAL, focus=focus, evidence=()) for focus in focuses]
        found, _ = registry.apply(registry.CONVERSATION_RULES, SimpleNamespace(completed=events), "s")
        return [finding.sentence for finding in found]

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
