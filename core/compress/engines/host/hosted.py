"""Runs any context engine on one conversation in a separate process."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from core.compress.engines.host.found_engine import EngineKind, FoundEngine, LoadedEngine
from core.compress.engines.host.list_check import problems, unusable
from core.compress.engines.host.process import Answer, Bounds, EngineFailed, EngineProcess
from core.model.compaction.plan import Settings

_WINDOW = 128_000
"""The window for an engine that is only inspected."""
_MAX_STATED = 10**15
_LEFT_OUT = frozenset({".env", "auth.json", "state.db", "state.db-wal", "state.db-shm"})
_MAX_BYTES = 64 << 20
"""The most bytes copied in all; an engine with more files starts without the rest."""


@dataclass(frozen=True, slots=True)
class Compacted:
    """What an engine made of a conversation.

    Attributes:
        messages: The list it returned, in wire form.
        seconds: The time its `compress` took, including calls to a model.
        would_fire: It would compact by itself at the given size.
        threshold: The size from which it fires, as it states; None when it states none.
        problems: What in the list would trouble a provider or an agent.
    """

    engine: LoadedEngine
    messages: tuple[dict[str, Any], ...]
    seconds: float
    would_fire: bool
    threshold: int | None
    problems: tuple[str, ...]


class HostedEngine:
    """An engine loaded in its process; Hermes' own compressor is told the shares too, not only the model."""

    def __init__(self, found: FoundEngine, process: EngineProcess, settings: Settings) -> None:
        self._process, self._settings, self._name = process, settings, found.name
        answer = process.order({"do": "load", **_order(found, settings)})
        try:
            self.loaded = LoadedEngine(
                name=str(answer["name"]),
                is_abc=bool(answer["is_abc"]),
                copy_error=None if answer["copies"] is None else str(answer["copies"]),
                clones=bool(answer["clones"]),
                tools=tuple(map(str, answer["tools"])),
                status=dict(answer["status"]),
                with_hermes=bool(answer["hermes"]),
                handed=tuple(map(str, answer["handed"])),
                trouble=None if answer["trouble"] is None else str(answer["trouble"]),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise EngineFailed("it answered for the host", where=f"engine {found.name}") from error

    def compact(self, messages: Sequence[dict[str, Any]], tokens: int | None, focus: str | None) -> Compacted:
        """Start a session with the engine and let it compact a list in wire form, as `/compress` would.

        Raises:
            EngineFailed: It raised, hung, died, or returned something that is no list of messages.
        """
        started = self._process.order({"do": "start", "route": self._route(), "tokens": tokens})
        asked = {"messages": list(messages), "tokens": tokens, "focus": focus, "force": True}
        answer = self._process.order({"do": "compress", **asked})
        after = answer.get("messages")
        why = unusable(after)
        if why is not None or not isinstance(after, list):
            raise EngineFailed(why or "no list", where=f"engine {self._name}")
        wrong = problems(messages, after)
        if answer.get("changed_input"):
            wrong = (*wrong, "it changed the list it was given")
        status = started.get("status")
        threshold = _stated(status.get("threshold_tokens")) if isinstance(status, dict) else None
        return Compacted(
            engine=self.loaded,
            messages=tuple(after),
            seconds=_stated(answer.get("seconds")) or 0.0,
            would_fire=bool(started.get("would_fire")),
            threshold=None if threshold is None else int(threshold),
            problems=wrong,
        )

    def _route(self) -> dict[str, Any]:
        here = self._settings
        return {
            "model": here.model or "unknown",
            "context_length": here.window or _WINDOW,
            "base_url": f"https://{here.host}" if here.host else "",
            "api_key": "",
            "provider": here.provider,
            "api_mode": here.api_mode,
        }


def _stated(value: Any) -> float | None:
    """A number above 0 that an engine states; None for anything else, such as an infinite threshold."""
    return value if isinstance(value, int | float) and 0 < value < _MAX_STATED else None


@contextmanager
def hosted(
    found: FoundEngine,
    *,
    home: Path | None,
    python: Path | None,
    settings: Settings,
    answer: Answer,
    bounds: Bounds | None = None,
    stop: Callable[[], bool] | None = None,
) -> Iterator[HostedEngine]:
    """Load an engine in a separate process, which ends with the block.

    It gets a private copy of the home, and Hermes' interpreter, or ours with a stand-in for what engines
    import of Hermes. `answer` answers its calls to a model.

    Raises:
        EngineFailed: It cannot be loaded.
    """
    with (
        private_home(home) as copy,
        EngineProcess(python, copy, found.name, answer, bounds, stop) as process,
    ):
        yield HostedEngine(_moved(found, home, copy), process, settings)


def _moved(found: FoundEngine, home: Path | None, copy: Path) -> FoundEngine:
    """The engine as found in the copy of the home, so that it writes its own files there."""
    if found.path is None or home is None or not found.path.is_relative_to(home / "plugins"):
        return found

    moved = copy / found.path.relative_to(home)
    return replace(found, path=moved) if (moved / "__init__.py").is_file() else found


def _order(found: FoundEngine, settings: Settings) -> dict[str, Any]:
    if found.kind is EngineKind.BUILTIN:
        return {"kind": "builtin", "settings": _built_in(settings)}
    if found.kind is EngineKind.ENTRY_POINT:
        return {"kind": "entry_point", "module": found.module, "name": found.name}
    return {"kind": found.kind.value, "path": str(found.path), "name": found.name, "last": found.last}


def _built_in(settings: Settings) -> dict[str, Any]:
    """The arguments with which Hermes creates its own compressor; each release takes those it knows."""
    arguments = {
        "model": settings.model or "unknown",
        "threshold_percent": settings.threshold,
        "protect_first_n": settings.protect_first,
        "protect_last_n": settings.protect_last,
        "summary_target_ratio": settings.target_ratio,
        "quiet_mode": True,
        "config_context_length": settings.window or _WINDOW,
        "provider": settings.provider,
        "api_mode": settings.api_mode,
        "max_tokens": settings.max_output,
    }
    return {name: value for name, value in arguments.items() if value is not None and value != ""}


@contextmanager
def private_home(home: Path | None) -> Iterator[Path]:
    """A temporary folder for one engine; the real home is only read."""
    folder = Path(tempfile.mkdtemp(prefix="hermes-inspector-engine-"))
    try:
        copy = folder / "home"
        copy.mkdir()
        if home is not None and home.is_dir():
            _fill(home, copy)
        yield copy
    finally:
        _remove(folder)


def _fill(home: Path, copy: Path) -> None:
    room = _MAX_BYTES
    for source in sorted(home.iterdir()):
        if source.is_file() and not source.is_symlink() and source.name not in _LEFT_OUT:
            room = _copied(source, copy / source.name, room)
    for source in sorted((home / "plugins").rglob("*")) if (home / "plugins").is_dir() else ():
        if source.is_file() and not {"__pycache__", ".git", "node_modules"} & set(source.parts):
            room = _copied(source, copy / source.relative_to(home), room)


def _copied(source: Path, target: Path, room: int) -> int:
    with suppress(OSError):
        size = source.stat().st_size
        if size <= room:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
            return room - size
    return room


def _remove(folder: Path) -> None:
    """Remove a folder, even if the engine made parts of it inaccessible."""
    shutil.rmtree(folder, ignore_errors=True)
    if folder.exists():
        for path in (folder, *folder.rglob("*")):
            with suppress(OSError):
                if path.is_dir() and not path.is_symlink():
                    path.chmod(0o700)
        shutil.rmtree(folder, ignore_errors=True)
