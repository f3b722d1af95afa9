"""The texts of a home's requests: which of them its database lacks; those are masked and written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from core.errors import InspectorError
from core.recordings.row_names import digest, row_name
from core.redact.message import redact_stored
from core.store.database.locate import locate
from core.store.store import Store
from inspector.hermes_plugin.stub.recording.recording_file import change_texts


class TextDesk:
    """What the worker knows of one home.

    Args:
        home: The HERMES_HOME, as requests are recorded under.
        state: Where our own files lie.
    """

    def __init__(self, home: str, state: Path) -> None:
        self._home, self._state = home, state
        self._read: set[int] = set()
        self._held: set[str] = set()
        self._sessions: dict[str, None] = {}

    def wanted(self, offered: Sequence[Sequence[str]]) -> list[str]:
        """Of names with their sessions, those whose text the database does not hold."""
        self._sessions.update(dict.fromkeys(session for _, session in offered))
        self.drop_held()
        return [name for name, _ in offered if name not in self._held]

    def drop_held(self) -> None:
        """Let go of texts the database holds by now: some releases write a turn when it is over."""
        new = {name for session in self._sessions for name in self._newly_held(session)}
        self._held |= new
        change_texts(self._state, self._home, (), new)

    def keep(self, texts: Iterable[Sequence[str]]) -> None:
        """Write texts without their credentials."""
        masked = [(name, session, role, redact_stored(text)) for name, session, role, text in texts]
        change_texts(self._state, self._home, masked, ())

    def _newly_held(self, session: str) -> set[str]:
        """Names of what the database holds of a conversation and was not read before."""
        try:
            with Store(locate(home=Path(self._home))[0]) as store:
                conversation = store.conversation(session)
                rows = [row for one in conversation.generations for row in one.row_ids]
                new = [row for row in dict.fromkeys(rows) if row not in self._read]
                found = {row_name(dict(message.wire)) for message in store.messages(new)}
                prompts = map(store.system_prompt, conversation.sessions)
                found |= {digest(prompt) for prompt in prompts if prompt}
        except InspectorError:
            return set()  # it holds nothing yet, or cannot be read: what is kept twice goes later
        self._read.update(new)
        return found
