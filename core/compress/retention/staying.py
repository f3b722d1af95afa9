"""What the messages that a compaction leaves as they are still hold of the middle."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property

from core.hermes.markers.markers import find_summary
from core.model.transcript.message import Message

_TELLING = 4
"""A value with fewer characters may be part of anything."""
_SPACE = re.compile(r"\s+")


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
        wanted = _flat(value)
        if len(wanted) < _TELLING:
            return False
        at = self._words.find(wanted)
        while at >= 0:
            end = at + len(wanted)
            beside = self._words[at - 1 : at] + self._words[end : end + 1]
            if not any(one.isascii() and one.isalnum() for one in beside):
                return True
            at = self._words.find(wanted, at + 1)
        return False

    @cached_property
    def _words(self) -> str:
        staying = [one for index, one in self._around if index >= 0 and find_summary(one.text) is None]
        called = (call.arguments for one in staying for call in one.tool_calls)
        return _flat("\n".join(("", *(one.text for one in staying), *called, "")))


def _flat(text: str) -> str:
    return _SPACE.sub(" ", text.lower())
