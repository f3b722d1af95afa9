"""Where the evidence of a finding can be looked at."""

from __future__ import annotations

import re
from collections.abc import Iterable

from core.model.evidence import Evidence, Source
from core.model.finding import Finding

_ROW = re.compile(r"messages? (\d+)")
"""How a piece of evidence from the database names the rows it lies in, the first one first."""
_TABS = {"D": "map", "E": "chain", "F": "usage", "G": "cache"}
"""The tab that shows what the rules of a letter are about: the cut, the family, the money, the cache."""


def place_of(finding: Finding) -> tuple[str, int | None]:
    """The tab of the conversation, and the message row where the evidence begins, when it names one."""
    row = _row(finding.evidence)
    return ("map", row) if row is not None else (_TABS.get(finding.rule[:1], "why"), None)


def _row(evidence: Iterable[Evidence]) -> int | None:
    found = (_ROW.match(one.where) for one in evidence if one.source is Source.DATABASE)
    return next((int(match[1]) for match in found if match), None)
