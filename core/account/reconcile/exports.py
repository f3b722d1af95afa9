"""Reads usage and cost exports of providers by the column mappings of reconcile.yaml.

Some have a column for each bucket, some a row for each kind of token, some only amounts of money.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

from core.errors import UsageError
from core.imports.fields import amount_of, count_of, day_of, model_of
from core.model.accounting.amounts import Buckets, add_known
from core.support.program_files import shared_table

BUCKETS = ("input", "cache_read", "cache_write", "output", "reasoning")
FIELDS = ("day", "model", *BUCKETS, "usd", "calls", "cache_write_more", "currency", "kind", "amount")
"""Possible fields of a column: `cache_write_more` adds to `cache_write`; `kind` says what `amount` counts."""
GENERIC = "generic"
_SEPARATORS = ",;\t|"


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of one of the two books, or the sum of several for the same day and model."""

    day: date
    model: str
    tokens: Buckets = field(default_factory=Buckets)
    usd: Decimal | None = None
    calls: int | None = None

    def __add__(self, other: Entry) -> Entry:
        """The sum of both."""
        usd, calls = add_known(self.usd, other.usd), add_known(self.calls, other.calls)
        return Entry(self.day, self.model, self.tokens + other.tokens, usd, calls)


@dataclass(frozen=True, slots=True)
class Export:
    """The contents of an export file.

    Attributes:
        skipped: How many lines were not entries.
        first_skipped: Day and model of the first of them, as written.
    """

    mapping: str
    entries: tuple[Entry, ...]
    skipped: int = 0
    first_skipped: str = ""


def read_export(export: Path, mapping: str | None = None, columns: Mapping[str, str] | None = None) -> Export:
    """Read the entries of a CSV export; a byte order mark, other separators and grouped digits are accepted.

    `mapping` is one of reconcile.yaml, by default found by the columns; `columns` names the column of each of
    `FIELDS` if no mapping knows it.

    Raises:
        UsageError: No mapping fits the file's columns, or the file cannot be read.
    """
    header, lines, separator = _lines(export)
    name, places = _fitting(header, mapping, columns or {}, export)
    reader = _Reader(
        places, shared_table("core/account/reconcile/reconcile.yaml")[name], comma=separator == ";"
    )
    lines = [line for line in lines if not reader.is_empty(line)]
    entries = [reader.entry(line) for line in lines]
    kept = tuple(entry for entry in entries if entry is not None)
    lost = next((line for line, entry in zip(lines, entries, strict=True) if entry is None), None)
    named = "" if lost is None else f"day {reader.cell(lost, 'day')!r}, model {reader.cell(lost, 'model')!r}"
    return Export(name, kept, len(entries) - len(kept), named)


def _lines(export: Path) -> tuple[list[str], list[dict[str, str]], str]:
    """The column names, the lines, and the separator."""
    try:
        text = _without_title(_decoded(export.read_bytes()))
        separator = max(_SEPARATORS, key=text.partition("\n")[0].count)
        reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=separator)
        lines = list(reader)
    except (OSError, csv.Error) as error:
        raise UsageError("the export cannot be read", where=str(export), remedy=str(error)) from error
    return [name for name in reader.fieldnames or () if name], lines, separator


