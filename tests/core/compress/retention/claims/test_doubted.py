"""What the messages hardly support is suspected, and more readily in a summary that was caught."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest

from core.compress.facts.importance import weigh
from core.compress.facts.readable import views
from core.compress.retention.claims.doubted import Doubt, Signs, doubts, suspected, weigh_doubts
from core.compress.retention.ground.evidence import Evidence
from core.compress.retention.score import retention
from core.model.compaction.preview import Unsupported
from tests.core.compress.builders import assistant, call, user

WORK = [
    user("The nightly import of invoices fails. Find out why."),
    *call("terminal", "worker died: heap exhausted", command="journalctl -u invoices"),
    assistant("The worker ran out of heap. We could raise the heap of the worker to 4 GB."),
    user("Can the import prefill the currency of a supplier?"),
    assistant("It could. Consider adding an integration test with two suppliers first."),
    user("First let the import skip empty invoices."),
    *call(
        "patch", "ok", path="src/imports/nightly.py", old_string="pass", new_string="skip_empty_invoices()"
    ),
    assistant("Changed: empty invoices are skipped by the import now."),
]


def suspicions(claim: str) -> list[Unsupported]:
    return list(retention(WORK, f"The import of invoices fails.\n{claim}").unsupported)


SUPPLIER = "The heap of the second supplier died of the invoices."
WRONG = "\nsrc/imports/weekly.py was deleted.\nIt was released as 4.7.1.\nMaria Gomez paid $90 for it.\n"


def test_what_no_passage_holds_together_is_suspected_in_a_caught_summary_next_to_its_nearest_place() -> None:
    found = suspicions(SUPPLIER + WRONG)
    (suspected_one,) = [one for one in found if one.where == SUPPLIER]
    assert suspected_one.category == "suspected"
    assert suspected_one.nearest == "worker died: heap exhausted"


def test_in_a_summary_that_nothing_speaks_against_it_is_mistaken_for_other_words() -> None:
    assert suspicions(SUPPLIER) == []


@pytest.mark.parametrize(
    "claim",
    [
        "The import was changed to skip empty invoices.",
        "Empty invoices are now skipped by the import.",
        "Raising the heap of the worker to 4 GB was proposed.",
        "The currency of a supplier is not prefilled yet.",
    ],
)
def test_what_was_done_or_is_reported_as_a_wish_is_not_suspected(claim: str) -> None:
    assert suspicions(claim) == []


def test_a_suspicion_comes_after_what_no_message_holds_and_counts_for_less() -> None:
    report = retention(WORK, HONEST + SUPPLIER + WRONG)
    assert [claim.category for claim in report.unsupported][-1] == "suspected"
    assert report.unfounded == report.unsupported[:-1]
    assert report.unfounded


HONEST = """The import of invoices fails: the worker ran out of heap.
Raising its heap to 4 GB was proposed, and an integration test with two suppliers.
Empty invoices are skipped by the import now.
"""
UNLIKELY = (
    "The user insisted on a rollback before the weekend.",
    "The user must never restart the queue during the day.",
    "The backup of Sunday was deleted because the disk was full.",
    "The integration test with two suppliers was added and passes.",
)


@pytest.mark.parametrize("claim", UNLIKELY)
def test_what_no_passage_holds_together_is_flagged_in_an_honest_summary_too(claim: str) -> None:
    assert {one.where for one in retention(WORK, HONEST + claim).unsupported} == {claim}


def test_an_honest_summary_is_not_suspected() -> None:
    assert retention(WORK, HONEST).unsupported == ()


def test_what_is_unlikely_is_suspected_next_to_several_flagged_claims_and_not_next_to_one() -> None:
    doubtful = "The heap of the worker was doubled."
    one, several = (
        [claim.where for claim in retention(WORK, HONEST + doubtful + wrong).unsupported]
        for wrong in ("\nIt took 47 minutes.\n", WRONG)
    )
    assert doubtful not in one
    assert doubtful in several


def test_no_more_are_suspected_than_a_reader_can_check() -> None:
    many = [doubt(f"Untold {number}.", 1.0, f"rows{number}", f"lock{number}") for number in range(12)]
    assert len(suspected(weigh_doubts(many), ["A."])) == 8


def test_a_sentence_known_to_be_wrong_is_not_suspected_too() -> None:
    assert suspected(weigh_doubts(UNTOLD), ["Untold."]) == []


def doubt(where: str, apart: float, *terms: str) -> Doubt:
    none = dict.fromkeys((field.name for field in fields(Signs)), 0.0)
    signs = Signs(**none | {"apart": apart})
    return Doubt(where, where, signs, False, dict.fromkeys(terms, 1.0))


LIKELY = [doubt(f"Sentence {number}.", 0.1, f"word{number}", f"other{number}") for number in range(6)]


UNTOLD = [doubt("Untold.", 1.0, "rows", "lock", "read")]


def least_likely(*doubts: Doubt) -> list[str]:
    return [one.where for one in suspected(weigh_doubts([*LIKELY, *doubts]), ["A."])]


def test_what_another_sentence_says_otherwise_is_suspected_before_what_none_does() -> None:
    told = doubt("Told.", 0.0, "heap", "worker", "raise")
    untold = doubt("Untold.", 1.0, "rows", "lock", "read")
    again = doubt("Again.", 1.0, "heap", "worker", "halve")
    assert least_likely(told, untold, again)[0] == "Again."


def test_of_two_sentences_that_say_the_same_only_the_less_likely_one_is_suspected_for_it() -> None:
    told, again = (
        doubt("Told.", 0.5, "heap", "worker", "raise"),
        doubt("Again.", 0.9, "heap", "worker", "halve"),
    )
    assert least_likely(told, again) == ["Again."]


def test_the_same_words_again_say_nothing_against_a_sentence() -> None:
    once, twice = (doubt(where, 0.9, "heap", "worker", "raise") for where in ("Once.", "Twice."))
    assert least_likely(once, twice, doubt("Other.", 1.0, "rows", "lock", "read"))[0] == "Other."


def test_a_denial_and_a_detailed_sentence_are_suspected_after_a_plain_one_and_a_wish_before_it() -> None:
    names = ("Plain.", "Long.", "Denied.", "Wished.")
    plain, detailed, denied, wished = (doubt(name, 1.0, name, f"of {name}") for name in names)
    detailed = replace(detailed, signs=replace(detailed.signs, detail=0.1))
    wished = replace(wished, signs=replace(wished.signs, wished=1.0))
    ranked = least_likely(with_denial(denied), detailed, plain, wished)
    assert ranked[:4] == ["Wished.", "Plain.", "Denied.", "Long."]


def with_denial(one: Doubt) -> Doubt:
    return replace(one, signs=replace(one.signs, denied=1.0))


@pytest.mark.parametrize(
    ("sentence", "detail"),
    [
        ("The worker was restarted.", 0.0),
        ("The worker was restarted and the queue (12 jobs) drained.", 0.5),
        ("The worker, the queue, the disk; and the log: all were checked.", 1.0),
    ],
)
def test_lists_additions_and_further_clauses_are_detail(sentence: str, detail: float) -> None:
    evidence = Evidence(views(WORK), WORK, weigh(views(WORK)))
    assert {one.signs.detail for one in doubts(sentence, (), evidence, sentence)} == {detail}


def test_a_row_of_a_table_is_not_suspected() -> None:
    evidence = Evidence(views(WORK), WORK, weigh(views(WORK)))
    row = "| supplier heap | died | 16 | invoices currency |"
    assert not list(doubts(row, (), evidence, row))
    assert list(doubts(row.strip("| ").replace(" |", ""), (), evidence, row))


def test_what_is_in_the_messages_word_for_word_is_not_suspected() -> None:
    copy = replace(doubt("Copy.", 1.0, "heap"), copied=True)
    assert copy not in suspected(weigh_doubts([*LIKELY, copy]), ["A."])
