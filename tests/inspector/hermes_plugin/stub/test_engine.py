"""The engine in Hermes' process: what it hands to the worker, and what it does when there is none."""

from __future__ import annotations

import copy
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import core.compress.engines.contract as contract
from inspector.hermes_plugin.stub import worker_link
from inspector.hermes_plugin.stub.settings import Settings
from inspector.hermes_plugin.stub.worker_link import link_for
from tests.core.compress.engines.builders import conversation

ROOT = Path(__file__).parents[4]
USAGE = {"prompt_tokens": 60_000, "completion_tokens": 10, "total_tokens": 60_010}


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Makes an engine as Hermes would; the abstract class is ours in place of Hermes'."""
    agent = ModuleType("agent")
    agent.__path__ = []
    monkeypatch.setitem(sys.modules, "agent", agent)
    monkeypatch.setitem(sys.modules, "agent.context_engine", contract)
    from inspector.hermes_plugin.stub.engine import InspectorEngine

    made: list[Settings] = []

    def build(python: str = sys.executable, seconds: float = 60.0) -> Any:
        home = tmp_path / f"home{len(made)}"
        home.mkdir()
        monkeypatch.setenv("HERMES_HOME", str(home))
        settings = Settings(
            home=str(home),
            python=python,
            root=str(ROOT),
            state=str(tmp_path / "state"),
            engine=True,
            recorder=False,
            summariser={"name": "extractive"},
            seconds=seconds,
        )
        made.append(settings)
        return InspectorEngine(settings)

    yield build
    for settings in made:
        link_for(settings).close()
    worker_link._LINKS.clear()  # the next test may be given the same folder


def started(engine: Any) -> Any:
    engine.update_model(model="m", context_length=64_000, base_url="", provider="custom", api_mode="")
    engine.on_session_start("s1", platform="cli")
    return engine


def test_it_compacts_and_keeps_the_caller_s_own_rows(make: Any) -> None:
    engine = started(make())
    rows = conversation(80)
    rows[0]["_opaque"] = object()
    before = copy.copy(rows)
    after = engine.compress(rows, current_tokens=70_000)
    assert 0 < len(after) < len(before)
    assert rows == before
    assert after[-1] is before[-1]
    assert after[0] is before[0]
    assert engine._last_compression_made_progress
    assert engine.compression_count == 1
    assert engine.threshold_tokens > 0


def test_a_list_without_a_middle_comes_back_itself(make: Any) -> None:
    engine = started(make())
    rows = conversation(1)
    assert engine.compress(rows) is rows
    assert not engine._last_compression_made_progress


@pytest.mark.parametrize("python", ["/nowhere/python", "/bin/false"])
def test_without_a_worker_the_list_comes_back_and_one_warning_is_given(
    make: Any, python: str, caplog: pytest.LogCaptureFixture
) -> None:
    engine = started(make(python))
    rows = conversation(80)
    assert engine.compress(rows, current_tokens=70_000) is rows
    assert not engine._last_compression_made_progress
    engine.update_from_response(USAGE)
    assert engine.should_compress(70_000) is False
    assert engine.handle_tool_call("inspector_status", {}) == '{"error": "no answer"}'
    assert len([record for record in caplog.records if record.levelname == "WARNING"]) == 1


def test_a_worker_that_was_killed_is_replaced_by_one_that_knows_as_much(make: Any) -> None:
    engine = started(make())
    link = link_for(engine.inspector_settings)
    assert link._process is not None
    link._process.kill()
    link._process.wait()
    rows = conversation(80)
    assert len(engine.compress(rows, current_tokens=70_000)) < len(rows)


def test_counts_of_a_response_that_are_no_numbers_count_as_none(make: Any) -> None:
    engine = make("/nowhere/python")
    engine.update_from_response(
        {"prompt_tokens": "many", "completion_tokens": float("nan"), "total_tokens": [1]}
    )
    assert (engine.last_prompt_tokens, engine.last_completion_tokens, engine.last_total_tokens) == (0, 0, 0)


def test_copies_are_engines_of_their_own(make: Any) -> None:
    engine = started(make())
    for other in (copy.deepcopy(engine), engine.clone_for_agent()):
        assert other.inspector_id != engine.inspector_id
        assert other.name == "inspector"
        assert started(other).threshold_tokens == engine.threshold_tokens


def test_the_flags_of_a_compaction_end_with_the_next_real_count(make: Any) -> None:
    engine = started(make())
    engine.compress(conversation(80), current_tokens=70_000)
    engine._verify_compaction_cleared_threshold = engine.awaiting_real_usage_after_compression = True
    engine.update_from_response(USAGE)
    assert not engine._verify_compaction_cleared_threshold
    assert not engine.awaiting_real_usage_after_compression


def test_what_survives_is_measured_and_kept(make: Any, tmp_path: Path) -> None:
    from core.recordings.read import Recording

    engine = started(make())
    engine.compress(conversation(80), current_tokens=70_000)
    [kept] = Recording(tmp_path / "state").compactions(Path(engine.inspector_settings.home), ("s1",))
    assert kept.before == 162
    assert kept.after < kept.before
