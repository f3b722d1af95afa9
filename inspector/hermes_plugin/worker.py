"""The other end of the plugin's pipe: runs the compressor for the engines of one Hermes process.

It reads and writes one JSON object per line, and ends when the pipe is closed.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from core.errors import InspectorError
from core.recordings.row_names import digest, row_name
from core.redact.message import redact_stored
from core.store.database.locate import DATABASE_NAME, locate
from core.store.store import Store
from inspector.hermes_plugin.engine_session import EngineSession
from inspector.hermes_plugin.stub.recording.recording_file import change_texts
from inspector.hermes_plugin.stub.worker_link import MIRRORED


class RequestTexts:
    """The texts that the worker knows of one home."""

    def __init__(self, home: str, state: Path) -> None:
        self._home, self._state = home, state
        self._read: set[int] = set()
        self._held: set[str] = set()
        self._sessions: dict[str, None] = {}

    def wanted(self, offered: Sequence[Sequence[str]]) -> list[str]:
        """Of the offered names with their sessions, those whose text the database lacks."""
        self._sessions.update(dict.fromkeys(session for _, session in offered))
        self.drop_held()
        return [name for name, _ in offered if name not in self._held]

    def drop_held(self) -> None:
        """Delete texts that the database has by now; some releases write a turn only when it is over."""
        new = {name for session in self._sessions for name in self._newly_held(session)}
        self._held |= new
        change_texts(self._state, self._home, (), new)

    def keep(self, texts: Iterable[Sequence[str]]) -> None:
        """Write texts with credentials masked."""
        masked = [(name, session, role, redact_stored(text)) for name, session, role, text in texts]
        change_texts(self._state, self._home, masked, ())

    def _newly_held(self, session: str) -> set[str]:
        """Names of texts that the database has of a conversation and that were not read before."""
        try:
            with Store(*locate(db=Path(self._home) / DATABASE_NAME)) as store:
                conversation = store.conversation(session)
                rows = [row for generation in conversation.generations for row in generation.row_ids]
                new = [row for row in dict.fromkeys(rows) if row not in self._read]
                found = {row_name(dict(message.wire)) for message in store.messages(new)}
                prompts = map(store.system_prompt, conversation.sessions)
                found |= {digest(prompt) for prompt in prompts if prompt}
        except InspectorError:
            return set()  # nothing there yet, or unreadable; duplicates are deleted later
        self._read.update(new)
        return found


def serve(orders: TextIO, answers: TextIO) -> None:
    """Answer requests until there are no more."""
    sessions: dict[str, EngineSession] = {}
    texts: dict[str, RequestTexts] = {}
    for line in orders:
        order = json.loads(line)
        try:
            answer = _texts(texts, order) if "engine" not in order else _answer(sessions, order)
        except Exception as error:  # noqa: BLE001 - the edge of a process: the stub ends this worker
            answer = {"error": f"{type(error).__name__}: {error}"}
        answers.write(f"{json.dumps({**answer, 'number': order.get('number')})}\n")
        answers.flush()
    for kept in texts.values():
        kept.drop_held()


def _texts(homes: dict[str, RequestTexts], order: dict[str, Any]) -> dict[str, Any]:
    """Answer a request of a home's recorder."""
    home = order["home"]
    kept = homes.get(home)
    if kept is None:
        kept = homes[home] = RequestTexts(home, Path(order["state"]))
    if order["do"] == "wanted":
        return {"names": kept.wanted(order["names"])}
    kept.keep(order["texts"])
    return {}


def _answer(sessions: dict[str, EngineSession], order: dict[str, Any]) -> dict[str, Any]:
    session = sessions.get(order["engine"])
    if session is None:
        session = sessions[order["engine"]] = EngineSession(
            Path(order["home"]), order["version"], Path(order["state"]), order["summariser"]
        )
        if order["route"] is not None:  # an earlier worker had created it
            session.update_model(order["route"])
            session.session_start(order["session"])
    session.take_over(order["set"])
    actions: dict[str, Callable[[], dict[str, Any]]] = {
        "update_model": lambda: session.update_model(order["route"]),
        "update_from_response": lambda: session.update_from_response(order["usage"]),
        "should_compress": lambda: session.should_compress(order["tokens"]),
        "should_defer": lambda: session.should_defer(order["tokens"]),
        "has_content": lambda: session.has_content(order["messages"]),
        "compress": lambda: session.compress(order),
        "session_start": lambda: session.session_start(order["session"]),
        "session_end": session.session_end,
        "session_reset": session.session_reset,
        "tool": lambda: session.tool(order["name"], order["args"], order["session"]),
    }
    answer = actions[order["do"]]()
    compressor = session.compressor
    state = {} if compressor is None else {name: getattr(compressor, name) for name in MIRRORED}
    return {**answer, "state": state}


@contextmanager
def _own_pipe() -> Iterator[tuple[TextIO, TextIO]]:
    """Keep stray prints out of the pipe."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    orders = os.fdopen(os.dup(0), "r", encoding="utf-8", newline="\n")
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1):
        os.dup2(nothing, stream)
    with answers, orders:
        yield orders, answers


def main() -> None:
    """Serve the pipe that this process was started with."""
    sys.argv[:] = sys.argv[:1]
    with _own_pipe() as (orders, answers):
        serve(orders, answers)
