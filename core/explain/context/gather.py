"""What surrounds a conversation: its log, release and window, and what could refuse a compaction.

Tool schemas come from files that Hermes leaves beside its database: before 0.22 the database has none.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from core.compress.sizing.hygiene import HygieneLimits, hygiene_limits
from core.compress.sizing.threshold import Budgets, budgets
from core.errors import NotFoundError
from core.explain.context.log.log_claims import assumed_window, last_model, logged_window, same_model
from core.hermes.config.config import HermesConfig
from core.hermes.config.in_force import WindowGuess, find_window
from core.hermes.log.read import Log, read_log
from core.hermes.log.record import Kind, LogRecord
from core.hermes.markers.markers import SummaryMatch, find_summary
from core.hermes.policy.policy import Policy, nearest_release
from core.hermes.policy.release import ReleaseClues, ReleaseGuess, detect_release, shape_names
from core.model.compaction.plan import Gate, Settings
from core.model.finding import Evidence, Source, Verdict
from core.model.transcript.conversation import Conversation
from core.model.transcript.message import ReadMessages
from core.model.transcript.session import Session
from core.store.store import Store
from core.support.own_files import cache_directory
from core.support.program_files import shared_table

_table = partial(shared_table, "core/explain/context/assumptions.yaml")

_HYGIENE_ONLY = (
    "session hygiene compression timed out",
    "hygiene compression deferred: turn-hold budget expired",
)
FOLDER = "sessions"
_TOOLS = re.compile(r'(?<!\\)"tools"\s*:\s*(?=\[)')
_MAX_BYTES = 4 * 1024 * 1024
"""Bytes to read: the schemas come before the messages, which may be long."""


def found_window(store: Store, conversation: Conversation, config: HermesConfig, log: Log) -> WindowGuess:
    """The window of the conversation's newest session."""
    tip, model = conversation.tip, next_model(conversation, config, log)
    sessions = {session.id for session in conversation.sessions}
    return find_window(
        config,
        home=store.location.home,
        model=model or "",
        provider=tip.provider or "",
        base_url=tip.base_url or "",
        logged=logged_window(log, sessions, model),
        assumed=assumed_window(log, model or config.model),
    )


def next_model(conversation: Conversation, config: HermesConfig, log: Log) -> str | None:
    """The model of the next request: the one its newest session is booked on.

    A new process begins with that of config.yaml, whatever another one answered with before.
    """
    booked, last = conversation.tip.model, last_model(log)
    if booked and last and config.model and not same_model(last, booked) and same_model(last, config.model):
        return last
    return booked


def detected(
    store: Store, conversation: Conversation, read: ReadMessages, log: Log, release: str | None = None
) -> ReleaseGuess:
    """The release asked for, else the one detected.

    Raises:
        ConfigError: There is no such release.
    """
    if release is not None:
        evidence = Evidence(Source.CONFIG, "--release", release)
        return ReleaseGuess(nearest_release(release), Verdict.PROVED, release, (evidence,))
    return detect_release(release_clues(store, conversation, read, log))


def log_about(home: Path | None, sessions: Collection[str]) -> Log:
    """The lines of a home's log about some sessions; empty without a home."""
    return Log() if home is None else read_log(home, sessions, cache_directory() / "logs")


def exists(store: Store, session: str) -> bool:
    """Whether a database still holds a session."""
    try:
        return bool(store.session(session))
    except NotFoundError:
        return False


def gate_of(store: Store, session: Session) -> Gate:
    """What could refuse an automatic compaction now."""
    guards = session.guards
    cooldown = guards.cooldown_until
    if guards.failure_error and guards.failure_error.startswith(_HYGIENE_ONLY):
        cooldown = None  # only the gateway observes such a pause, not the agent
    moment = datetime.now(UTC)
    holders = [lock.holder for lock in store.locks() if lock.key == session.id and lock.lasts(moment)]
    return Gate(
        now=moment,
        cooldown_until=cooldown,
        fallback_streak=guards.fallback_streak,
        ineffective_count=guards.ineffective_count,
        recovery_deadline=guards.recovery_deadline,
        lock_holder=holders[0] if holders else None,
    )


