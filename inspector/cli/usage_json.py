"""A ledger as the command line promises it: row by row as text, because there may be many thousand.

Most rows of a long ledger are one group of spending; these are written without a row's objects.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from json.encoder import encode_basestring_ascii as quoted
from typing import Any

from core.account.ledger import Books, Entry
from core.account.sums import Booked, brief
from core.model.ledger import Ledger, LedgerRow
from inspector.cli import jsonio
from inspector.masking import mask_all

NULL = "null"


def payload(found: Ledger) -> dict[str, Any]:
    """A ledger as the command line promises it."""
    return {
        "by": found.by,
        "rows": [row(one) for one in found.rows],
        "totals": row(found.totals),
        "lower_bound": found.lower_bound,
        "notes": list(found.notes),
        "since": jsonio.time(found.since),
        "until": jsonio.time(found.until),
    }


def row(one: LedgerRow) -> dict[str, Any]:
    """A row as the command line promises it."""
    return {
        "key": one.key,
        "label": one.label,
        "task": one.task,
        "sessions": one.sessions,
        "calls": one.calls,
        "tokens": {**jsonio.tokens(one.tokens), "total": one.tokens.total},
        "cost": {
            "recorded_usd": jsonio.money(one.recorded.usd),
            "computed_usd": jsonio.money(one.computed.usd),
            "included_usd": jsonio.money(one.included.usd),
            "status": one.status,
            "price_source": one.price_source,
            "unpriced": one.computed.missing,
        },
        "hit_rate": one.tokens.hit_rate,
        "lower_bound": one.lower_bound,
        "subtree": None if one.subtree is None else jsonio.tokens(one.subtree),
    }


def document(books: Books) -> Iterator[str]:
    """The text of `payload` in pieces, its labels masked; as a whole it would fill memory several times."""
    entries = books.entries()
    yield f'{{"by":{quoted(books.by)},"rows":['
    between = ""
    for text in _rows(books, entries, mask_all([entry.label for entry in entries])):
        yield f"{between}{text}"
        between = ","
    rest = {
        "totals": row(books.totals()),
        "lower_bound": books.lower_bound,
        "notes": list(books.notes()),
        "since": jsonio.time(books.since),
        "until": jsonio.time(books.until),
    }
    yield f"],{_dumped(rest)[1:]}"


def _rows(books: Books, entries: Sequence[Entry], labels: Sequence[str]) -> Iterator[str]:
    for entry, label in zip(entries, labels, strict=True):
        _, key, task, _, booked = entry
        text = _simple(key, label, task, booked[0]) if books.alone(key, booked) else None
        yield _dumped({**row(books.row(entry)), "label": label}) if text is None else text


def _simple(key: str, label: str, task: str, one: Booked) -> str | None:
    """A row that is one group; None when a bucket was not recorded, and so nothing made of it is known."""
    group = one[0]
    calls, fresh, read, written, output, reasoning = group[7:13]
    if calls is None or fresh is None or read is None or written is None or output is None:
        return None
    prompt = fresh + read + written
    recorded, computed, included, status, source, unpriced = brief(one)
    return (
        f'{{"key":{quoted(key)},"label":{quoted(label)},"task":{quoted(task)}'
        f',"sessions":{group.sessions or 1},"calls":{calls},"tokens":{{"input":{fresh},"cache_read":{read}'
        f',"cache_write":{written},"output":{output}'
        f',"reasoning":{NULL if reasoning is None else reasoning},"prompt":{prompt}'
        f',"total":{prompt + output}}},"cost":'
        f'{{"recorded_usd":{NULL if recorded is None else quoted(recorded)}'
        f',"computed_usd":{NULL if computed is None else quoted(computed)}'
        f',"included_usd":{NULL if included is None else quoted(included)},"status":{quoted(status)}'
        f',"price_source":{NULL if source is None else quoted(source)},"unpriced":{unpriced}}}'
        f',"hit_rate":{read / prompt if prompt else NULL}'
        f',"lower_bound":{"true" if group.shaky else "false"},"subtree":null}}'
    )


def _dumped(value: object) -> str:
    return json.dumps(value, default=jsonio.encode, ensure_ascii=True, separators=(",", ":"))
