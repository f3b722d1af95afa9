"""Finds the engine object in a folder or module, as Hermes' own loaders do."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

HANDS_CLASS = "register() hands over a class, not an engine"


class Collector:
    """Takes the place of Hermes for a plugin: keeps the engine and ignores every other registration."""

    def __init__(self, name: str) -> None:
        self.engines: list[Any] = []
        self.name = name
        self.profile_name = "default"

    def register_context_engine(self, engine: Any) -> None:
        """Keep an engine; plugins call this."""
        self.engines.append(engine)

    def __getattr__(self, name: str) -> Callable[..., None]:
        if name.startswith("register_"):
            return lambda *args, **details: None
        raise AttributeError(name)


class Taken(NamedTuple):
    """An engine, the names of the engines `register` handed over, and the error it raised."""

    engine: Any
    handed: Sequence[str] = ()
    trouble: str | None = None


def load(order: dict[str, Any]) -> Taken:
    """The engine that an order names.

    Args:
        order: `{"kind": "builtin", "settings": {...}}`, `{"kind": "module", "module": ...}`, or a folder:
            `{"kind": ..., "path": ..., "name": ...}`.

    Raises:
        LookupError: The plugin registered no engine and has no class of one.
        Exception: Whatever the plugin itself raises.
    """
    if order["kind"] == "builtin":
        return Taken(_built_in(order["settings"]))
    if order["kind"] == "entry_point":
        return _engine_of(_entry(order["module"]), order["name"])
    folder = Path(order["path"])
    sys.path.append(str(_outside(folder)))  # a plugin that is part of a distribution imports it by name
    return _engine_of(_folder_module(folder, order["name"]), order["name"], last=order.get("last", False))


def _entry(value: str) -> Any:
    """What an entry point names; a function is treated as the `register` of a module."""
    name, _, attribute = value.partition(":")
    found = importlib.import_module(name)
    for part in filter(None, attribute.split(".")):
        found = getattr(found, part)
    return found if inspect.ismodule(found) else SimpleNamespace(register=found)


def _outside(folder: Path) -> Path:
    """The nearest parent folder that is not part of a package."""
    folder = folder.parent
    while (folder / "__init__.py").is_file():
        folder = folder.parent
    return folder


def _built_in(settings: dict[str, Any]) -> Any:
    """Hermes' own compressor with the numbers of a preview; each release takes those it knows."""
    compressor = importlib.import_module("agent.context_compressor").ContextCompressor
    return compressor(**accepted(compressor.__init__, settings))


def _folder_module(folder: Path, name: str) -> Any:
    """The folder as a package, so that its relative imports work."""
    start = folder / "__init__.py"
    if not start.is_file():
        raise LookupError(f"{folder} has no __init__.py")
    module_name = f"hermes_plugins.{''.join(char if char.isalnum() else '_' for char in name)}"
    if "hermes_plugins" not in sys.modules:
        sys.modules["hermes_plugins"] = type(sys)("hermes_plugins")
        sys.modules["hermes_plugins"].__path__ = []
    spec = importlib.util.spec_from_file_location(
        module_name, start, submodule_search_locations=[str(folder)]
    )
    if spec is None or spec.loader is None:
        raise LookupError(f"{start} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module
    spec.loader.exec_module(module)
    return module


def _engine_of(module: Any, name: str, *, last: bool = False) -> Taken:
    """The first (or last) engine `register` hands over, else an instance of an engine class."""
    register = getattr(module, "register", None)
    raised: Exception = LookupError("it registers no context engine")
    trouble = "it has no register()" if register is None else None
    collector = Collector(name)
    try:
        if register is not None:
            register(collector)
    except Exception as error:  # noqa: BLE001 - like Hermes, which then looks for a class
        raised, trouble = error, f"{type(error).__name__}: {error}"[:300]
    if collector.engines:
        engine = collector.engines[-1 if last else 0]
        if isinstance(engine, type):
            raise TypeError(HANDS_CLASS)
        return Taken(engine, [str(getattr(one, "name", "")) for one in collector.engines], trouble)
    base = importlib.import_module("agent.context_engine").ContextEngine
    for _, kind in sorted(vars(module).items()):
        if isinstance(kind, type) and issubclass(kind, base) and kind is not base:
            try:
                return Taken(kind(), (), trouble)
            except Exception as error:  # noqa: BLE001 - like Hermes, which takes the next
                raised = error
    raise raised


def accepted(function: Callable[..., Any], arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments that a function accepts, as Hermes passes them."""
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return arguments
    if any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters.values()):
        return arguments
    return {name: value for name, value in arguments.items() if name in parameters}
