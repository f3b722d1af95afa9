"""One message in full."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from rich.cells import cell_len

from core.account.tokenizers.count import count_messages
from core.model.compaction.plan import Part
from core.model.transcript.message import Message, Row, RowState
from inspector.terminal.line import Palette, defaults
from inspector.widgets.messages.detail_pane import CHUNK, Detail, detail_lines
from tests.hostile import HOSTILE, harmful

INK = Palette(defaults())


def text_of(detail: Detail | None, width: int = 200) -> str:
    return "\n".join(line.strip().text for line in detail_lines(detail, width, INK))


def said(role: str = "user", content: object = "hello", row: Row | None = None, **wire: object) -> Message:
    return Message({"role": role, "content": content, **wire}, row)


def test_estimate_and_tokenizer_are_side_by_side_and_a_foreign_tokenizer_is_marked() -> None:
    told = Detail(3, said(), estimate=12, counted=(9, "o200k_base"))
    assert "~12 tokens · ≈9 o200k_base" in text_of(told)
    assert "~12 tokens · 9 o200k_base" in text_of(Detail(3, said(), None, 12, (9, "o200k_base"), exact=True))


def test_pairs_are_named_and_orphans_only_where_pairs_are_known() -> None:
    result = said("tool", "done", tool_call_id="a")
    assert "answers ⚙ #1" in text_of(Detail(2, result, paired=True, answers=1))
    assert "answers no call of this list" in text_of(Detail(2, result, paired=True))
    assert "answers no call" not in text_of(Detail(2, result))


def test_what_became_of_the_row_is_stated_in_words() -> None:
    row = Row(9, "s", state=RowState.ARCHIVED, damage=("tool_calls is not JSON",))
    text = text_of(Detail(0, said(row=row)))
    assert "row 9 · archived: summarised away by a compaction" in text
    assert "▲ tool_calls is not JSON" in text


def test_the_pruned_text_is_above_the_full_one() -> None:
    text = text_of(Detail(0, said("tool", "all of it"), Part.MIDDLE, stub="[terminal] ran it"))
    assert text.index("→ [terminal] ran it") < text.index("all of it")


def test_reasoning_calls_and_images_are_all_there() -> None:
    call = {"id": "c", "function": {"name": "patch", "arguments": '{"path": "a.py"}'}}
    message = said(
        "assistant",
        [{"type": "text", "text": "look"}, {"type": "image_url", "image_url": {}}],
        reasoning="because",
        tool_calls=[call],
    )
    text = text_of(Detail(0, message, answered_by={"c": 4}))
    assert "│ because" in text
    assert "▣ 1 image, not shown" in text
    assert "⚙ patch  → #4" in text
    assert "  path: a.py" in text


def test_the_thinking_on_screen_is_what_the_tokenizer_counts() -> None:
    message = said("assistant", reasoning="told to people", reasoning_content="sent to the provider")
    counted: list[str] = []

    def count(texts: Sequence[str], _: str) -> list[int]:
        counted.extend(texts)
        return [1] * len(texts)

    count_messages([message], "gpt-5.2", count=count)
    text = text_of(Detail(0, message))
    assert "│ sent to the provider" in text
    assert "told to people" not in text
    assert counted == ["hello", "sent to the provider"]


def test_a_long_message_stops_after_a_piece_and_says_how_to_continue() -> None:
    long = said(content="word " * CHUNK)
    assert "first 64 KB of 320 KB · m for more" in text_of(Detail(0, long))
    assert "m for more" not in text_of(Detail(0, long, shown=10 * CHUNK))


LONG = "x " * (CHUNK // 2 - 30) + "postgres://admin:hunter2" + "horse" * 20 + "@db.example.org/shop"
CALL = {"id": "c", "function": {"name": "terminal", "arguments": LONG}}


@pytest.mark.parametrize(
    "message",
    [said(content=LONG), said("assistant", "", reasoning=LONG), said("assistant", "", tool_calls=[CALL])],
)
def test_a_credential_is_masked_also_where_a_long_message_stops(message: Message) -> None:
    assert "hunter2" not in text_of(Detail(0, message))


def test_nothing_under_the_cursor_and_nothing_said_are_sentences() -> None:
    assert "No message under the cursor." in text_of(None)
    assert "No text." in text_of(Detail(0, said(content=None)))


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("width", [12, 80])
def test_hostile_text_is_harmless_in_every_field(text: str, width: int) -> None:
    call = {"id": text, "function": {"name": text, "arguments": text}}
    row = Row(1, text, damage=(text,))
    message = said(text, text, row, reasoning=text, tool_calls=[call], tool_call_id=text)
    detail = Detail(0, message, Part.HEAD, 1, (1, text), stub=text, tool=text, answered_by={text: 1})
    for line in detail_lines(detail, width, INK):
        strip = line.strip(width)
        assert not harmful(strip.text)
        assert cell_len(strip.text) == width
