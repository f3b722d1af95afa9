"""A summary with sentences taken out, and with lines put in."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from core.compress.facts.collect import sentences
from core.compress.summarise.base import heading_line, sections
from core.compress.summarise.extract.fact_lines import FactLine
from core.compress.summarise.extract.sections import NOTHING, render

_SAYS_NOTHING = re.compile(r"\s*(?:[-*•]|\d+[.)])?\s*(?:\*\*[^*]*\*\*:?|[\w ]{1,24}:)?[\W_]*")
"""What is left of an item whose sentences are gone: its mark and its label."""


def without(body: str, is_wrong: Callable[[str], bool]) -> tuple[str, list[str]]:
    """A body without some of its sentences, and those sentences; an item left empty goes with them."""
    lines, taken = list[str](), list[str]()
    for line in body.splitlines():
        wrong = [] if line.startswith("#") else [one for one in sentences(line) if is_wrong(one)]
        left = _less(line, wrong)
        if not wrong or left:
            lines.append(left)
        taken += wrong
    return "\n".join(lines), taken


def _less(line: str, wrong: Sequence[str]) -> str:
    """A line without some sentences; empty when it says nothing any more."""
    if not wrong:
        return line
    left = line
    for one in wrong:
        left = left.replace(one, "") if one in left else ""
    return "" if _SAYS_NOTHING.fullmatch(left) else left.rstrip()


def joined(body: str, lines: Sequence[FactLine], headings: Sequence[str]) -> str:
    """A body with lines behind what its sections say already; an empty section says so."""
    told, added = sections(body), sections(render(lines, headings))
    blocks = [told.pop("")] if "" in told else []
    for heading in (*told, *(one for one in added if one not in told and added[one] != NOTHING)):
        more = added.get(heading, NOTHING)
        parts = [part for part in (told.get(heading, ""), more) if part.strip() and part != NOTHING]
        blocks.append("\n".join((heading_line(heading), *(parts or [NOTHING]))))
    return "\n\n".join(blocks)
