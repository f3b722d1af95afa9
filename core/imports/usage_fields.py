"""Token usage as other tools log it, turned into buckets with the arithmetic Hermes uses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from core.model.accounting.amounts import Buckets
from core.support.yaml_tables import shared_table

_BUCKETS = ("input", "output", "cache_read", "cache_write")


@dataclass(frozen=True, slots=True)
class Shape:
    """The fields one wire shape reports its buckets in, each a list of dotted paths.

    Attributes:
        exclusive: `input` leaves out what was cached.
        output_adds_reasoning: Thinking is reported beside the output, not inside it.
    """

    exclusive: bool
    output_adds_reasoning: bool
    fields: Mapping[str, tuple[str, ...]]


def normalise(raw: Any) -> Buckets:
    """The buckets of one response; its shape is told by the fields it has.

    Args:
        raw: The usage; what is empty gives all zeros, as in Hermes.
    """
    if not raw:
        return Buckets(0, 0, 0, 0, 0)
    shape = _shape(_shape_name(raw))
    reported, output, read, write, reasoning = (
        _first(raw, shape.fields[bucket]) for bucket in (*_BUCKETS, "reasoning")
    )
    return Buckets(
        input=reported if shape.exclusive else max(0, reported - read - write),
        cache_read=read,
        cache_write=write,
        output=output + (reasoning if shape.output_adds_reasoning else 0),
        reasoning=reasoning,
    )


def one_hour_writes(raw: Any) -> int:
    """Cache-write tokens of a response that are kept for an hour and billed higher (Anthropic)."""
    return _number(field_at(raw, "cache_creation.ephemeral_1h_input_tokens"))


def _shape_name(raw: Any) -> str:
    for name, fields in shared_table("core/imports/usage_shapes.yaml")["telling"].items():
        if any(field_at(raw, field) is not None for field in fields):
            return str(name)
    return "chat"


@cache
def _shape(name: str) -> Shape:
    rules = shared_table("core/imports/usage_shapes.yaml")
    raw = {"reasoning": rules["reasoning"]} | rules["shapes"][name]
    paths = {key: tuple(raw[key]) for key in (*_BUCKETS, "reasoning")}
    return Shape(raw["exclusive"], raw.get("output_adds_reasoning", False), paths)


def _first(raw: Any, paths: Iterable[str]) -> int:
    """The first of some fields that is not zero."""
    return next((number for path in paths if (number := _number(field_at(raw, path)))), 0)


def field_at(raw: Any, path: str) -> Any:
    """A field by dotted path; None when it is not there."""
    for name in path.split("."):
        raw = raw.get(name) if isinstance(raw, Mapping) else None
        if raw is None:
            return None
    return raw


def _number(value: Any) -> int:
    """A count; what is no number counts as none, as in Hermes."""
    try:
        return int(value or 0)
    except (TypeError, ValueError, OverflowError):
        return 0
