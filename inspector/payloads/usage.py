"""The document of `usage`, written row by row as text because it may have many thousand rows.

Most rows of a long ledger are a single group of spending; those are written without building row objects.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import lru_cache
from itertools import islice
from json.encoder import encode_basestring_ascii as quoted
from operator import itemgetter
from typing import Any

from core.account.spending.conversations import BY_ID, WHOLE
from core.account.spending.group import Fields, Group
from core.account.spending.ledger import Books
from core.account.spending.recorded import UNKNOWN
from core.account.spending.sums import plain, status_of_group, tables_of
from core.explain.headline.usage import of_sums, usage_headline
from core.model.accounting.amounts import Buckets, Money, share_of
from core.model.accounting.ledger import Ledger, LedgerRow
from core.redact.quick_check import mask_all
from inspector.payloads import values as jsonio

NULL = "null"
PIECE = 500
"""Rows written at once; joining all of them first would hold the text in memory three times."""
_RECORDED, _USD = map(Group._fields.index, ("recorded", "usd"))
_TITLE = Group._fields.index("title")
_PRICED = itemgetter(*map(Group._fields.index, ("included", "price", "usd", "unpriced")))
_KEY, _TASK = map(Group._fields.index, ("key", "task"))
NOT_COMPUTED = '"computed_usd":null,"included_usd":null,"price_source":null,"unpriced":0'


def payload(
    found: Ledger, limit: int | None = None, recorded: dict[str, Any] | None = None
) -> dict[str, Any]:
    """The document of `usage` with at most `limit` rows, and what a recorder wrote."""
    extra = _auxiliary(found)
    return {
        **jsonio.headline(usage_headline(found)),
        "by": found.by,
        "rows": [row(one, extra.get(one.key)) for one in found.rows[:limit]],
        "totals": row(found.totals),
        "lower_bound": found.lower_bound,
        "notes": list(found.notes),
        "since": jsonio.time(found.since),
        "until": jsonio.time(found.until),
        "recorded": recorded,
    }


def _auxiliary(found: Ledger) -> dict[str, Decimal]:
    """What summaries and other side tasks cost, by session or conversation."""
    extra: dict[str, Decimal] = defaultdict(Decimal)
    for one in found.rows if found.by in BY_ID else ():
        extra[one.key] += (one.cost.usd or Decimal(0)) if one.task else Decimal(0)
    return {key: usd for key, usd in extra.items() if usd}


def row(one: LedgerRow, auxiliary: Decimal | None = None) -> dict[str, Any]:
    """One row of the document; `auxiliary` is the cost of its side tasks, which have rows of their own."""
    own = one.cost.usd
    if one.task:
        auxiliary = own
    elif auxiliary is not None:
        own = (own or Decimal(0)) + auxiliary
    return {
        **jsonio.fields(one, "key label task sessions calls"),
        "tokens": {**jsonio.tokens(one.tokens), "total": one.tokens.total},
        "cost": {"usd": jsonio.money(own), "auxiliary_usd": jsonio.money(auxiliary), **_cost(one)},
        "hit_rate": one.tokens.hit_rate,
        "lower_bound": one.lower_bound,
        "subtree": None if one.subtree is None else _subtree(one.subtree, one.subtree_recorded),
    }


def _cost(one: LedgerRow) -> dict[str, Any]:
    """What the row cost as recorded and by price list, and the source of each amount."""
    return {
        "recorded_usd": jsonio.money(one.recorded.usd),
        "computed_usd": jsonio.money(one.computed.usd),
        "included_usd": jsonio.money(one.included.usd),
        "recorded_source": jsonio.masked_word(one.recorded_source) if one.recorded_source else None,
        "price_source": one.price_source,
        "unpriced": one.computed.missing,
        "status": jsonio.masked_word(one.status),
    }


def _subtree(tokens: Buckets, recorded: Money | None) -> dict[str, Any]:
    usd = None if recorded is None else jsonio.money(recorded.usd)
    return {**jsonio.tokens(tokens), "recorded_usd": usd, "unpriced": recorded.missing if recorded else 0}


def document(books: Books, recorded: dict[str, Any] | None = None) -> Iterator[str]:
    """The text of `payload` in pieces, with credentials masked in stored names."""
    rows, totals = books.rows(), books.totals()
    rest = {
        **_headline(books, totals, rows),
        "totals": row(totals),
        "lower_bound": books.lower_bound,
        "notes": list(books.notes()),
        "since": jsonio.time(books.since),
        "until": jsonio.time(books.until),
        "recorded": recorded,
    }
    yield f'{{"by":{quoted(books.by)},"rows":['
    written = _rows(books, rows)
    between = ""
    while some := ",".join(islice(written, PIECE)):
        yield from (between, some)
        between = ","
    yield f"],{_dumped(rest)[1:]}"


def _headline(books: Books, totals: LedgerRow, rows: Sequence[LedgerRow | Fields]) -> dict[str, str | None]:
    """The headline of a ledger; of rows that are one group, only the most expensive is built for it."""
    extra = _helpers(books, rows, WHOLE)
    main = [one for one in rows if not _key_and_task(one)[1]] if extra else rows
    largest = max(
        main, key=lambda one: _spent(one) + float(extra.get(_key_and_task(one)[0], 0)), default=None
    )
    made = None if largest is None else books.finished(largest)
    if made is not None and extra:
        made = replace(made, recorded=made.cost + Money(extra.get(made.key)))
    return jsonio.headline(of_sums(totals, made, len(main), books.lower_bound))


def _key_and_task(one: LedgerRow | Fields) -> tuple[str, str]:
    return (one.key, one.task) if isinstance(one, LedgerRow) else (one[_KEY], one[_TASK])


def _spent(one: LedgerRow | Fields) -> float:
    if isinstance(one, LedgerRow):
        best = one.cost.usd
    else:
        best = one[_USD] if one[_RECORDED] is None else one[_RECORDED]
    return float(best or 0)


def _helpers(
    books: Books, rows: Sequence[LedgerRow | Fields], dimensions: Collection[str] = BY_ID
) -> dict[str, Decimal]:
    """The same as `_auxiliary`, from rows that are not built yet."""
    extra: dict[str, Decimal] = defaultdict(Decimal)
    for one in rows if books.by in dimensions else ():
        key, task = _key_and_task(one)
        if task:
            extra[key] += Decimal(str(_spent(one)))
    return extra


def _rows(books: Books, rows: Sequence[LedgerRow | Fields]) -> Iterator[str]:
    extra = _helpers(books, rows)
    labels = mask_all([one.label if isinstance(one, LedgerRow) else one[_TITLE] or "" for one in rows])
    shown = str if books.by in BY_ID else jsonio.masked_word
    for one, label in zip(rows, labels, strict=True):
        more = extra.get(_key_and_task(one)[0]) or None
        text = None if more or isinstance(one, LedgerRow) else _simple(one, label)
        if text is None:
            text = _whole(row(books.finished(one), more), label, shown)
        yield text


def _whole(made: dict[str, Any], label: str, shown: Callable[[str], str]) -> str:
    key, task = shown(made["key"]), jsonio.masked_word(made["task"])
    return _dumped({**made, "key": key, "label": label, "task": task})


def _simple(group: Fields, label: str) -> str | None:
    """The row of a session that is a single group of its main loop.

    None if a token bucket was not recorded, because then nothing computed from it is known.
    """
    (
        _, key, _, _, _, _, _, _, calls, fresh, read, written, output, reasoning, recorded, _,
        status, incomplete, _, _, _, sessions, _, price, _, unpriced, _, unbooked,
    ) = group  # fmt: skip
    if calls is None or fresh is None or read is None or written is None or output is None:
        return None
    prompt = fresh + read + written
    share = share_of(read, prompt)
    amount = NULL if recorded is None else f'"{plain(recorded)}"'
    source = _quoted_word(tables) if (tables := tables_of([group])) else NULL
    computed = NOT_COMPUTED if price is None and not unpriced else _computed(group)
    if not status or status == UNKNOWN:
        status = status_of_group(group)
    return (
        f'{{"key":{quoted(key)},"label":{quoted(label)},"task":""'
        f',"sessions":{sessions or 1},"calls":{calls},"tokens":{{"input":{fresh},"cache_read":{read}'
        f',"cache_write":{written},"output":{output}'
        f',"reasoning":{NULL if reasoning is None else reasoning},"prompt":{prompt}'
        f',"total":{prompt + output}}},"cost":'
        f'{{"usd":{amount if recorded is not None else _usd(group)},"auxiliary_usd":null'
        f',"recorded_usd":{amount},"recorded_source":{source},{computed}'
        f',"status":{_quoted_word(status)}}},"hit_rate":{NULL if share is None else share}'
        f',"lower_bound":{"true" if incomplete or unbooked else "false"},"subtree":null}}'
    )


def _usd(group: Fields) -> str:
    """Cost of such a row by price list, if none was recorded."""
    included, price, usd, _ = _PRICED(group)
    paid = usd is not None and not (included or (price is not None and price.billing == "included"))
    return quoted(f"{usd:f}") if paid else NULL


@lru_cache(maxsize=64)
def _quoted_word(word: str) -> str:
    return quoted(jsonio.masked_word(word))


def _computed(group: Fields) -> str:
    """The computed cost of such a row, as JSON."""
    included, price, usd, unpriced = _PRICED(group)
    amount = NULL if usd is None else quoted(f"{usd:f}")
    source = NULL if price is None else quoted(price.source)
    if included or (price is not None and price.billing == "included"):
        return f'"computed_usd":null,"included_usd":{amount},"price_source":{source},"unpriced":0'
    return f'"computed_usd":{amount},"included_usd":null,"price_source":{source},"unpriced":{unpriced}'


def _dumped(value: object) -> str:
    return json.dumps(value, default=jsonio.encode, ensure_ascii=True, separators=(",", ":"))
