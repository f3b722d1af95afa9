"""What `why` answers, remembered until the database, the log or the configuration changes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from core.explain.explanation import Explanation, Now
from core.hermes.config.config import FILE_NAME
from core.hermes.config.window import CACHE_NAME, WindowGuess
from core.hermes.log.read import log_files
from core.hermes.policy.release import ReleaseGuess
from core.model.compaction.event import CompressionEvent
from core.model.headline import UNSAID, Headline
from core.store.store import Store
from core.support.file_cache import keep
from core.support.json_codec import decode, encode
from core.support.user_dirs import APPLICATION, cache_directory

_FORMAT = 3


@dataclass(frozen=True, slots=True)
class Answer:
    """Why a conversation was compressed, and where the trigger stands; see `Explanation`.

    Attributes:
        title: The conversation's title, else the id of its newest session. Untrusted.
    """

    session: str
    title: str
    release: ReleaseGuess
    window: WindowGuess
    events: tuple[CompressionEvent, ...]
    now: Now
    notes: tuple[str, ...]
    headline: Headline = UNSAID


def answer(store: Store, session_id: str, *, release: str | None = None, remember: bool = True) -> Answer:
    """The same as `explain` for whoever needs the answer alone; asked again, it costs milliseconds.

    An answer that depends on the time of day, because a pause or a lock is running, is not remembered.

    Args:
        store: The database.
        session_id: Any session of the conversation.
        release: Rules to apply instead of the detected release's.
        remember: Keep the answer in the user's cache directory, and look for it there.

    Raises:
        NotFoundError: There is no such session.
        ConfigError: config.yaml cannot be used, or the release is unknown.
    """
    slot, stamp = _slot(store, session_id, release), _stamp(store)
    if remember and (known := _load(slot, stamp)) is not None:
        return known
    found = _fresh(store, session_id, release)
    if remember and lasting(store, session_id):
        _save(slot, stamp, found)
    return found


def _fresh(store: Store, session_id: str, release: str | None) -> Answer:
    # Imported here: an answer that is remembered needs none of the machinery.
    from core.explain.events import explain

    return answer_of(explain(store, session_id, release=release))


def answer_of(found: Explanation) -> Answer:
    """The answer of a conversation that has been read already."""
    title = found.conversation.name
    return Answer(
        found.session,
        title,
        found.release,
        found.window,
        found.events,
        found.now,
        found.notes,
        found.headline,
    )


def lasting(store: Store, session_id: str) -> bool:
    """Whether an answer holds until a file changes: no pause runs out by itself, and no lock is held."""
    guards = store.session(session_id).guards
    timed = (guards.cooldown_until, guards.recovery_deadline)
    return all(moment is None for moment in timed) and not store.locks()


def _slot(store: Store, session_id: str, release: str | None) -> Path:
    """One file a question, so that answers of yesterday are replaced, not heaped up."""
    name = sha256(
        repr((str(store.path.resolve()), session_id, release)).encode("utf-8", "replace")
    ).hexdigest()
    return cache_directory() / "why" / f"{name[:32]}.json"


def _stamp(store: Store) -> str:
    """Changes whenever anything the answer rests on does."""
    parts = (_FORMAT, _version(), *map(_state, _files(store)))
    return sha256(repr(parts).encode("utf-8", "replace")).hexdigest()


def _files(store: Store) -> Iterator[Path]:
    yield store.path
    yield store.path.with_name(f"{store.path.name}-wal")
    if store.location.home is not None:
        yield store.location.home / FILE_NAME
        yield store.location.home / CACHE_NAME
        yield from log_files(store.location.home)


def _state(path: Path) -> tuple[object, ...]:
    try:
        found = path.stat()
    except OSError:
        return (path.name, None)
    return (path.name, found.st_ino, found.st_size, found.st_mtime_ns)


def _version() -> str:
    try:
        return version(APPLICATION)
    except PackageNotFoundError:
        return ""


def _load(slot: Path, stamp: str) -> Answer | None:
    try:
        kept = json.loads(slot.read_text("utf-8"))
        return decode(Answer, kept["answer"]) if kept["stamp"] == stamp else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _save(slot: Path, stamp: str, found: Answer) -> None:
    keep(slot, json.dumps({"stamp": stamp, "answer": encode(found)}).encode())
