"""What the messages that a compaction leaves as they are still hold of the middle."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from core.compress.facts.said import flat, stands_alone
from core.hermes.markers.markers import find_summary
from core.model.transcript.message import Message

_TELLING = 4
"""A value with fewer characters may be part of anything."""


class StayingText:
    """The words of head and tail: what they hold is not lost, whatever the summary says.

    Args:
        around: Messages beside the middle, each with its index; those with a negative one are gone. Earlier
            summaries do not count, as a compaction may replace them.
    """

    def __init__(self, around: Sequence[tuple[int, Message]]) -> None:
        self._around = around

    def holds(self, value: str) -> bool:
        """Whether a message that stays has a value as a whole word, or a sentence as it is."""
        wanted = flat(value)
        return len(wanted) >= _TELLING and stands_alone(wanted, self._words)

    @cached_property
    def _words(self) -> str:
        staying = [one for index, one in self._around if index >= 0 and find_summary(one.text) is None]
        called = (call.arguments for one in staying for call in one.tool_calls)
        return flat("\n".join((*(one.text for one in staying), *called)))
