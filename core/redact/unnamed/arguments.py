"""Commands written as lists of their arguments: `["mysql", "-u", "root", "-pTango99x"]`."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from itertools import accumulate

from core.redact.spans import Hit, pattern

_ARGUMENT = r"(?:\"[^\"\n]{1,400}\"|'[^'\n]{1,400}')"
_LIST = pattern(rf"[\[(]\s{{0,40}}(?P<all>{_ARGUMENT}(?:\s{{0,40}},\s{{0,40}}\[?{_ARGUMENT}){{1,60}})")
_DASHED = pattern(r"[\"']--?[A-Za-z]")


def arguments(text: str, rules: Callable[[str], Iterator[Hit]]) -> Iterator[Hit]:
    """The hits of command rules in such lists, read as the command line they represent."""
    for match in _LIST.finditer(text):
        if _DASHED.search(match["all"]):
            spans = [(one.start() + 1, one.end() - 1) for one in re.finditer(_ARGUMENT, match["all"])]
            yield from _found(match["all"], match.start("all"), spans, rules)


def _found(
    listed: str, at: int, spans: list[tuple[int, int]], rules: Callable[[str], Iterator[Hit]]
) -> Iterator[Hit]:
    """The hits in the arguments' command line, at their offsets in the text."""
    words = [listed[start:end] for start, end in spans]
    begins = [0, *accumulate(len(word) + 1 for word in words)]
    for hit in rules(" ".join(words)):
        first, last = bisect_right(begins, hit.start) - 1, bisect_right(begins, hit.end - 1) - 1
        if last < len(spans):
            start = at + spans[first][0] + hit.start - begins[first]
            yield Hit(start, at + spans[last][0] + hit.end - begins[last], hit.kind)
