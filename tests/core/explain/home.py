"""A Hermes home for tests: a database, a config.yaml, and an agent.log in the words Hermes uses."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from core.explain.events import explain
from core.explain.explanation import Explanation
from core.model.compaction.event import CompressionEvent
from core.store.database.locate import Location
from core.store.store import Store
from tests.core.store.database import SUMMARY, SessionDatabase

WINDOW = 64_000
CONFIG = f"""\
model:
  default: mock-model
  base_url: http://127.0.0.1:1/v1
  context_length: {WINDOW}
"""


class Home:
    """One home. Log lines carry the clock of the database unless told otherwise.

    Attributes:
        patch: Puts something else in the place of an attribute for the length of a test.
        options: Those it is named with on the command line.
        readers: Other connections to the database, closed with it.
    """

    def __init__(self, path: Path, release: str = "0.19", config: str = CONFIG) -> None:
        self.path = path
        self.release = release
        self.db = SessionDatabase(path / "state.db", release)
        self.shift = timedelta()
        self.options = ""
        self.patch: Callable[[object, str, object], None] = setattr
        self.readers: list[sqlite3.Connection] = []
        (path / "logs").mkdir(exist_ok=True)
        (path / "config.yaml").write_text(config, "utf-8")

    def store(self) -> Store:
        """The database, opened as the inspector does."""
        return Store(Location(self.path / "state.db", self.path, options=self.options))

    def line(
        self, message: str, *, tag: str | None = "S", logger: str = "agent.x", level: str = "INFO"
    ) -> None:
        """One line of agent.log, a tenth of a second later."""
        at = datetime.fromtimestamp(self.db.tick(0.1), UTC) + self.shift
        stamp = at.strftime("%Y-%m-%d %H:%M:%S,") + f"{at.microsecond // 1000:03}"
        mark = f" [{tag}]" if tag else ""
        with (self.path / "logs" / "agent.log").open("a", encoding="utf-8") as log:
            log.write(f"{stamp} {level}{mark} {logger}: {message}\n")

    def turn(self, session: str = "S", history: int = 0) -> None:
        """A turn begins."""
        text = f"conversation turn: session={session} model=mock-model provider=custom platform=cli"
        self.line(f"{text} history={history} msg='go'", tag=session, logger="agent.turn_context")

    def turn_ended(self, session: str = "S") -> None:
        """A turn ends."""
        text = (
            "Turn ended: reason=text_response(finish_reason=stop) model=mock-model api_calls=1/90 budget=1/90"
        )
        self.line(
            f"{text} tool_turns=1 last_msg_role=assistant response_len=5 session={session}", tag=session
        )

    def call(self, number: int, tokens: int, session: str = "S") -> None:
        """A provider call is answered."""
        text = f"API call #{number}: model=mock-model provider=custom in={tokens} out=60 total={tokens + 60}"
        self.line(f"{text} latency=0.2s", tag=session)

    def refused(self, error: str, session: str = "S") -> None:
        """A provider call is refused."""
        text = "API call failed (attempt 1/3) error_type=BadRequestError thread=MainThread:1 provider=custom"
        self.line(
            f"{text} base_url=http://h/v1 model=mock-model summary={error}", tag=session, level="WARNING"
        )

    def pre_api(self, tokens: int, threshold: int = 54_400) -> None:
        """The check before a call."""
        text = f"Pre-API compression: ~{tokens:,} request tokens >= {threshold:,} threshold"
        self.line(f"{text} (context={WINDOW:,}, attempt=1/3)", logger="agent.conversation_loop")

    def preflight(self, tokens: int, threshold: int = 54_400) -> None:
        """The check at the start of a turn."""
        text = f"Preflight compression: ~{tokens:,} tokens >= {threshold:,} threshold"
        self.line(f"{text} (model mock-model, ctx {WINDOW:,})")

    def lowered(self, own: int = 54_400, to: int = 40_000, tag: str | None = "S") -> None:
        """A threshold is lowered to the tokens that the summary model reads."""
        text = (
            f"Auxiliary compression model mini has {to:,} token context, below the main model's compression"
        )
        lowered = f"auto-lowered session threshold to {to:,} to keep compression working."
        self.line(f"{text} threshold of {own:,} tokens — {lowered}", tag=tag)

    def started(
        self,
        tokens: int | None,
        before: int,
        session: str = "S",
        focus: str | None = None,
        tag: str | None = "S",
    ) -> None:
        """An attempt begins; of unknown size if the provider counts none."""
        size = "unknown" if tokens is None else f"{tokens:,}"
        text = f"context compression started: session={session} messages={before} tokens=~{size}"
        self.line(f"{text} model=mock-model focus={focus!r}", tag=tag)

    def done(self, before: int, after: int, tokens: int, session: str = "S", tag: str | None = "S") -> None:
        """An attempt is committed."""
        text = f"context compression done: session={session} messages={before}->{after}"
        self.line(f"{text} rough_tokens=~{tokens:,} awaiting_real_usage=true", tag=tag)

    def telemetry(self, tag: str | None = None, **fields: Any) -> None:
        """The record 0.22 writes for each attempt."""
        values = {"event": "compression_attempt", "session_id": "S", **fields}
        text = json.dumps(values, sort_keys=True, separators=(",", ":"))
        self.line(f"context compression attempt telemetry: {text}", tag=tag)

    def talk(self, turns: int, session: str = "S", size: int = 300) -> list[int]:
        """Some turns of four messages each, with results of a size."""
        rows: list[int] = []
        for number in range(turns):
            name = f"{len(self.db.live(session))}_{number}"
            rows += self.db.turn(session, name)
            self.db.mark([rows[-2]], content="r" * size)
        return rows

    def compact(
        self, head: int = 3, tail: int = 4, summary: str = "## Goal\nship", session: str = "S"
    ) -> None:
        """Compact in place, with the rows of one commit stamped together."""
        rows = self.db.compact(session, head, tail, summary)
        self.stamp(rows)

    def stamp(self, rows: list[int]) -> None:
        """Give the summary among rows the time of this moment."""
        marker = f"{SUMMARY}%"
        query = "UPDATE messages SET timestamp = ? WHERE id = ? AND content LIKE ?"
        for row in rows:
            self.db.connection.execute(query, (self.db.tick(0), row, marker))


def explained(home: Home, session: str = "S", release: str | None = None) -> Explanation:
    with home.store() as store:
        return explain(store, session, release=release)


def only(home: Home) -> CompressionEvent:
    (event,) = explained(home).events
    return event


def compacted(home: Home, *, before: int = 28) -> None:
    """Lines of an attempt around an in-place compaction of seven turns."""
    home.compact()
    home.done(before, 8, 4_000)


def refused_early(path: Path) -> None:
    """A home in `path` whose provider refuses session S beyond 40,000 tokens, before its threshold."""
    home = Home(path)
    home.db.session("S")
    home.turn()
    home.talk(2)
    home.refused("HTTP 400: This model's maximum context length is 40000 tokens.")
    home.db.connection.close()
