"""An offline summary with a focus keeps what the focus holds."""

from __future__ import annotations

import json
import tarfile

import pytest

from core.compress.retention.score import retention
from core.model.compaction.preview import FactCount
from core.model.transcript.message import Message
from tests.core.compress.builders import assistant, call, user
from tests.core.compress.summarise.extracts import session, summary
from tests.shared import shared


def _rate(count: FactCount | None) -> float:
    assert count is not None
    assert count.of
    return (count.kept + count.paraphrased) / count.of


def _transcripts() -> list[list[Message]]:
    with tarfile.open(shared("data/cases.tar.xz")) as bundle:
        names = [name for name in bundle.getnames() if name.endswith(".json") and "claude-code" in name][:4]
        files = [bundle.extractfile(name) for name in names]
        return [[Message(wire) for wire in json.load(file)["messages"]][3:-8] for file in files if file]


@pytest.mark.parametrize("focus", ["billing", "the billing service"])
@pytest.mark.parametrize("budget", [600, 2_000, 8_000])
def test_a_focus_survives_at_twice_the_rate_of_the_rest(focus: str, budget: int) -> None:
    middle: list[Message] = []
    for n in range(60):
        area = "billing" if n % 4 == 0 else ("search", "upload", "mail")[n % 3]
        middle += [
            user(f"Look at {area} case {n}, ticket {area.upper()[:3]}-{1000 + n}"),
            *call(
                "read_file",
                f"src/{area}/part_{n}.py has {n + 10} lines, took {n}.5 ms",
                path=f"src/{area}/m{n}.py",
            ),
            *call(
                "terminal",
                f"E   {area.title()}Error: case {n} broke\ncommit {n:02x}ab12f{n:02d}",
                command=f"pytest {area} {n}",
            ),
            assistant(f"The {area} case {n} is settled in src/{area}/m{n}.py."),
        ]
    body = summary(middle, budget=budget, focus=focus)
    report = retention(middle, body, focus=focus)
    assert _rate(report.focus) >= 2 * _rate(report.rest)
    plain = retention(middle, summary(middle, budget=budget), focus=focus)
    assert _rate(report.focus) > _rate(plain.focus)


def test_a_focus_nobody_mentions_takes_nothing_away() -> None:
    assert summary(session(), focus="kubernetes") == summary(session())


def test_a_focus_only_the_summary_before_speaks_of_is_favoured_too() -> None:
    previous = "## Critical Context\n- The billing ledger is in /srv/billing/ledger.db, ticket BIL-77."
    middle = [message for n in range(12) for message in call("patch", "x", path=f"src/mail_{n}.py")]
    body = summary(middle, previous=previous, focus="billing", budget=500)
    assert "/srv/billing/ledger.db" in body
    assert sum(f"mail_{n}.py" in body for n in range(12)) <= 6


@pytest.mark.shared
def test_a_focus_wins_on_real_transcripts() -> None:
    wins = []
    for middle in _transcripts():
        for focus in ("checkpoint", "test", "hooks"):
            report = retention(middle, summary(middle, budget=4_000, focus=focus), focus=focus)
            if report.focus and report.rest and report.focus.of >= 5 and report.rest.of >= 15:
                wins.append(_rate(report.focus) >= 2 * _rate(report.rest))
    assert len(wins) >= 4
    assert sum(wins) >= 0.85 * len(wins)


RUNS = "\n".join(f"latency {n}: commit {n * 7919:07x}ab{n:03d}cd took {n}.25 ms" for n in range(300))


@pytest.mark.parametrize("budget", [1_000, 2_000, 4_000])
def test_a_focus_uses_the_budget_while_facts_of_it_are_left_and_never_more(budget: int) -> None:
    middle = [
        user("Measure the latency."),
        *call("terminal", RUNS, command="bench latency"),
        assistant("Ok."),
    ]
    plain = summary(middle, budget=budget)
    focused = summary(middle, budget=budget, focus="latency")
    assert len(plain) < len(focused) <= 4 * budget
    report = retention(middle, focused, focus="latency")
    assert report.focus is not None
    assert not report.focus.lost


def test_what_a_focus_has_no_use_for_goes_to_the_rest() -> None:
    middle = session()
    plain, focused = summary(middle, budget=4_000), summary(middle, budget=4_000, focus="conftest")
    assert len(focused) > 0.6 * len(plain)


@pytest.mark.shared
@pytest.mark.parametrize("focus", ["checkpoint", "test", "hooks", "config"])
def test_with_room_left_hardly_a_fact_of_the_focus_is_lost(focus: str) -> None:
    reports = [
        retention(middle, summary(middle, budget=8_000, focus=focus), focus=focus)
        for middle in _transcripts()
    ]
    counts = [report.focus for report in reports if report.focus]
    assert sum(count.lost for count in counts) <= 0.03 * sum(count.of for count in counts)
