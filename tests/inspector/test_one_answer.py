"""The next request of a conversation has one size and one limit, whichever view is asked."""

from __future__ import annotations

import argparse
import json
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from core.live.alerts import Alerts, Limits
from core.preview.generation import read
from core.store.database.locate import locate
from core.store.store import Store
from core.support.formatting import count
from inspector.cli.engines.mcp import Answers
from inspector.cli.main import run
from inspector.screens.sessions.data.extras import measure
from inspector.screens.sessions.data.order import Order
from inspector.screens.sessions.data.source import read_page
from tests.shared import shared

_MOST = 12
"""Conversations of one home that are compared."""


class Told(NamedTuple):
    """What one view says."""

    tokens: int | None
    threshold: int | None


def _json(capsys: pytest.CaptureFixture[str], home: Path, *words: str) -> Any:
    assert run([*words, "--home", str(home), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def views(home: Path, session: str, capsys: pytest.CaptureFixture[str]) -> Iterator[tuple[str, Told]]:
    """What each view of a conversation says, but for the list."""
    plan, why = _json(capsys, home, "plan", session), _json(capsys, home, "why", session)["now"]
    yield "plan", Told(plan["compared_tokens"], plan["threshold_tokens"])
    yield "why", Told(why["tokens"], why["threshold"])
    status = _json(capsys, home, "status", session)
    yield "status", Told(status["tokens"], status["threshold"])
    answers = Answers(argparse.Namespace(db=None, home=home, profile=None))
    found = json.loads(answers.tools["plan"](session))
    yield "mcp", Told(found["compared_tokens"], found["threshold_tokens"])
    location = locate(home=home)[0]
    with Store(location) as store:
        generations = store.conversation(session).generations
        alert = next(Alerts(Limits(share=0.0)).passed(store, [session]), None)
    if alert is not None:
        yield "watch", Told(alert.facts["tokens"], alert.facts["threshold"])
    if generations:
        reading = read(location, generations[-1], lambda: False)
        mapped = reading.planned(reading.measured, reading.what_if.actual)
        yield "map", Told(mapped.compared_tokens, mapped.threshold_tokens)


def listed(home: Path) -> dict[str, Told]:
    """What the session list says of the conversations of a home."""
    location = locate(home=home)[0]
    lines = read_page([location], Order(), 0, _MOST).rows
    found = dict(measure(lines, lambda: False))
    pressures = {line.row.tip.id: found[line.key].context_use for line in lines}
    return {session: Told(one.tokens, one.threshold) for session, one in pressures.items()}


def assert_one_answer(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every view of every conversation agrees with the list."""
    for session, told in listed(home).items():
        found = dict(views(home, session, capsys))
        assert found == dict.fromkeys(found, told), (home, session)
        assert run(["plugin", "answer", "plan", "--session", session, "--home", str(home)]) == 0
        line = capsys.readouterr().out.splitlines()[0]
        assert line.removeprefix("~").startswith(f"{count(told.tokens or 0)} tokens")
        assert told.threshold is None or count(told.threshold) in line


def test_all_views_of_the_samples_agree(sample_home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert_one_answer(sample_home, capsys)


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Homes that real releases left, unpacked."""
    target = tmp_path_factory.mktemp("real")
    with tarfile.open(shared("truth/runs.tar.xz")) as archive:
        archive.extractall(target, filter="data")
    for packed in sorted(shared("truth/engines").glob("*.tar.xz")):
        with tarfile.open(packed) as archive:
            archive.extractall(target, filter="data")
    return target


@pytest.mark.shared
def test_all_views_of_real_homes_agree(real: Path, capsys: pytest.CaptureFixture[str]) -> None:
    homes = sorted(path.parent for path in real.glob("**/home/state.db"))
    assert len(homes) > 10
    for home in homes:
        assert_one_answer(home, capsys)


def assert_one_cost(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """List, usage and chain give each session the same cost, its summaries included."""
    rows = _json(capsys, home, "usage", "--by", "session")["rows"]
    booked = {row["key"]: row["cost"]["usd"] for row in rows if not row["task"]}
    for entry in _json(capsys, home, "sessions", "--all")["sessions"]:
        session, usd = entry["id"], entry["cost"]["usd"]
        assert float(booked[session] or 0) == pytest.approx(float(usd or 0)), (home, session)
        nodes = _json(capsys, home, "chain", session)["nodes"]
        assert [node["cost"]["usd"] for node in nodes if node["id"] == session] == [usd], (home, session)


def test_a_session_of_the_samples_costs_the_same_everywhere(
    sample_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert_one_cost(sample_home, capsys)


@pytest.mark.shared
def test_a_session_of_a_real_home_costs_the_same_everywhere(
    real: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for path in sorted(real.glob("**/home/state.db")):
        assert_one_cost(path.parent, capsys)
