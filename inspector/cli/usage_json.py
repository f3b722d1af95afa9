"""`usage --json` of many thousand rows: most are one group of spending, written without a row's objects."""

from __future__ import annotations

import json
from collections.abc import Iterator
from json.encoder import encode_basestring_ascii as quoted

from core.account.ledger import Books, Entry
from core.account.sums import Booked, brief
from inspector.cli import jsonio, usage
from inspector.text import mask

_ROW = (
    '{"key":%s,"label":%s,"task":%s,"sessions":%d,"calls":%d,"tokens":{"input":%d,"cache_read":%d,'
    '"cache_write":%d,"output":%d,"reasoning":%s,"prompt":%d,"total":%d},"cost":{"recorded_usd":%s,'
    '"computed_usd":%s,"included_usd":%s,"status":%s,"price_source":%s,"unpriced":%d},"hit_rate":%s,'
    '"lower_bound":%s,"subtree":null}'
)


def document(books: Books) -> str:
    """The document `usage.payload` stands for, as text."""
    rows = ",".join(_rows(books))
    rest = {
        "totals": usage.row(books.totals()),
        "lower_bound": books.lower_bound,
        "notes": list(books.notes()),
        "since": jsonio.time(books.since),
        "until": jsonio.time(books.until),
    }
    return f'{{"by":{quoted(books.by)},"rows":[{rows}],{_dumped(rest)[1:]}'


def _rows(books: Books) -> Iterator[str]:
    for entry in books.entries():
        one = books.simple(entry)
        text = None if one is None else _simple(entry, one, books.priced)
        yield _dumped(jsonio.masked(usage.row(books.row(entry)))) if text is None else text


def _simple(entry: Entry, one: Booked, priced: bool) -> str | None:
    """A row that is one group; None when a bucket was not recorded, and so nothing made of it is known."""
    calls, fresh, read, written, output, reasoning = one.group[7:13]
    if calls is None or fresh is None or read is None or written is None or output is None:
        return None
    prompt = fresh + read + written
    money = brief(one, priced=priced)
    return _ROW % (
        quoted(entry.key),
        quoted(mask(entry.label)),
        quoted(entry.task),
        max(1, one.group.sessions),
        calls,
        fresh,
        read,
        written,
        output,
        "null" if reasoning is None else reasoning,
        prompt,
        prompt + output,
        _text(money.recorded),
        _text(money.computed),
        _text(money.included),
        quoted(money.status),
        _text(money.price_source),
        money.unpriced,
        read / prompt if prompt else "null",
        "true" if one.group.shaky else "false",
    )


def _text(value: str | None) -> str:
    return "null" if value is None else quoted(value)


def _dumped(value: object) -> str:
    return json.dumps(value, default=jsonio.encode, ensure_ascii=True, separators=(",", ":"))
