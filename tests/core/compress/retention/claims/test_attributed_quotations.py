"""What a summary puts in quotation marks is compared word by word: nobody words a quotation anew."""

from __future__ import annotations

import pytest

from core.compress.retention.score import retention
from tests.core.compress.builders import assistant, call, user

AUDIT = [
    user("Audit the parts of the paper, please."),
    *call("terminal", "ERROR: agent type not known", command="pytest"),
    assistant("It is called a rough draft."),
]


def unsupported(summary: str) -> list[str]:
    return [claim.value for claim in retention(AUDIT, summary).unsupported]


def test_a_quotation_of_which_the_messages_have_hardly_a_word_is_flagged() -> None:
    assert "FATAL: too many connections" in unsupported('The log says "FATAL: too many connections".')


@pytest.mark.parametrize("true", ["agent type unknown", "ERROR: agent type not known", "rough enough"])
def test_a_quotation_that_the_messages_mostly_have_is_not(true: str) -> None:
    assert unsupported(f'The log says "{true}".') == []


def test_in_another_language_only_errors_of_programs_are_quoted_as_they_are() -> None:
    said = "Das Urteil nennt der Nutzer „gut genug für die nächste Prüfung“ und die Datei ist nicht neu."
    assert unsupported(said) == []
    logged = "Im Protokoll steht „fatal error: connections exhausted“ und die Datei ist nicht neu."
    assert unsupported(logged) == ["fatal error: connections exhausted"]


def test_what_is_between_two_quotations_is_none() -> None:
    said = 'unknown?" (in the morning), nobody answered and many pictures came, then "agent type'
    assert unsupported(said) == []
