"""Dataclasses that are made quickly are those Python makes."""

from __future__ import annotations

import copy
import dataclasses
import importlib
import inspect
import pickle
import pkgutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import FrozenInstanceError, dataclass, field, replace
from pathlib import Path
from typing import ClassVar

import pytest

from core.support import quick_dataclasses

ROOMS = ("core", "inspector", "sample_sessions", "themes")
ROOT = Path(__file__).parents[3]


@dataclass(frozen=True, slots=True)
class Point:
    """A point."""

    x: int
    y: float = 0.5
    names: list[str] = field(default_factory=list)
    secret: str = field(default="hidden", repr=False)

    def moved(self) -> Point:
        """One further."""
        return replace(self, x=self.x + 1)


@dataclass(frozen=True, slots=True)
class Checked:
    """Refuses what is below zero."""

    one: float

    def __post_init__(self) -> None:
        if self.one < 0:
            raise ValueError("below zero")


def test_it_is_made_compared_and_shown_as_any_other() -> None:
    assert Point(1) == Point(1, 0.5, []) != Point(2)
    assert Point(1) != object()
    assert repr(Point(1)) == "Point(x=1, y=0.5, names=[])"
    assert Point(1).moved() == Point(2)
    assert Point(1).names is not Point(1).names
    assert dataclasses.asdict(Point(1)) == {"x": 1, "y": 0.5, "names": [], "secret": "hidden"}
    match Point(3):
        case Point(x, y):
            assert (x, y) == (3, 0.5)


def test_it_is_frozen_and_has_slots() -> None:
    point = Point(1)
    assert _is_quick(Point)
    with pytest.raises(FrozenInstanceError):
        setattr(point, "x", 2)  # noqa: B010
    with pytest.raises(FrozenInstanceError):
        del point.x
    with pytest.raises(AttributeError):
        object.__setattr__(point, "other", 1)


def test_it_can_be_sent_to_another_process_and_copied() -> None:
    assert pickle.loads(pickle.dumps(Point(1))) == Point(1) == copy.deepcopy(Point(1))


def test_it_can_be_a_key_as_far_as_its_values_can() -> None:
    assert len({Checked(1.0), Checked(1.0), Checked(2.0)}) == 2
    with pytest.raises(TypeError, match="unhashable"):
        hash(Point(1))


def test_what_is_asked_of_it_is_checked() -> None:
    with pytest.raises(ValueError, match="below zero"):
        Checked(-1.0)
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'x'"):
        Point()  # type: ignore[call-arg]


def test_values_that_equal_nothing_are_compared_as_python_does() -> None:
    nan = float("nan")
    assert Checked(nan) == Checked(nan)
    assert Checked(nan) != Checked(float("nan"))


def test_what_is_seldom_wanted_is_left_to_python() -> None:
    @dataclass(frozen=True, slots=True)
    class Odd:
        """Has what belongs to the class."""

        many: ClassVar[int] = 3
        one: int

    assert [one.name for one in dataclasses.fields(Odd)] == ["one"]
    assert not _is_quick(Odd)
    with pytest.raises(ValueError, match="mutable default"):

        @dataclass(frozen=True, slots=True)
        class Shared:
            """Would share a list."""

            many: list[int] = []  # noqa: RUF008


def _classes() -> Iterator[type]:
    """Every dataclass of the program that is made quickly."""
    for room in ROOMS:
        for found in pkgutil.walk_packages([str(ROOT / room)], f"{room}."):
            if ".hermes_plugin" in found.name or found.name.endswith("__main__"):
                continue
            module = importlib.import_module(found.name)
            yield from (
                one
                for one in vars(module).values()
                if isinstance(one, type) and one.__module__ == found.name and _is_quick(one)
            )


def test_every_class_of_the_program_has_the_fields_and_arguments_python_would_give_it() -> None:
    found = list(_classes())
    assert len(found) > 300
    for made in found:
        own = {name: value for name, value in vars(made).items() if name in ("__annotations__", "__doc__")}
        given = {one.name: one for one in dataclasses.fields(made)}
        for name, one in given.items():
            if one.default is not dataclasses.MISSING:
                own[name] = one.default
            elif one.default_factory is not dataclasses.MISSING:
                own[name] = field(default_factory=one.default_factory, repr=one.repr)
        if hasattr(made, "__post_init__"):
            own["__post_init__"] = made.__post_init__
        theirs: type = quick_dataclasses._python(frozen=True, slots=True)(type(made.__name__, (), own))
        assert _shape(made) == _shape(theirs), made


def _is_quick(made: type) -> bool:
    return getattr(made.__hash__, "__qualname__", "") == "_compared.<locals>.hashed"


def _shape(made: type) -> object:
    fields = [
        (one.name, one.type, one.default, one.init, one.hash, one.compare, one.kw_only)
        for one in dataclasses.fields(made)
    ]
    arguments = [
        (one.name, one.kind, one.default is inspect.Parameter.empty)
        for one in inspect.signature(made).parameters.values()
    ]
    return fields, arguments, vars(made)["__slots__"], vars(made)["__match_args__"]


def test_a_process_of_its_own_makes_ours_so_and_leaves_those_of_others() -> None:
    program = (
        "from core.support import quick_dataclasses; quick_dataclasses.install()\n"
        "import dataclasses\n"
        "from core.model.evidence import Evidence\n"
        "@dataclasses.dataclass(frozen=True, slots=True)\n"
        "class Other:\n"
        "    one: int\n"
        "print(Evidence.__hash__.__module__, Other.__hash__.__module__, Other(1))"
    )
    done = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, check=True)
    assert done.stdout.split() == [quick_dataclasses.__name__, "__main__", "Other(one=1)"]
