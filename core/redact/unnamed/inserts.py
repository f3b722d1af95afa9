"""The credentials in the rows of an INSERT whose columns are named."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from core.redact.spans import Hit
from core.redact.table import compiled
from core.redact.unnamed.cells import Cell, secret_columns, secrets, trimmed

_STRING = r"'(?:[^']|'')*'|\"[^\"]*\""
_ROW = rf"\((?:[^()'\"]|{_STRING}){{1,4000}}\)"
_TABLE = r"[\w.\"`\[\]]{1,120}"
_INSERT = (
    rf"(?:insert|replace)\s+into\s+{_TABLE}\s*\((?P<head>[^()]{{3,1000}})\)"
    rf"\s*values\s*(?P<rows>(?:{_ROW}[\s,]*){{1,200}})"
)
_VALUE = rf"\s*(?:{_STRING}|[^,]*)"


def inserts(text: str, lower: str, places: Iterable[int]) -> Iterator[Hit]:
    """Every value that is put into a column with the name of a secret."""
    for match in filter(None, (compiled(_INSERT).match(lower, at) for at in places)):
        head = _values(text, *match.span("head"))
        named = secret_columns(text, head)
        for row in compiled(_ROW).finditer(text, *match.span("rows")) if named else ():
            cells = _values(text, row.start() + 1, row.end() - 1)
            if len(cells) == len(head):
                yield from secrets(text, cells, named)


def _values(text: str, start: int, end: int) -> list[Cell]:
    """The values of a row, or the names of a head, quotes off."""
    found: list[Cell] = []
    while start <= end and (match := compiled(_VALUE).match(text, start, end)):
        found.append(trimmed(text, *match.span()))
        start = match.end() + 1
    return found
