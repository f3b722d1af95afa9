"""The unified diff of a compaction."""

from __future__ import annotations

import pytest

from core.model.compaction.plan import Span
from core.model.transcript.message import Message
from inspector.terminal.line import Line
from inspector.widgets.messages.diff_view import LINES_A_MESSAGE, DiffLine, message_diff
from tests.hostile import HOSTILE, harmful


def said(text: str, role: str = "user") -> Message:
    return Message({"role": role, "content": text})


def diff(before: list[Message], after: list[Message], middle: Span, kept: dict[int, int]) -> list[DiffLine]:
    spans = (Span(0, middle.start), middle, Span(middle.end, len(before)))
    return list(message_diff(before, after, spans, kept, "## Goal\nthe summary"))


def test_the_middle_goes_and_the_summary_comes() -> None:
    before = [said("a"), said("b"), said("c"), said("d")]
    after = [before[0], said("summary"), before[3]]
    lines = diff(before, after, Span(1, 3), {0: 0, 2: 3})
    assert [(line.kind, line.text) for line in lines] == [
        ("@", "head · 1 message kept"),
        (" ", "… 1 message unchanged"),
        ("@", "middle · 2 messages → one summary"),
        ("-", "○ user #1  b"),
        ("-", "○ user #2  c"),
        ("+", "## Goal"),
        ("+", "the summary"),
        ("@", "tail · 1 message kept"),
        (" ", "… 1 message unchanged"),
    ]


@pytest.mark.parametrize(("count", "told"), [(1, "1 message stays"), (2, "2 messages stay")])
def test_a_middle_that_no_summary_replaces_stays(count: int, told: str) -> None:
    before = [said(str(place)) for place in range(count)]
    spans = (Span(0, 0), Span(0, count), Span(count, count))
    lines = list(message_diff(before, before, spans, {place: place for place in range(count)}, ""))
    assert ("@", f"middle · {told}") in [(line.kind, line.text) for line in lines]


def test_a_pruned_message_of_the_tail_shows_what_it_was_and_what_it_is() -> None:
    before = [said("x"), said("nine lines", "tool"), said("same")]
    after = [said("summary"), said("[terminal] ran it", "tool"), before[2]]
    lines = diff(before, after, Span(0, 1), {1: 1, 2: 2})
    changed = [(line.kind, line.text) for line in lines if line.message == 1]
    assert changed == [(" ", "┆ tool #1"), ("-", "nine lines"), ("+", "[terminal] ran it")]


def test_a_message_of_the_tail_that_is_gone_is_all_removed() -> None:
    lines = diff([said("x"), said("orphan", "tool")], [said("summary")], Span(0, 1), {})
    assert ("-", "┆ tool #1  orphan") in [(line.kind, line.text) for line in lines]


def test_a_long_message_is_cut_and_its_lines_are_counted() -> None:
    lines = diff([said("line\n" * (LINES_A_MESSAGE + 9) + "end")], [said("s")], Span(0, 1), {})
    removed = [line for line in lines if line.kind == "-"]
    assert len(removed) == LINES_A_MESSAGE + 1
    assert removed[-1].text == "  … 10 more lines"


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_is_harmless_in_a_diff(text: str) -> None:
    lines = diff([said(text), said(text, text)], [said("s"), said(text + "!", text)], Span(0, 1), {1: 1})
    assert not any(harmful(Line().preformatted(line.text).text) for line in lines)


def test_an_earlier_summary_is_called_one() -> None:
    lines = diff([said("[CONTEXT SUMMARY]: so far")], [said("s")], Span(0, 1), {})
    assert "§ summary #0  [CONTEXT SUMMARY]: so far" in [line.text for line in lines]


def test_a_line_that_is_cut_says_so_and_keeps_its_indent() -> None:
    assert Line().preformatted("    return answer", most=12).text == "    return…"
