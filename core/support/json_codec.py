"""Frozen values of `core.model` as plain JSON and back, for keeping answers between runs."""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import asdict, is_dataclass
from datetime import datetime
from enum import StrEnum
from functools import cache
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

Value = TypeVar("Value")


def encode(value: Any) -> Any:
    """A dataclass as values JSON can hold; times as ISO 8601."""
    return _plain(asdict(value))


def decode(kind: type[Value], data: Any) -> Value:
    """The value again.

    Raises:
        KeyError, TypeError, ValueError: The data are not those of such a value.
    """
    value: Value = _built(kind, data)
    return value


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


def _built(hint: Any, data: Any) -> Any:
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        return None if data is None else _built(next(a for a in get_args(hint) if a is not type(None)), data)
    if origin is tuple:
        return tuple(_built(get_args(hint)[0], item) for item in data)
    if not isinstance(hint, type):
        return data
    if is_dataclass(hint):
        return hint(**{name: _built(field, data[name]) for name, field in _hints(hint).items()})
    if hint is datetime:
        return datetime.fromisoformat(data)
    return hint(data) if issubclass(hint, StrEnum) else data


@cache
def _hints(kind: type) -> Mapping[str, Any]:
    return get_type_hints(kind)
