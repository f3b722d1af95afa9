"""Recognises what was done to a stored tool result: cut by its tool, saved, truncated, pruned."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from core.compress.pruning.shrink import CLEARED, is_stub
from core.compress.tool_results.replacement import PATH, TAG, TRUNCATED
from core.support.program_files import load_table

_BLOCK = re.compile(
    rf"{re.escape(TAG)}\n[^\n]*\(([\d,]+) characters, [\d.]+ [KM]B\)[^\n]*\n{re.escape(PATH)}([^\n]+)\n"
)
_NOTE = re.compile(rf"\n\n{re.escape(TRUNCATED)}([\d,]+) chars\.[^\n]*\]")
_WRAPPER = re.compile(r'<untrusted_tool_result source="[^"\n]*">\n[^\n]*\n\n')
_WRAPPER_END = "\n</untrusted_tool_result>"
_NOTE_AT = 2_000
"""A note follows a preview of at most 1,500 characters, possibly inside a wrapper."""
_PRUNED = ("[Duplicate tool output", "[screenshot removed", CLEARED)
_DEMOTED = " output demoted at compaction"
_DEMOTED_LONGEST = 400


@dataclass(frozen=True, slots=True)
class Standing:
    """The form in which a result is stored.

    Attributes:
        layer: `none`, `tool_cap`, `persisted`, `truncated` or `pruned`.
        chars: Characters of the whole result, if its text says so.
        path: The file its text names.
    """

    layer: str
    chars: int | None = None
    path: str | None = None


def recognise(text: str) -> Standing:
    """Recognise by its text what was done to a result; a block quoted deeper inside does not count."""
    body = without_wrapper(text)
    if block := _BLOCK.match(body):
        return Standing("persisted", _number(block[1]), block[2].strip())
    if note := _NOTE.search(body, 0, _NOTE_AT):
        return Standing("truncated", _number(note[1]))
    if is_pruned(text):
        return Standing("pruned")
    cap = next((found for mark in _caps() if (found := mark.search(body))), None)
    return Standing("tool_cap", None, cap.groupdict().get("path")) if cap is not None else Standing("none")


def is_pruned(text: str) -> bool:
    """Whether pruning replaced a result by one line."""
    if text.startswith(_PRUNED) or is_stub(text):
        return True
    return text.startswith("[") and _DEMOTED in text and len(text) < _DEMOTED_LONGEST


def without_wrapper(text: str) -> str:
    """A result without the wrapper that results from outside get."""
    head = _WRAPPER.match(text)
    if head is None:
        return text
    body = text[head.end() :]
    end = body.rfind(_WRAPPER_END)
    return body if end < 0 else body[:end]


@cache
def _caps() -> tuple[re.Pattern[str], ...]:
    marks = load_table("core/compress/tool_results/tool_caps.yaml")["marks"]
    return tuple(re.compile(mark["pattern"]) for mark in marks)


def _number(text: str) -> int:
    return int(text.replace(",", ""))
