"""What was said and shown is found again by its words."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from core.compress.summarise.faithful.recall import RecallIndex
from core.model.transcript.message import Message
from tests.core.compress.builders import assistant, call, user

SAID = [
    user("Please look at the harbour ledger."),
    *call("terminal", '{"output": "port 8443 is taken\\nledger locked by pid 71"}', command="ss -ltn"),
    assistant("The harbour is open again, nothing about the other one."),
]


def test_the_message_that_holds_the_rare_words_comes_first_with_the_line_that_says_them() -> None:
    first = RecallIndex(SAID).find("port 8443")[0]
    assert (first.index, first.excerpt) == (2, "output: port 8443 is taken") or "8443" in first.excerpt


def test_endings_do_not_hide_a_word() -> None:
    assert RecallIndex(SAID).find("locking ledgers")[0].index == 2


def test_the_very_words_outweigh_words_apart() -> None:
    said = [assistant("order the new lamp and cancel nothing"), assistant("cancel order 12")]
    assert RecallIndex(said).find("cancel order")[0].index == 1


def test_a_name_that_stands_alone_comes_before_longer_names_that_hold_it() -> None:
    said = [user("what of module_5.py?"), *(assistant(f"module_{n} is read") for n in (4, 5, 55))]
    found = RecallIndex(said).find("module_5")
    assert [one.index for one in found] == [2, 0, 3, 1]
    assert [one.exactness for one in found] == [2, 2, 1, 0]


def test_the_excerpt_is_the_line_in_which_the_name_stands_alone() -> None:
    shown = "x" * 300 + " module_55 is read\n" + "module_55 again, " * 20 + "then module_5 once"
    [one] = RecallIndex([assistant(shown)]).find("module_5")
    assert one.excerpt.endswith("then module_5 once")


def test_arguments_of_calls_are_searched_too() -> None:
    assert RecallIndex(SAID).find("ss -ltn")[0].index == 1


def test_what_nobody_said_is_not_found() -> None:
    assert RecallIndex(SAID).find("submarine") == []
    assert RecallIndex(SAID).find("") == []
    assert RecallIndex([]).find("ledger") == []


@given(st.lists(st.text(max_size=60), max_size=6), st.text(max_size=30))
@settings(max_examples=60, deadline=None)
def test_any_text_can_be_asked_of_any_messages(texts: list[str], query: str) -> None:
    found = RecallIndex([Message({"role": "tool", "content": text}) for text in texts]).find(query, limit=3)
    assert len(found) <= 3
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
