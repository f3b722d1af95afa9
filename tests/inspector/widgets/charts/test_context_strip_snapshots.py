"""Strip, messages and what-if bar as drawn: one picture a width, one without colour."""

from __future__ import annotations

from functools import partial
from typing import Protocol

import pytest
from textual.app import App, ComposeResult

from core.compress.planning.measure import measure
from core.compress.planning.plan import plan
from core.hermes.policy.policy import load_policy, releases
from core.model.compaction.plan import Settings
from core.model.transcript.message import Message
from core.preview.what_if import Hypothesis, WhatIf
from inspector.screens.workspace.map.header import MapHeader, header_line
from inspector.widgets.bars.what_if import WhatIfBar
from inspector.widgets.charts.context_strip import ContextStrip
from inspector.widgets.lists.line_view import ListRows
from inspector.widgets.messages.message_line import MessageRow, message_row
from inspector.widgets.messages.message_list import BandedRows, Banding, MessageList, partition_bands
from tests.inspector.widgets.alone import Alone


class Compare(Protocol):
    def __call__(self, app: App[None], *, terminal_size: tuple[int, int]) -> bool: ...


def transcript() -> tuple[Message, ...]:
    """Eight short turns, each with a tool result that fills a few thousand tokens."""
    found = []
    for turn in range(8):
        call = {
            "id": f"c{turn}",
            "function": {"name": "read_file", "arguments": f'{{"path": "src/part_{turn}.py"}}'},
        }
        found += [
            Message({"role": "user", "content": f"Continue with file {turn}."}),
            Message({"role": "assistant", "content": "", "tool_calls": [call]}),
            Message({"role": "tool", "tool_call_id": f"c{turn}", "content": f"line of part {turn}\n" * 900}),
            Message({"role": "assistant", "content": f"Part {turn} compares tokens in constant time now."}),
        ]
    return tuple(found)


class Bench(Alone[MapHeader]):
    """The map's own widgets without the app around them."""

    def __init__(self) -> None:
        super().__init__(MapHeader())

    def compose(self) -> ComposeResult:
        yield self.widget
        yield ContextStrip()
        yield MessageList()
        yield WhatIfBar()

    def on_mount(self) -> None:
        settings = Settings(window=64_000, threshold=0.6)
        cut = plan(measure(transcript(), load_policy("0.19")), settings)
        self.query_one(MapHeader).show(partial(header_line, cut))
        self.query_one(ContextStrip).show(cut)
        rows = [
            message_row(index, message, cut.part(index), cut.estimates[index])
            for index, message in enumerate(transcript())
        ]
        self.query_one(MessageList).lay(
            BandedRows(ListRows(rows), Banding(len(rows), partition_bands(cut)), _same)
        )
        self.query_one(WhatIfBar).show(WhatIf.of(Hypothesis("0.19", settings), releases()))


def _same(row: MessageRow) -> MessageRow:
    return row


@pytest.mark.parametrize("size", [(80, 24), (140, 24)], ids=["narrow", "wide"])
def test_the_map_is_composed_at_every_width(snap_compare: Compare, size: tuple[int, int]) -> None:
    assert snap_compare(Bench(), terminal_size=size)


def test_the_map_reads_without_colour(snap_compare: Compare, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert snap_compare(Bench(), terminal_size=(80, 24))
