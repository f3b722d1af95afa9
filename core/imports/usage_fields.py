"""Raw usage, as providers report it, turned into buckets with the arithmetic Hermes uses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from core.model.accounting.tokens import Buckets
from core.support.yaml_tables import newest_for, shared_table, version

NEWEST = "99"
"""Stands for "as the newest release reads it"."""

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


def normalise(raw: Any, *, api_mode: str = "", provider: str = "", release: str | None = None) -> Buckets:
    """The buckets of one response.

    Args:
        raw: The usage: a mapping or an SDK object; None gives all zeros, as in Hermes.
        api_mode: Wire format of the route, when known.
        provider: Provider of the route, when known.
        release: Read it as this Hermes release did, with its omissions; None reads all that is there, for
            transcripts of other tools.
    """
    if not raw or (release is not None and isinstance(raw, Mapping) and not _reads_dicts(release)):
        return Buckets(0, 0, 0, 0, 0)
    name = _shape_name(raw, api_mode.strip().lower(), provider.strip().lower(), release)
    shape = _shape(name, release or NEWEST)
    reported, output, read, write = (_first(raw, shape.fields[bucket]) for bucket in _BUCKETS)
    reasoning = _first(raw, shape.fields["reasoning"])
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


def _reads_dicts(release: str) -> bool:
    return version(release) >= version(shared_table("core/imports/usage_shapes.yaml")["dicts_since"])


def _shape_name(raw: Any, api_mode: str, provider: str, release: str | None) -> str:
    rules = shared_table("core/imports/usage_shapes.yaml")
    if named := rules["providers"].get(provider) or rules["wires"].get(api_mode):
        return str(named)
    if release is None and not api_mode:
        for name, fields in rules["telling"].items():
            if any(field_at(raw, field) is not None for field in fields):
                return str(name)
    return "chat"


@cache
def _shape(name: str, release: str) -> Shape:
    rules = shared_table("core/imports/usage_shapes.yaml")
    raw = rules["shapes"][name]
    thinking = rules["reasoning"]
    fields = {"reasoning": thinking[newest_for(tuple(thinking), release)]} | {
        key: raw[key] for key in (*_BUCKETS, "reasoning") if key in raw
    }
    for since, changes in raw.get("later", {}).items():
        if version(release) >= version(since):
            fields |= changes
    paths = {key: tuple(value) for key, value in fields.items()}
    return Shape(raw["exclusive"], raw.get("output_adds_reasoning", False), paths)


def _first(raw: Any, paths: Iterable[str]) -> int:
    """The first of some fields that is not zero."""
    return next((number for path in paths if (number := _number(field_at(raw, path)))), 0)


def field_at(raw: Any, path: str) -> Any:
    """A field by dotted path, of mappings and of objects; None when it is not there."""
    for name in path.split("."):
        raw = raw.get(name) if isinstance(raw, Mapping) else getattr(raw, name, None)
        if raw is None:
            return None
    return raw


def _number(value: Any) -> int:
    """A count; what is no number counts as none, as in Hermes."""
    try:
        return int(value or 0)
    except (TypeError, ValueError, OverflowError):
        return 0
