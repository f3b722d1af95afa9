"""Finding the engine object in a folder or module, as Hermes' own loaders do."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

BUILT_IN = "compressor"


class Collector:
    """Stands where a plugin expects Hermes: takes the engine, and lets every other registration pass."""

    def __init__(self, name: str) -> None:
        self.engine: Any = None
        self.name = name
        self.profile_name = "default"

    def register_context_engine(self, engine: Any) -> None:
        """What an engine plugin calls."""
        self.engine = engine

    def __getattr__(self, name: str) -> Callable[..., None]:
        if name.startswith("register_"):
            return lambda *args, **details: None
        raise AttributeError(name)


def load(order: dict[str, Any]) -> Any:
    """The engine an order names.

    Args:
        order: `{"kind": "builtin", "settings": {...}}`, `{"kind": "module", "module": ...}`, or a folder:
            `{"kind": ..., "path": ..., "name": ...}`.

    Raises:
        LookupError: The plugin registered no engine and holds no class of one.
        Exception: Whatever the plugin itself raises.
    """
    if order["kind"] == "builtin":
        return _built_in(order["settings"])
    if order["kind"] == "entry_point":
        module = importlib.import_module(order["module"])
        return _engine_of(module, order["name"])
    folder = Path(order["path"])
    sys.path.append(str(_outside(folder)))  # a plugin that is part of a distribution imports it by name
    return _engine_of(_folder_module(folder, order["name"]), order["name"])


def _outside(folder: Path) -> Path:
    """The first folder above that belongs to no package."""
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
    module_name = f"hermes_plugins.{''.join(c if c.isalnum() else '_' for c in name)}"
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


def _engine_of(module: Any, name: str) -> Any:
    """What `register` hands over, else an instance of a class that is an engine."""
    register = getattr(module, "register", None)
    if register is not None:
        collector = Collector(name)
        register(collector)
        if collector.engine is not None:
            return collector.engine
    base = importlib.import_module("agent.context_engine").ContextEngine
    for found in vars(module).values():
        if isinstance(found, type) and issubclass(found, base) and found is not base:
            return found()
    raise LookupError("it registers no context engine")


def accepted(function: Callable[..., Any], wanted: dict[str, Any]) -> dict[str, Any]:
    """Those of the arguments a function takes, as Hermes passes them."""
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return wanted
    if any(one.kind is inspect.Parameter.VAR_KEYWORD for one in parameters.values()):
        return wanted
    return {name: value for name, value in wanted.items() if name in parameters}
