"""The list of genai-prices as it was shipped, without what the package loads to fetch newer prices."""

from __future__ import annotations

import builtins
import sys
from functools import cache
from importlib.util import find_spec, module_from_spec
from threading import Lock
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from genai_prices.data_snapshot import DataSnapshot


PACKAGE = "genai_prices"
_READING = Lock()


@cache
def snapshot() -> DataSnapshot:
    """The list as it was shipped, without what the package loads to fetch newer prices.

    Its `__init__` brings an HTTP client, its types bring pydantic, which checks lists that are fetched: five
    sixths of the time. Nothing is fetched here. Whoever imports the package gets it whole.
    """
    with _READING:
        spec = None if PACKAGE in sys.modules else find_spec(PACKAGE)
        if spec is None:
            return _snapshot()
        sys.modules[PACKAGE] = module_from_spec(spec)
        try:
            _read_types()
            return _snapshot()
        except (ImportError, AttributeError, TypeError):
            _forget()
            return _snapshot()
        finally:
            _forget()


def _snapshot() -> DataSnapshot:
    from genai_prices.data_snapshot import get_snapshot

    return get_snapshot()


def _forget() -> None:
    for name in [name for name in sys.modules if name == PACKAGE or name.startswith(f"{PACKAGE}.")]:
        del sys.modules[name]


def _read_types() -> None:
    """Carry out the module of the types, for which alone pydantic is something that does nothing."""
    spec = find_spec(f"{PACKAGE}.types")
    if spec is None or spec.loader is None:
        return
    types = sys.modules[spec.name] = module_from_spec(spec)
    types.__dict__["__builtins__"] = {**vars(builtins), "__import__": _without_pydantic}
    spec.loader.exec_module(types)


def _without_pydantic(name: str, *rest: Any) -> Any:
    return _Inert() if name == "pydantic" else __import__(name, *rest)


class _Inert:
    """Stands for pydantic: anything may be asked of it, and nothing comes of it."""

    def __getattr__(self, name: str) -> Callable[..., None]:
        return lambda *_, **__: None
