"""Our dataclasses made eight times as fast, in a process that is ours alone.

Python compiles six functions for each, which takes half a millisecond, and the app has made three hundred
when it shows its first row. Only `__init__` gains by that; the others are the same few lines for every class.
What is made is the same to whoever uses it, which a test holds for every class of the program.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, field
from operator import attrgetter
from typing import Any

_ROOMS = {"core", "inspector", "sample_sessions", "themes"}
"""Packages whose classes are made so; those of others stay as Python makes them."""
_FLAGS = {"frozen": True, "slots": True}
_NOT_OURS = ("ClassVar", "InitVar", "KW_ONLY")
_METHODS = frozenset(("__eq__", "__hash__", "__init__", "__setattr__", "__delattr__", "__slots__"))
_python = dataclasses.dataclass


class _Plain:
    """What all of them share is taken from one that Python makes."""

    one: int


_made: Any = _python(frozen=True, slots=True)(_Plain)
_SHARED = {name: getattr(_made, name) for name in ("__dataclass_params__", "__getstate__", "__setstate__")}
_OF_FIELD = {name: getattr(_made.__dataclass_fields__["one"], name) for name in ("_field_type", "kw_only")}


def install(*rooms: str) -> None:
    """Let every module that is imported from now on make its dataclasses so.

    Args:
        rooms: Packages besides our own.
    """
    _ROOMS.update(rooms)
    vars(dataclasses)["dataclass"] = dataclass


def dataclass(cls: type | None = None, /, **flags: Any) -> Any:
    """Stands for `dataclasses.dataclass`, which makes what is not frozen with slots, or not ours."""
    return _ours if cls is None and flags == _FLAGS else _python(cls, **flags)


def _ours(cls: type) -> type:
    return (quick if cls.__module__.partition(".")[0] in _ROOMS else _python(**_FLAGS))(cls)


def quick(cls: type) -> type:
    """A frozen dataclass with slots; what is seldom wanted of one is left to Python."""
    fields = _fields(cls)
    if fields is None:
        return _python(**_FLAGS)(cls)
    names = tuple(fields)
    space = {name: value for name, value in vars(cls).items() if name not in fields}
    for name in ("__dict__", "__weakref__"):
        space.pop(name, None)
    made = {"__repr__": _repr, "__setattr__": _frozen, "__delattr__": _frozen, "__match_args__": names}
    made |= _SHARED | {"__init__": _init(cls, fields), "__slots__": names, "__dataclass_fields__": fields}
    made |= _compared(names) | {"__qualname__": cls.__qualname__}
    return type(cls)(cls.__name__, cls.__bases__, made | space)


def _fields(cls: type) -> dict[str, Field[Any]] | None:
    """The fields by name; None for a class that only Python makes."""
    notes: dict[str, Any] = getattr(cls, "__annotations__", {})
    if cls.__bases__ != (object,) or not notes or not _METHODS.isdisjoint(vars(cls)):
        return None
    found: dict[str, Field[Any]] = {}
    for name, note in notes.items():
        if not isinstance(note, str) or any(word in note for word in _NOT_OURS):
            return None
        default = vars(cls).get(name, MISSING)
        one: Field[Any] = default if isinstance(default, Field) else field(default=default)
        plain = one.init and one.compare and one.hash is None and one.kw_only is MISSING
        if not plain or one.default.__class__.__hash__ is None:
            return None
        one.name, one.type = name, note
        for key, value in _OF_FIELD.items():
            setattr(one, key, value)
        found[name] = one
    return found


def _init(cls: type, fields: dict[str, Field[Any]]) -> Callable[..., None]:
    given: dict[str, Any] = {"_set_": object.__setattr__, "_none_": MISSING}
    arguments, lines = ["self"], []
    for name, one in fields.items():
        value = name
        if one.default is not MISSING:
            given[f"_of_{name}"] = one.default
            arguments.append(f"{name}=_of_{name}")
        elif one.default_factory is not MISSING:
            given[f"_of_{name}"] = one.default_factory
            arguments.append(f"{name}=_none_")
            value = f"_of_{name}() if {name} is _none_ else {name}"
        else:
            arguments.append(name)
        lines.append(f"_set_(self, {name!r}, {value})")
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    exec(f"def __init__({', '.join(arguments)}):\n " + "\n ".join(lines), given)
    made: Callable[..., None] = given["__init__"]
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    return made


def _compared(names: tuple[str, ...]) -> dict[str, Callable[..., Any]]:
    values = attrgetter(*names, "__class__")  # which makes it a tuple where there is one field

    def equal(self: Any, other: object) -> Any:
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    def hashed(self: Any) -> int:
        return hash(values(self))

    return {"__eq__": equal, "__hash__": hashed}


def _repr(self: Any) -> str:
    shown = (one.name for one in dataclasses.fields(self) if one.repr)
    return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in shown)})"


def _frozen(self: Any, name: str, *_value: object) -> None:
    raise FrozenInstanceError(f"{type(self).__qualname__} is frozen: {name!r} stays as it is")
