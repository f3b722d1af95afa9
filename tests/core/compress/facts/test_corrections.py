"""What a person corrects later replaces what was stated before."""

from __future__ import annotations

import json

import pytest

from core.compress.facts.corrections import correction_of, corrections
from core.compress.facts.readable import views
from core.compress.retention.score import retention
from core.compress.summarise.base import SummaryRequest
from core.compress.summarise.extract.summariser import ExtractiveSummariser
from tests.core.compress.builders import assistant, call, user

HEADINGS = ("Goal", "Constraints & Preferences", "Completed Actions", "Active Task")
TALK = [
    user("How long is a download link valid now?"),
    assistant("48 hours, as my summary said. Tell me if the licence says otherwise."),
    user("The licence says 12. Change it, then look at the mirrors."),
    assistant("A link lives 12 hours now."),
]


@pytest.mark.parametrize(
    ("stated", "replaced"),
    [
        ("A download link stays valid for 48 hours.", True),
        ("A download link stays valid for 12 hours.", False),
        ("Mirrors are asked every 48 hours.", False),
        ("A download link costs 48 credits.", False),
        ("A download link is never mailed.", False),
    ],
)
def test_only_a_statement_with_the_old_figure_of_that_thing_is_replaced(stated: str, replaced: bool) -> None:
    found = correction_of(stated, -1, corrections(views(TALK)))
    assert (found is not None) is replaced


def test_a_correction_may_name_both_figures_itself() -> None:
    rule = "Links must stay valid for 48 hours."
    talk = [user(rule), assistant("Done."), user("Links: make that 12 instead of 48 hours valid.")]
    (found,) = corrections(views(talk))
    assert found.at == 2
    assert found.replaces(rule)


def test_an_answer_that_gives_another_figure_corrects_nothing() -> None:
    assert corrections(views([assistant("48 hours."), user("Fine. Now test 12 mirrors.")])) == []


def test_the_offline_summary_says_what_replaced_a_rule_of_the_summary_before() -> None:
    before = "## Constraints & Preferences\n- A download link stays valid for 48 hours."
    request = SummaryRequest(tuple(TALK), 2_000, HEADINGS, previous_summary=before)
    body = ExtractiveSummariser().summarise(request).body
    assert "valid for 48 hours. (changed since: The licence says 12.)" in body


@pytest.mark.parametrize(
    ("summary", "stale"),
    [
        ("A download link stays valid for 48 hours.", True),
        ("A download link stays valid for 12 hours, not 48 hours.", False),
        ("A download link stays valid for 12 hours.", False),
    ],
)
def test_a_summary_that_says_the_old_figure_as_current_is_out_of_date(summary: str, stale: bool) -> None:
    told = retention(TALK, summary).stale
    assert bool(told) is stale
    assert all("corrected in message 2: The licence says 12." in one for one in told)


def test_a_rule_that_was_corrected_weighs_little() -> None:
    rule = "Links must stay valid for 48 hours."
    talk = [user(rule), assistant("They do: 48 hours."), user("Actually 12 hours, change it for every link.")]
    weights = {
        fact.value: fact.weight for fact in retention(talk, "").facts if fact.category == "constraints"
    }
    assert weights[rule] < 0.2


@pytest.mark.parametrize(
    ("tool", "result"),
    [
        ("clarify", json.dumps({"question": "Which store?", "user_response": "Postgres, on the old host"})),
        (
            "request_user_input",
            json.dumps({"answers": {"store": {"answers": ["Postgres, on the old host"]}}}),
        ),
        ("AskUserQuestion", 'User answered: "Which store?"="Postgres, on the old host".'),
        ("terminal", "The tool use was rejected. To proceed, the user said:\nPostgres, on the old host"),
    ],
)
def test_what_a_person_chose_when_a_tool_asked_is_a_decision(tool: str, result: str) -> None:
    middle = [
        user("Set the reports up, and ask me where they go."),
        *call(tool, result, question="Which store?"),
    ]
    decided = [fact.value for fact in retention(middle, "").facts if fact.category == "decisions"]
    assert decided == ["Postgres, on the old host"]


def test_the_newest_tally_of_the_tests_is_part_of_the_state() -> None:
    middle = [
        user("Make the tests of the exporter pass."),
        *call("terminal", "....\n3 failed, 9 passed in 2.1s", command="pytest tests/test_export.py"),
        *call("terminal", "....\n1 failed, 11 passed in 2.0s", command="pytest tests/test_export.py"),
    ]
    state = [fact.value for fact in retention(middle, "").facts if fact.category == "state"]
    assert state == ["1 failed, 11 passed"]