def release_clues(store: Store, conversation: Conversation, read: ReadMessages, log: Log) -> ReleaseClues:
    """What tells the release: traces in the conversation, its database and its log."""
    tables = ("sessions", "messages")
    columns = store.schema.columns
    pin = store.tools(conversation.tip)
    return ReleaseClues(
        pin=pin.version if pin else None,
        schema_version=store.schema.version,
        columns=frozenset(f"{table}.{name}" for table in tables for name in columns.get(table, ())),
        summary=newest_summary(conversation, read),
        log_shapes=tuple(_shapes(log)),
    )


def newest_summary(conversation: Conversation, read: ReadMessages) -> tuple[SummaryMatch, str] | None:
    """The newest summary of a conversation, and the message that holds it."""
    for generation in reversed(conversation.generations):
        row = generation.boundary.summary_row if generation.boundary else None
        for message in read([row]) if row is not None else ():
            if match := find_summary(message.text):
                return match, f"message {row}"
    return None


def _shapes(log: Log) -> Iterator[tuple[str, str]]:
    """The newest line of each wording: older ones may be from before an upgrade."""
    seen: set[str] = set()
    telling = (Kind.TURN, Kind.DONE, Kind.PRE_API, Kind.TELEMETRY)
    newest = [record for record in reversed(log.records) if record.kind in telling][:50]
    for record in newest:
        for name in shape_names(record.logger, record.message):
            if name not in seen:
                seen.add(name)
                yield name, record.where


def stored_tools(home: Path | None, session_id: str) -> tuple[Any, ...] | None:
    """The tool schemas a session last sent, from its snapshot (0.13, 0.14; later on request) or a dump.

    None where no file has them; an id that cannot be a file name has no files.
    """
    if home is None or not re.fullmatch(r"[\w.-]+", session_id):
        return None
    for path in _files(home / FOLDER, session_id):
        tools = _tools_in(path)
        if tools:
            return tools
    return None


def _files(folder: Path, session_id: str) -> Iterator[Path]:
    """The snapshot, then the dumps of refused requests, newest first; no pipe, which would be waited for."""
    dumps = sorted(folder.glob(f"request_dump_{session_id}_*.json"), reverse=True)
    return filter(Path.is_file, (folder / f"session_{session_id}.json", *dumps))


def _tools_in(path: Path) -> tuple[Any, ...] | None:
    try:
        with path.open(encoding="utf-8", errors="replace") as stream:
            text = stream.read(_MAX_BYTES)
    except OSError:
        return None
    found = _TOOLS.search(text)
    if found is None:
        return None
    try:
        tools, _ = json.JSONDecoder().raw_decode(text, found.end())
    except (ValueError, RecursionError):
        return None
    return tuple(tools) if isinstance(tools, list) else None


def without_gateway(source: str | None) -> bool:
    """Whether a session of this source runs without the gateway; an unknown one counts as such."""
    return source is None or source in _table()["local_sources"]


def gateway_rows(config: HermesConfig, policy: Policy) -> int:
    """The number of rows at which the gateway compacts a transcript of any size, by today's config."""
    return int(config.value("compression.hygiene_hard_message_limit", policy.release) or policy.hygiene.limit)


def gateway_limits(config: HermesConfig, policy: Policy, window: int | None) -> HygieneLimits | None:
    """Where the gateway compacts by today's config, in tokens and in rows; None without a window."""
    return hygiene_limits(policy, window, gateway_rows(config, policy))


def tolerance(*, tools_known: bool) -> float:
    """The share by which a recomputed size may fall short of a threshold and still explain it."""
    return float(_table()["tolerance"]["tools_known" if tools_known else "tools_unknown"])


def limits_by(settings: Settings, policy: Policy, named: LogRecord | None = None) -> Budgets | None:
    """The limits by Hermes' own rules, with the threshold of another engine if a line names it."""
    if settings.window is None or settings.window <= 0:
        return None
    own = budgets(settings, policy, settings.window)
    if named is None or not named.threshold:
        return own
    note = f"{named.where}: the context engine compared with {named.threshold:,}"
    share = named.threshold / settings.window
    return replace(own, threshold=named.threshold, percent=share, arithmetic=(note,))
