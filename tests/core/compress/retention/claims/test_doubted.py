"""What the messages hardly bear out is suspected, and more readily in a summary that was caught."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.compress.retention.claims.doubted import Doubt, Signs, suspected, weigh_doubts
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


@pytest.mark.parametrize(
    ("claim", "nearest"),
    [
        ("The heap of the worker was raised to 4 GB.", "We could raise"),
        ("The import now prefills the currency of a supplier.", "Can the import"),
    ],
)
def test_what_was_only_asked_for_or_proposed_is_suspected_beside_its_nearest_place(
    claim: str, nearest: str
) -> None:
    (found,) = suspicions(claim)
    assert found.category == "suspected"
    assert found.nearest.startswith(nearest)


@pytest.mark.parametrize(
    "claim",
    [
        "The import was changed to skip empty invoices.",
        "Empty invoices are now skipped by the import.",
        "Raising the heap of the worker to 4 GB was proposed.",
        "The currency of a supplier is not prefilled yet.",
    ],
)
def test_what_was_done_or_is_told_as_a_wish_is_not(claim: str) -> None:
    assert suspicions(claim) == []


def test_a_suspicion_stands_behind_what_no_message_holds_and_counts_for_less() -> None:
    told = "The heap of the worker was raised to 4 GB.\n"
    told += "src/imports/weekly.py was deleted.\nIt was released as 4.7.1."
    report = retention(WORK, told)
    assert [claim.category for claim in report.unsupported][-1] == "suspected"
    assert report.unfounded == report.unsupported[:-1]
    assert report.unfounded


HONEST = """The import of invoices fails: the worker ran out of heap.
Raising its heap to 4 GB was proposed, and an integration test with two suppliers.
Empty invoices are skipped by the import now.
"""
UNLIKELY = (
    "The user insisted on a rollback before the weekend.",
    "The assistant decided to rewrite the queue.",
    "The outage came from a certificate that had expired.",
)


@pytest.mark.parametrize("claim", UNLIKELY)
def test_what_no_passage_holds_together_is_flagged_in_an_honest_summary_too(claim: str) -> None:
    assert {one.where for one in retention(WORK, HONEST + claim).unsupported} == {claim}


def test_an_honest_summary_is_not_suspected() -> None:
    assert retention(WORK, HONEST).unsupported == ()


def test_beside_one_flagged_claim_nothing_is_suspected_and_beside_two_what_is_less_unlikely_too() -> None:
    doubtful = "The heap of the worker was doubled.\n"
    flagged = ["It stands in src/imports/weekly.py.\n", "It stands in src/imports/daily.py.\n"]
    once, twice = (retention(WORK, HONEST + doubtful + "".join(flagged[:count])) for count in (1, 2))
    assert [one.category for one in once.unsupported if one.category == "suspected"] == []
    assert doubtful.strip() in [one.where for one in twice.unsupported if one.category == "suspected"]


def doubt(where: str, apart: float, *terms: str) -> Doubt:
    signs = Signs(apart, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, len(terms) / 12)
    return Doubt(where, where, signs, "", False, dict.fromkeys(terms, 1.0))


LIKELY = [doubt(f"Sentence {number}.", 0.1, f"word{number}", f"other{number}") for number in range(6)]


def test_what_another_sentence_tells_otherwise_is_suspected_before_what_none_does() -> None:
    told = doubt("Told.", 0.0, "heap", "worker", "raise")
    untold = doubt("Untold.", 0.6, "rows", "lock", "read")
    again = doubt("Again.", 0.6, "heap", "worker", "halve")
    found = [
        one.where for one in suspected(weigh_doubts([*LIKELY, told, untold, again]), ["A.", "B.", "C."], 40)
    ]
    assert found[:2] == ["Again.", "Untold."]


def test_the_same_words_again_say_nothing_against_a_sentence() -> None:
    once, twice = (doubt(where, 0.6, "heap", "worker", "raise") for where in ("Once.", "Twice."))
    other = doubt("Other.", 0.65, "rows", "lock", "read")
    found = suspected(weigh_doubts([*LIKELY, once, twice, other]), ["A.", "B.", "C."], 40)
    assert found[0] == other


def test_what_stands_in_the_messages_word_for_word_is_not_suspected() -> None:
    copy = replace(doubt("Copy.", 1.0, "heap"), copied=True)
    assert copy not in suspected(weigh_doubts([*LIKELY, copy]), ["A.", "B.", "C."], 40)
