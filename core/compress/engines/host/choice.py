"""Which engine a user means by a name, a path, `builtin` or `hermes`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from core.compress.engines.host.discovery import discover, from_path
from core.compress.engines.host.found_engine import BUILT_IN, EngineKind, FoundEngine
from core.compress.engines.host.hosted import hosted
from core.compress.engines.host.install import HermesInstall
from core.compress.engines.host.process import EngineFailed
from core.errors import NotFoundError, UsageError
from core.model.compaction.settings import Settings

OURS = ("builtin", BUILT_IN, "inspector")
"""Names of this program's own replay of Hermes' compressor."""
INSTALLED = "hermes"


@dataclass(frozen=True, slots=True)
class EngineSearch:
    """Where engines are looked for.

    Attributes:
        install: Where Hermes is installed; None when nobody says.
    """

    home: Path | None
    install: HermesInstall | None

    @property
    def python(self) -> Path | None:
        """Hermes' interpreter."""
        return None if self.install is None else self.install.python


def engine_named(text: str, search: EngineSearch) -> FoundEngine | None:
    """The engine a user means; None for ours.

    Raises:
        NotFoundError: No engine has that name, or the path holds none.
        UsageError: `hermes` is asked for where none is installed.
    """
    if text in OURS:
        return None
    if text == INSTALLED:
        if search.install is None:
            raise UsageError(
                "no Hermes is known to run",
                where="--engine hermes",
                remedy="Name it with --hermes-python PATH",
            )
        return discover(None, search.install)[0]
    found = [one for one in discover(search.home, search.install) if one.kind is not EngineKind.BUILTIN]
    for one in found:
        if one.path is not None and text == one.path.name:
            return one
        if text == one.name:
            return replace(one, last=False)
    if "/" in text or "\\" in text or Path(text).is_dir():
        return from_path(Path(text))
    for one in found:  # its own name may be neither its folder's nor its manifest's
        if _own_name(one, search) == text:
            return one
    known = ", ".join(dict.fromkeys(("builtin", INSTALLED, *(one.name for one in found))))
    raise NotFoundError(
        f"no context engine is called {text!r}", where="--engine", remedy=f"Known are {known}"
    )


def _own_name(found: FoundEngine, search: EngineSearch) -> str | None:
    try:
        with hosted(
            found, home=search.home, python=search.python, settings=Settings(), answer=no_model
        ) as engine:
            return engine.loaded.name
    except EngineFailed:
        return None


def told_name(text: str, found: FoundEngine) -> str:
    """What an engine is called on screen: as the user did, or of a path its own name."""
    return found.name if "/" in text or "\\" in text else text


def no_model(call: dict[str, object]) -> str:
    """Answer of a host that asks no model."""
    raise UsageError("no model is asked here")