def _decoded(data: bytes) -> str:
    """The text as spreadsheets save it: UTF-8, UTF-16 with a BOM, or Windows-1252."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def _without_title(text: str) -> str:
    """The table without the lines before it: a title, `sep=;`, or blank lines."""
    lines = text.splitlines(keepends=True)
    for place, line in enumerate(lines):
        if not line.startswith("sep=") and any(separator in line for separator in _SEPARATORS):
            return "".join(lines[place:])
    return text.lstrip("\r\n")


def _fitting(
    header: Iterable[str], mapping: str | None, own: Mapping[str, str], export: Path
) -> tuple[str, dict[str, str]]:
    """The mapping that fits the columns, and the column of each field."""
    known = {_plain(name): name for name in header}
    table = shared_table("core/account/reconcile/reconcile.yaml")
    rules = {name: rule for name, rule in table.items() if "needs" in rule}
    if mapping is not None and mapping not in rules:
        raise UsageError(f"no mapping is called {mapping!r}", remedy=f"Choose one of {', '.join(rules)}")
    chosen = _own_columns(own, known)
    told = {name: sum(_plain(one) in known for one in rule["telling"]) for name, rule in rules.items()}
    likely = [name for name in sorted(rules, key=lambda name: -told[name]) if told[name] or name == GENERIC]
    for name in [mapping] if mapping else [GENERIC] if own else likely:
        places = {one: at for one in FIELDS if (at := _column(rules[name].get(one, ()), known))} | chosen
        if all(one in places for one in rules[name]["needs"]):
            return name, places
    raise UsageError(
        f"no column mapping fits the columns {', '.join(known.values()) or '(none)'}",
        where=str(export),
        remedy="Name them: --columns day=COLUMN,model=COLUMN,input=COLUMN,output=COLUMN "
        f"(also {', '.join(FIELDS[3:5])}, {', '.join(FIELDS[6:9])})",
    )


def _own_columns(own: Mapping[str, str], known: Mapping[str, str]) -> dict[str, str]:
    for name, column in own.items():
        if name not in FIELDS:
            raise UsageError(f"no field is called {name!r}", remedy=f"Choose one of {', '.join(FIELDS)}")
        if _plain(column) not in known:
            there = ", ".join(known.values())
            raise UsageError(f"the export has no column {column!r}", remedy=f"It has {there}")
    return {name: known[_plain(column)] for name, column in own.items()}


def _column(names: Iterable[str], known: Mapping[str, str]) -> str | None:
    return next((known[plain] for plain in map(_plain, names) if plain in known), None)


@dataclass(frozen=True, slots=True)
class _Reader:
    """Converts lines to entries."""

    columns: Mapping[str, str]
    rule: Mapping[str, Any]
    comma: bool

    def entry(self, line: Mapping[str, Any]) -> Entry | None:
        """A line as an entry; None if it lacks what the mapping needs."""
        day, model = day_of(self.cell(line, "day")), model_of(self.cell(line, "model"))
        counts = self._counts(line)
        currency = self.cell(line, "currency").lower()
        usd = amount_of(self.cell(line, "usd"), comma=self.comma) if currency in ("", "usd") else None
        known = {"usd": usd, **counts}
        lacks = any(known[one] is None for one in self.rule["needs"] if one in known)
        if day is None or not model or lacks or all(value is None for value in known.values()):
            return None
        tokens = Buckets(*(counts[one] for one in BUCKETS))
        return Entry(day, model, tokens, usd, counts["calls"])

    def is_empty(self, line: Mapping[str, Any]) -> bool:
        """Whether nothing was used on the line's day: only times are filled in."""
        return not any(self.cell(line, name) for name in self.columns if name != "day")

    def cell(self, line: Mapping[str, Any], name: str) -> str:
        """The text of a field."""
        return str(line.get(self.columns.get(name, "")) or "").strip()

    def _counts(self, line: Mapping[str, Any]) -> dict[str, int | None]:
        """Buckets and calls, with cache reads separated from the fresh input."""
        if "kinds" in self.rule:
            kind = self.rule["kinds"].get(self.cell(line, "kind").lower())
            amount = count_of(self.cell(line, "amount"))
            return {one: amount if one == kind else None for one in (*BUCKETS, "calls")}
        counts = {one: count_of(self.cell(line, one)) for one in (*BUCKETS, "calls")}
        more = count_of(self.cell(line, "cache_write_more"))
        counts["cache_write"] = add_known(counts["cache_write"], more)
        fresh = counts["input"]
        if fresh is not None and not self.rule["exclusive"]:
            counts["input"] = max(0, fresh - (counts["cache_read"] or 0) - (counts["cache_write"] or 0))
        return counts


def _plain(name: str) -> str:
    return re.sub(r"[\W_]", "", name.lower())
