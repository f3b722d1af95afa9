"""How values of `core.model` are written in JSON; each command builds its document from these.

Keys are never removed or renamed. Money is a decimal string, times are ISO 8601 in UTC, ranges are half-open
`[start, end]` pairs, and null means unknown.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from enum import Enum
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from core.errors import InspectorError
    from core.model.accounting.amounts import Buckets, Cost
    from core.model.compaction.plan import Span
    from core.model.compaction.preview import SummaryCall
    from core.model.finding import Evidence, Finding, Headline, NotKnown
    from core.model.transcript.session import Session

# fmt: off
CODED = frozenset((
    "id", "session", "root", "tip", "parent", "target", "undo_id", "resume_target", "database", "where",
    "at", "started_at", "ended_at", "last_active", "kind", "state", "verdict", "trigger", "mode", "cause",
    "by", "release", "group", "strategy", "price_source", "usd", "recorded_usd", "computed_usd", "cost_usd",
    "auxiliary_usd",
))
# fmt: on
"""Keys whose values are ids, times, amounts or our own words, never stored text."""


_WORD = 64
"""Most characters of a name; anything longer is a text."""
_KEYS = ("input", "cache_read", "cache_write", "output")


def dumps(document: Any, *, indent: int | None = None) -> str:
    """Write a document as JSON that every parser reads.

    Python writes NaN and infinity as bare words, and a stored message may contain them. JSON has no such
    numbers, so they become null. Everything outside ASCII is escaped.
    """
    import json  # not needed when a cached answer is printed

    separators = (",", ":") if indent is None else None
    try:
        return json.dumps(document, default=encode, indent=indent, separators=separators, allow_nan=False)
    except ValueError:
        return json.dumps(_finite(document), default=encode, indent=indent, separators=separators)


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(one) for one in value]
    return value


def encode(value: object) -> object:
    """Convert a value that JSON has no type for; a `default` for `json.dumps`.

    Raises:
        TypeError: Values of this kind have no agreed form.
    """
    if isinstance(value, Decimal):
        return money(value)
    if isinstance(value, datetime):
        return time(value)
    if isinstance(value, Path):
        return str(value)
    raise TypeError(f"no JSON form for {type(value).__name__}")


def masked(value: Any) -> Any:
    """Mask the free texts of a document; a stored message is masked field by field."""
    if isinstance(value, str):
        return masked_word(value) if len(value) <= _WORD else _masked_text(value)
    if isinstance(value, dict):
        if "role" in value and ("content" in value or "tool_calls" in value):
            from core.redact.message import redact_wire

            return redact_wire(value)
        return {key: one if key in CODED else masked(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [masked(one) for one in value]
    return value


def texts(value: Any) -> Iterator[str]:
    """The free texts of a document: those that `masked` masks."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, one in value.items():
            yield from () if key in CODED else texts(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from texts(one)


def _masked_text(text: str) -> str:
    from core.redact import quick_check

    return quick_check.masked(text)


def masked_word(text: str) -> str:
    """Mask credentials in a name; cached, because names recur."""
    from core.redact.known_values import KNOWN

    return _masked_word(text, KNOWN.count)


@lru_cache(maxsize=1_024)
def _masked_word(text: str, known: int) -> str:
    return _masked_text(text)


def fields(value: object, names: str) -> dict[str, Any]:
    """The named fields of a value, each in its JSON form; names are separated by blanks."""
    return {name: _plain(getattr(value, name)) for name in names.split()}


def _plain(value: Any) -> Any:
    """A field's value in its JSON form."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, tuple):
        return list(value)
    return encode(value) if isinstance(value, Decimal | datetime) else value


def headline(found: Headline) -> dict[str, str | None]:
    """A headline and its remedy."""
    return {"headline": found.sentence, "remedy": found.remedy}


def time(value: datetime | None) -> str | None:
    """A time as ISO 8601 in UTC, ending in Z."""
    return None if value is None else value.astimezone(UTC).isoformat().replace("+00:00", "Z")


def money(value: Decimal | None) -> str | None:
    """US dollars as a decimal string, never in exponent form."""
    return None if value is None else format(value, "f")


def cost(value: Cost) -> dict[str, Any]:
    """An amount and its source."""
    return {"usd": money(value.usd), "status": value.status, "source": value.source}


def session_cost(session: Session) -> dict[str, Any]:
    """What a session cost in total, and how much of that was spent outside the main loop, where priced."""
    return {**cost(session.cost), "auxiliary_usd": money(session.auxiliary_usd or None)}


def tokens(value: Buckets) -> dict[str, int | None]:
    """The token buckets, and `prompt` as the sum of the input buckets."""
    return fields(value, "input cache_read cache_write output reasoning prompt")


def span(value: Span) -> list[int]:
    """A half-open range as a pair."""
    return [value.start, value.end]


def evidence(value: Evidence) -> dict[str, str]:
    """One piece of evidence: where it stands, and its text."""
    return {"source": value.source.value, "where": value.where, "text": value.text}


def error(value: InspectorError) -> dict[str, Any]:
    """An error as separate fields that a script can act on."""
    return {
        "message": value.line,
        **fields(value, "what where remedy exit_code"),
    }


def finding(found: Finding) -> dict[str, Any]:
    """One finding in the document of `findings`."""
    return {
        **fields(found, "rule name severity sentence verdict session numbers"),
        "evidence": [evidence(one) for one in found.evidence],
        "remedy": found.remedy,
    }


def not_known(one: NotKnown) -> dict[str, str]:
    """A rule that could not be checked for lack of data."""
    return fields(one, "rule name why asks")


def call_payload(call: SummaryCall) -> dict[str, Any]:
    """Model, tokens and price of a summary call; null for what was not counted or has no price."""
    counted = call.usage
    tokens = {key: counted and getattr(counted, key) for key in _KEYS}
    return {"model": call.model, **tokens, "usd": money(call.usd)}
