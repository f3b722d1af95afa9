"""Standard modules that are loaded when they are first used, not when they are first named."""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType

SELDOM_USED = ("inspect",)
"""`dataclasses` imports `inspect`, 7 ms with all it brings along, for classes that have no docstring."""


class _Later(ModuleType):
    """Stands for a module until something in it is asked for.

    `importlib.util.LazyLoader` is no help: the second import statement already makes it load.
    """

    def __getattr__(self, name: str) -> object:
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        module = import_module(self.__name__)
        self.__dict__.update(vars(module))
        return getattr(module, name)


def put_off(*names: str) -> None:
    """Let these modules be imported without being loaded; those loaded already stay."""
    for name in names:
        sys.modules.setdefault(name, _Later(name))
