"""Summaries by a model: many at once, each entry in its place, failures retried and counted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.compress.summarise.model_choice import ModelChoice
from core.trajectory.compress.plan import Settings
from core.trajectory.engines.local import LocalEngine
from core.trajectory.input.sources import find_input
from core.trajectory.run import Listener, Outcome, Target, run
from core.trajectory.shards.job import Job
from core.trajectory.summaries.base import SummarySpec
from tests.core.compress.summarise.far_end import FarEnd, far_end
from tests.core.trajectory import sets

QUIET = Listener(lambda *done: None, lambda *problem: None, lambda result: None)
SECRET = "sk-ant-api03-" + "Ab3" * 30


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return sets.written(
        tmp_path / "in.jsonl", [entry for entry in sets.entries(3, 24) if len(entry["conversations"]) > 14]
    )


def asked(source: Path, end: FarEnd, wire: str, **changes: Any) -> Outcome:
    base = end.root if wire == "anthropic" else f"{end.root}/v1"
    choice = ModelChoice(model="m", base_url=base, api_key="key-of-the-user")
    target = Target(str(source.with_name("out.jsonl")), folder=False, keep_parts=False)
    job = Job(
        sources=find_input(str(source)).sources,
        settings=Settings(release=changes.pop("release", "0.22"), target=600, summary_target=60),
        summary=SummarySpec(wire, choice=choice, concurrency=8),
        parts=target.parts,
        timeout=changes.pop("timeout", 20.0),
        size=4_000,
    )
    return run(job, target, LocalEngine(2), QUIET, restart=True)


def entries(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


@pytest.mark.parametrize("wire", ["openai", "anthropic"])
def test_failures_are_retried_and_every_request_is_counted(wire: str, source: Path) -> None:
    script = ["ok", "429", "ok", "500", "ok", "ok", "429", "ok"]
    with far_end(*script) as end:
        outcome = asked(source, end, wire)
    metrics = outcome.metrics
    assert metrics.trajectories_failed == 0
    assert metrics.total_summarization_calls == len(end.requests)
    assert metrics.total_summarization_errors == 3
    after = entries(source.with_name("out.jsonl"))
    assert [one["id"] for one in after] == [entry["id"] for entry in entries(source)]
    assert metrics.trajectories_compressed == sum("compression_metrics" in one for one in after)


def test_an_entry_nobody_summarises_stays_as_it_was(source: Path) -> None:
    with far_end("401") as end:
        outcome = asked(source, end, "openai")
    assert outcome.metrics.trajectories_compressed == 0
    assert outcome.metrics.trajectories_failed == len(outcome.problems) > 0
    assert source.with_name("out.jsonl").read_bytes() == source.read_bytes()


@pytest.mark.parametrize("behaviour", ["truncated", "beyond the window"])
def test_an_older_release_takes_an_answer_that_was_cut_off(behaviour: str, source: Path) -> None:
    with far_end(behaviour) as end:
        outcome = asked(source, end, "anthropic", release="0.19")
    assert outcome.metrics.trajectories_failed == 0
    assert outcome.metrics.trajectories_compressed > 0


def test_a_server_that_says_nothing_costs_the_time_of_an_entry_and_no_more(source: Path) -> None:
    with far_end("hang") as end:
        outcome = asked(source, end, "openai", timeout=0.8)
    assert outcome.metrics.trajectories_failed == len(outcome.problems) > 0
    assert source.with_name("out.jsonl").read_bytes() == source.read_bytes()


def test_credentials_of_a_trajectory_are_not_sent(source: Path) -> None:
    found = entries(source)
    for one in found:
        one["conversations"][len(one["conversations"]) // 2]["value"] += f" ANTHROPIC_API_KEY={SECRET}"
    sets.written(source, found)
    with far_end("ok") as end:
        asked(source, end, "openai")
    assert end.requests
    assert SECRET not in json.dumps([request["messages"] for request in end.requests])
