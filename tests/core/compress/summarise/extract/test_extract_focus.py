"""An offline summary with a focus keeps what the focus holds."""

from __future__ import annotations

import json
import tarfile

import pytest

from core.compress.facts.collect import Found
from core.compress.retention.score import retention
from core.compress.summarise.extract.content_selection import quotes
from core.model.compaction.preview import FactCount, Retention
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
def test_where_something_must_go_the_focus_survives_at_twice_the_rate_of_the_rest(focus: str) -> None:
    middle = _areas()
    for budget in (300, 600, 1_000):
        report = retention(middle, summary(middle, budget=budget, focus=focus), focus=focus)
        assert _rate(report.focus) >= 2 * _rate(report.rest)
        plain = retention(middle, summary(middle, budget=budget), focus=focus)
        assert _rate(report.focus) > _rate(plain.focus)


def test_room_that_the_focus_leaves_goes_to_the_rest() -> None:
    middle = _areas()
    tight, wide = (
        retention(middle, summary(middle, budget=budget, focus="billing"), focus="billing")
        for budget in (1_000, 8_000)
    )
    assert _rate(wide.focus) > 0.95
    assert _rate(wide.rest) > _rate(tight.rest) + 0.1


def _areas() -> list[Message]:
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
    return middle


def test_a_line_of_a_list_is_quoted_with_one_dash() -> None:
    rule = "- The last login time is written behind; a crash can lose 20 ms of it."
    (quoted,) = quotes([Found("state", rule, [3])], "", 100, len)
    assert quoted.text == rule.removeprefix("- ")


def test_a_focus_nobody_mentions_takes_nothing_away() -> None:
    assert summary(session(), focus="kubernetes") == summary(session())


def test_a_focus_only_the_summary_before_mentions_is_favoured_too() -> None:
    previous = "## Critical Context\n- The billing ledger is in /srv/billing/ledger.db, ticket BIL-77."
    middle = [message for n in range(12) for message in call("patch", "x", path=f"src/mail_{n}.py")]
    tight, wide = (
        summary(middle, previous=previous, focus="billing", budget=budget) for budget in (120, 500)
    )
    assert "/srv/billing/ledger.db" in tight
    assert "/srv/billing/ledger.db" in wide
    assert sum(f"mail_{n}.py" in tight for n in range(12)) <= 6
    assert all(f"mail_{n}.py" in wide for n in range(12))


@pytest.mark.shared
def test_a_focus_wins_on_real_transcripts_and_its_rest_has_the_room_it_leaves() -> None:
    tight, wide = _reports(1_000), _reports(4_000)
    assert len(tight) >= 4
    assert all(_rate(one.focus) >= 1.4 * _rate(one.rest) for one in tight)
    assert all(_rate(one.focus) >= 0.95 for one in wide)
    assert sum(_rate(one.rest) for one in wide) >= 0.6 * len(wide)


def _reports(budget: int) -> list[Retention]:
    topics = ("checkpoint", "test", "hooks")
    asked = [(middle, focus) for middle in _transcripts() for focus in topics]
    made = (
        retention(middle, summary(middle, budget=budget, focus=focus), focus=focus) for middle, focus in asked
    )
    return [one for one in made if one.focus and one.rest and one.focus.of >= 5 and one.rest.of >= 15]


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
