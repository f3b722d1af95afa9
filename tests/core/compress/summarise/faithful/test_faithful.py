"""The faithful summariser keeps more of what matters than the plain one, and says nothing twice."""

from __future__ import annotations

import json
import lzma
import tarfile

import pytest

from core.compress.facts.collect import Found
from core.compress.facts.readable import views
from core.compress.retention.score import retention
from core.compress.summarise.base import SummaryRequest
from core.compress.summarise.extract.fact_lines import FactLine
from core.compress.summarise.extract.summariser import ExtractiveSummariser, quarter
from core.compress.summarise.faithful.coverage import State, best_lines, entities, lines_of
from core.compress.summarise.faithful.summariser import FaithfulSummariser
from core.model.transcript.message import Message
from tests.core.compress.builders import assistant, call, user
from tests.core.compress.summarise.extracts import OLD, session
from tests.shared import shared


def request(middle: list[Message], budget: int = 1_000, **more: str | None) -> SummaryRequest:
    return SummaryRequest(turns=tuple(middle), budget=budget, headings=OLD, **more)  # type: ignore[arg-type]


def faithful(middle: list[Message], budget: int = 1_000, **more: str | None) -> str:
    return FaithfulSummariser().summarise(request(middle, budget, **more)).body


def work() -> list[Message]:
    made: list[Message] = [user("Migrate the invoices, never touch table LEDGER_77, budget $900.")]
    for n in range(40):
        made += call("read_file", f"row {n} " + "filler " * 80, path=f"src/part_{n}.py")
    made += call("patch", "ok", path="src/part_7.py")
    made += call("terminal", "E   KeyError: 'vat'\n1 failed", command="pytest -q")
    return [*made, assistant("part_7.py is changed; the KeyError about vat stands. ENT-501 follows.")]


@pytest.mark.parametrize("budget", [500, 1_000, 3_000])
def test_it_stays_within_its_budget_and_is_the_same_every_time(budget: int) -> None:
    body = faithful(work(), budget)
    assert quarter(body) <= budget
    assert body == faithful(work(), budget)


def test_what_matters_survives_in_little_room() -> None:
    body = faithful(work(), 500)
    for needed in ("LEDGER_77", "$900", "part_7.py", "KeyError", "ENT-501"):
        assert needed in body


def test_the_summary_before_is_merged_and_said_once() -> None:
    previous = "## Goal\nMigrate the invoices.\n\n## Critical Context\n- The key rests in vault-9, ENT-400."
    body = faithful(work(), 1_000, previous_summary=previous)
    assert body.count("ENT-400") == 1


def test_nothing_in_it_is_unsupported() -> None:
    assert retention(work(), faithful(work())).unsupported == ()


def test_a_focus_comes_first() -> None:
    plain, focused = faithful(session(), 600), faithful(session(), 600, focus="conftest")
    assert focused.count("conftest") >= plain.count("conftest")


def test_things_are_known_by_the_state_they_were_left_in() -> None:
    middle = [
        *call("write_file", "ok", path="a.py"),
        *call("patch", "Error: no such text", path="b.py"),
        *call("patch", "ok", path="b.py"),
        *call("read_file", "x", path="c.py"),
        *call("delete_file", "ok", path="a.py"),
        *call("cancel_order", "Error: order is shipped", id="ORD88231"),
    ]
    found = {name: one.state for name, one in entities(views(middle)).items()}
    assert found == {
        "a.py": State.DELETED,
        "b.py": State.FIXED,
        "c.py": State.READ,
        "ORD88231": State.FAILED,
    }


@pytest.mark.shared
def test_it_keeps_more_by_weight_than_the_plain_one_on_real_transcripts() -> None:
    wins = total = 0
    gained = 0.0
    with lzma.open(shared("data/cases.tar.xz")) as packed, tarfile.open(fileobj=packed) as bundle:
        for name in sorted(member for member in bundle.getnames() if member.endswith(".json"))[::3]:
            file = bundle.extractfile(name)
            assert file is not None
            middle = [Message(wire) for wire in json.load(file)["messages"]]
            plain = retention(middle, ExtractiveSummariser().summarise(request(middle)).body).score or 0.0
            own = retention(middle, faithful(middle)).score or 0.0
            wins, total, gained = wins + (own >= plain), total + 1, gained + own - plain
    assert wins >= 0.9 * total
    assert gained / total > 0.05


def test_what_no_line_says_is_quoted_where_there_is_room() -> None:
    log = "19:41:36 WARN api.auth split signer id=9c2db3dfcf took=62ms"
    middle = [user("Go on with the log."), *call("terminal", log, command="tail -1 api.log")]
    body = faithful([*middle, assistant("Mostly late webhooks.")])
    assert retention(middle, body).score == pytest.approx(1.0)


def test_what_a_line_already_says_is_not_added_again_in_much_the_same_words() -> None:
    told = FactLine("decisions", "Every part of the auth package uses constant time compares.", 1)
    again = FactLine("actions", "every part of the auth package uses constant time compares now", 2)
    other = FactLine("actions", "The deploy went out at noon.", 3)
    assert len(best_lines([told, again, other], (), 200, quarter)) == 2
    assert best_lines([again, other], (), 200, quarter, [told]) == [other]


def test_of_the_sentences_no_line_says_the_heaviest_come_first() -> None:
    light = Found("decisions", "The logo stays blue for now and nobody minds it.", [1])
    heavy = Found("decisions", "The ledger is written twice so that none is lost.", [2])
    [line] = lines_of([heavy, light], "", 30, quarter)
    assert line.text == heavy.value
