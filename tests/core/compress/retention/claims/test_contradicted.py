"""What a summary tells the wrong way round is flagged: another speaker, state, direction or id."""

from __future__ import annotations

import pytest

from core.compress.retention.score import retention
from core.model.transcript.message import Message
from tests.core.compress.builders import assistant, call, user

REFUSED = "The user doesn't want to proceed with this tool use. To tell you how, the user said:\n{}"
WORK = [
    user("The nightly export is slow. Look why."),
    assistant("I suggest caching the exchange rates."),
    user("No. Could we stream the rows of the ledger in batches?"),
    *call(
        "patch",
        "ok",
        path="src/export.py",
        old_string="rows = load_everything(ledger)",
        new_string="rows = stream_batches(ledger)",
    ),
    assistant("Now `export.py` uses `stream_batches` instead of `load_everything`."),
    *call(
        "terminal", "[main 4be1a20] stream the rows in batches", command="git commit -am 'stream the rows'"
    ),
    assistant("Added a retry limit for the upload."),
    *call("terminal", "[main 91c7d3e] retry limit for the upload", command="git commit -am 'retry limit'"),
    user("Take the retry limit out again."),
    assistant("The retry limit is removed. The audit log is disabled in settings.toml."),
    *call("terminal", REFUSED.format("squash the two commits before pushing"), command="git push"),
    *call("terminal", "Exit code 1\nledger.xml:3: parser error", command="xmllint --noout ledger.xml"),
    assistant("All threads are answered. Timeouts of the upload came from the proxy of the office."),
]


def flagged(claim: str, middle: list[Message] = WORK) -> list[str]:
    return [one.where for one in retention(middle, f"The export was slow.\n{claim}").unsupported]


@pytest.mark.parametrize(
    "claim",
    [
        "The assistant suggested streaming the rows of the ledger in batches.",
        "Streaming the ledger in batches was the assistant's idea.",
        "The user suggested caching the exchange rates.",
        "stream_batches was replaced by load_everything.",
        "The export changed from stream_batches to load_everything.",
        "The retry limit is still in place.",
        "The audit log is enabled in settings.toml.",
        "Two threads are still unanswered.",
        "ledger.xml was checked successfully with xmllint.",
        "The retry limit for the upload was added before the rows of the ledger were streamed in batches.",
    ],
)
def test_what_the_messages_tell_the_other_way_round_is_flagged(claim: str) -> None:
    assert flagged(claim) == [claim]


@pytest.mark.parametrize(
    "claim",
    [
        "The user suggested streaming the rows of the ledger in batches.",
        "The assistant suggested caching the exchange rates; the user did not want that.",
        "load_everything was replaced by stream_batches.",
        "The export changed from load_everything to stream_batches.",
        "The retry limit for the upload was committed as 91c7d3e.",
        "The retry limit is no longer in place.",
        "The audit log is not enabled in settings.toml.",
        "No thread is unanswered.",
        "The user asked to squash the two commits before pushing.",
        "Timeouts of the upload came from the proxy of the office.",
        "User asked: add a retry limit for the upload.",
        "The rows of the ledger were streamed in batches before a retry limit for the upload was added.",
    ],
)
def test_the_same_told_rightly_is_not(claim: str) -> None:
    assert flagged(claim) == []


def test_what_was_asked_and_answered_with_a_word_was_wanted() -> None:
    middle = [
        user("Mend the parser."),
        assistant("Shall I translate the error messages as well?"),
        user("Yes, please."),
        assistant("The error messages are translated."),
    ]
    assert flagged("The user wanted the error messages translated.", middle) == []


def test_an_edit_behind_the_last_commit_is_not_committed() -> None:
    middle = [
        user("Mend the parser and commit."),
        *call("terminal", "[main 1a2b3c4] parser", command="git commit -am parser"),
        *call("patch", "ok", path="src/parser.py", old_string="a", new_string="b"),
        assistant("Changed the parser once more."),
    ]
    assert flagged("All changes were committed.", middle) != []
    assert flagged("All changes were committed.", middle[:3]) == []


def test_what_somebody_answers_to_a_question_is_said_by_them() -> None:
    answer = "Keep every row of the ledger that is older than ten years in an archive."
    middle = [
        user("Mend the export."),
        *call("clarify", answer, question="What about old rows?"),
        assistant("Every row of the ledger that is older than ten years is in an archive now."),
    ]
    claim = "The {} proposed keeping rows of the ledger older than ten years in an archive."
    assert flagged(claim.format("assistant"), middle) != []
    assert flagged(claim.format("user"), middle) == []


def test_what_people_answer_to_a_question_lays_down_a_rule() -> None:
    answer = "Rows of the ledger must never be older than ten years."
    middle = [
        user("Mend the export."),
        *call("clarify", answer, question="What about old rows?"),
        assistant("Understood."),
    ]
    assert flagged("The user insists that rows of the ledger are never older than ten years.", middle) == []
    assert flagged("The user insists that the archive is never compressed twice.", middle) != []
