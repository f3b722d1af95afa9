"""Builds the databases that speed is measured on: a store of many sessions, or one very long conversation.

    python -m tests.benchmarks.generate big.db
    python -m tests.benchmarks.generate small.db --sessions 400 --messages 10000
    python -m tests.benchmarks.generate long.db --conversation 12000

The same arguments give the same rows; without any they are 20,000 sessions, 1,000,000 messages and about
2 GB. Rows are shaped like Hermes 0.19's: chains, delegates, in-place
compactions, tool calls with results, usage by model.
"""

from __future__ import annotations

import argparse
import json
import random
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from sample_sessions.filler import fill

EPOCH = 1_790_000_000.0
"""When the newest session starts, seconds; older ones go back from here."""

_MODELS = (
    ("claude-opus-4-5", "anthropic", "https://api.anthropic.com"),
    ("claude-sonnet-4-6", "anthropic", "https://api.anthropic.com"),
    ("gpt-5.2", "openai", "https://api.openai.com/v1"),
    ("deepseek-chat", "deepseek", "https://api.deepseek.com"),
    ("hermes-4-14b", "custom", "http://127.0.0.1:8080/v1"),
)
_SOURCES = ("cli", "cli", "telegram", "cron", "tool")
_PREFIX = "[CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns, in brief. Your tools remain fully active.\n"
_SYSTEM = "You are a careful engineer. " * 40
_COLUMNS = {
    "sessions": "id source model model_config system_prompt parent_session_id started_at ended_at end_reason "
    "message_count tool_call_count input_tokens output_tokens cache_read_tokens cache_write_tokens "
    "reasoning_tokens billing_provider billing_base_url estimated_cost_usd cost_status cost_source title "
    "api_call_count",
    "messages": "session_id role content tool_call_id tool_calls tool_name timestamp finish_reason active "
    "compacted",
    "session_model_usage": "session_id model billing_provider billing_base_url api_call_count input_tokens "
    "output_tokens cache_read_tokens cache_write_tokens reasoning_tokens estimated_cost_usd cost_status "
    "first_seen last_seen",
}

MessageRow = tuple[str, str, str | None, str | None, str | None, str | None, float, str | None, int, int]


@dataclass(frozen=True, slots=True)
class Size:
    """How much to make: `characters` is the mean length of a tool result, about half of all messages."""

    sessions: int = 20_000
    messages: int = 1_000_000
    characters: int = 1_250
    seed: int = 7


def store(path: Path, size: Size) -> Path:
    """A database of many sessions at `path`, which must not exist yet."""
    with closing(_new(path)) as db:
        rng = random.Random(size.seed)
        texts = _texts(rng, size.characters)
        each = size.messages // size.sessions
        for first in range(0, size.sessions, 500):
            numbers = range(first, min(first + 500, size.sessions))
            shapes = [_shape(rng, number, each, size) for number in numbers]
            _insert(db, "sessions", [shape.session() for shape in shapes])
            _insert(db, "session_model_usage", [shape.usage() for shape in shapes])
            _insert(db, "messages", (row for shape in shapes for row in shape.messages(rng, texts)))
        _index(db)
    return path


def conversation(path: Path, messages: int = 12_000, *, characters: int = 700, seed: int = 7) -> Path:
    """A database holding one session of `messages` live messages, at `path`."""
    with closing(_new(path)) as db:
        rng = random.Random(seed)
        shape = _Shape(0, messages, 0, 0, None, rng.randint(10**5, 10**6))
        _insert(db, "sessions", [shape.session()])
        _insert(db, "session_model_usage", [shape.usage()])
        _insert(db, "messages", shape.messages(rng, _texts(rng, characters)))
        _index(db)
    return path


@dataclass(frozen=True, slots=True)
class _Shape:
    """One session before its rows are written."""

    number: int
    count: int
    archived: int
    model: int
    parent: int | None
    tokens: int

    @property
    def id(self) -> str:
        return _id(self.number)

    @property
    def began(self) -> float:
        return EPOCH - 200.0 * self.number

    @property
    def calls(self) -> int:
        return max(1, self.count // 2)

    @property
    def buckets(self) -> tuple[int, int, int, int, int]:
        """Input, output, cache read, cache write, reasoning."""
        read = self.tokens * self.calls
        return self.tokens, 90 * self.calls, read, self.tokens // 2, 20 * self.calls

    def session(self) -> tuple[object, ...]:
        model, provider, url = _MODELS[self.model]
        delegate = self.parent is not None and self.number % 3 == 0
        config = {"max_iterations": 90} | ({"_delegate_from": _id(self.parent or 0)} if delegate else {})
        # Sessions are numbered newest first, so a continuation has a smaller number than its parent.
        compressed = self.number % 10 == 1
        source = "tool" if delegate else _SOURCES[self.number % 4]
        return (
            self.id, source, model, json.dumps(config), _SYSTEM,
            None if self.parent is None else _id(self.parent), self.began,
            self.began + 180.0, "compression" if compressed else "cli_close", self.count,
            self.count // 2, *self.buckets, provider, url, self._usd, self._status, "official_docs_snapshot",
            f"Session {self.number}: {_MODELS[self.model][0]}", self.calls,
        )  # fmt: skip

    def usage(self) -> tuple[object, ...]:
        model, provider, url = _MODELS[self.model]
        return (
            self.id, model, provider, url, self.calls, *self.buckets, self._usd, self._status,
            self.began, self.began + 180.0,
        )  # fmt: skip

    @property
    def _usd(self) -> float:
        return 0.0 if self._status == "unknown" else self.tokens * self.calls * 5e-7

    @property
    def _status(self) -> str:
        return "unknown" if _MODELS[self.model][1] == "custom" else "estimated"

    def messages(self, rng: random.Random, texts: list[str]) -> Iterator[MessageRow]:
        """Archived rows first, then a summary and the live rows: ask, call, result, answer, over and over."""
        at = self.began
        for index in range(self.archived):
            yield _message(self.id, index, at + index, rng, texts, live=False)
        if self.archived:
            yield (
                self.id,
                "user",
                _PREFIX + rng.choice(texts),
                None,
                None,
                None,
                at + self.archived,
                None,
                1,
                0,
            )
        for index in range(self.archived, self.archived + self.count):
            yield _message(self.id, index, at + 1 + index, rng, texts, live=True)


def _message(
    session: str, index: int, at: float, rng: random.Random, texts: list[str], *, live: bool
) -> MessageRow:
    call = f"call_{session[-6:]}_{index // 4}"
    states = (1, 0) if live else (0, 1)
    match index % 4:
        case 0:
            return session, "user", rng.choice(texts)[:240], None, None, None, at, None, *states
        case 1:
            function = {"name": "terminal", "arguments": json.dumps({"command": f"make check-{index}"})}
            calls = json.dumps([{"id": call, "type": "function", "function": function}])
            return session, "assistant", "", None, calls, None, at, "tool_calls", *states
        case 2:
            return session, "tool", rng.choice(texts), call, None, "terminal", at, None, *states
        case _:
            return session, "assistant", rng.choice(texts)[:400], None, None, None, at, "stop", *states


def _shape(rng: random.Random, number: int, each: int, size: Size) -> _Shape:
    """Mostly plain sessions; one in 10 has a parent (of these one in 3 delegates), one in 20 is compacted."""
    count = max(4, each + number * 37 % (each + 1) - each // 2)
    archived = 0 if number % 20 else count * 3 // 4
    parent = number + 1 if number % 10 == 0 and number + 1 < size.sessions else None
    model = rng.choices(range(len(_MODELS)), (4, 4, 3, 2, 1))[0]
    return _Shape(number, count - archived, archived, model, parent, rng.randint(4_000, 120_000))


def _texts(rng: random.Random, characters: int) -> list[str]:
    """Tool output to draw from: half logs, half source, of lengths around the mean."""
    lines = max(2, characters // 75)
    recipes = ({"kind": "log"}, {"kind": "source"}, {"kind": "pytest"}, {"kind": "page"})
    texts = []
    for index in range(400):
        recipe = recipes[index % 4] | {"lines": max(2, rng.randint(lines // 2, lines * 2))}
        texts.append(fill(recipe, f"{index}")[: characters * 3])
    return texts


def _id(number: int) -> str:
    return f"20260101_{number // 3600 % 24:02d}{number // 60 % 60:02d}{number % 60:02d}_{number:06x}"


def _new(path: Path) -> sqlite3.Connection:
    """An empty database of schema 22; its full-text triggers wait until the rows are in."""
    db = sqlite3.connect(path, isolation_level=None)
    db.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -200000;")
    schema = resources.files("sample_sessions") / "schema"
    db.executescript((schema / "22.sql").read_text("utf-8"))
    search, _, triggers = (schema / "22-search.sql").read_text("utf-8").partition("CREATE TRIGGER")
    db.executescript(
        "\n".join(line for line in search.splitlines() if line.startswith("CREATE VIRTUAL TABLE"))
    )
    db.execute("CREATE TEMP TABLE later (sql TEXT)")
    db.execute("INSERT INTO later VALUES (?)", ["CREATE TRIGGER" + triggers])
    db.execute("INSERT INTO schema_version VALUES (22)")
    db.execute("BEGIN")
    return db


def _insert(db: sqlite3.Connection, table: str, rows: Iterable[tuple[object, ...]]) -> None:
    columns = _COLUMNS[table].split()
    marks = ", ".join("?" * len(columns))
    db.executemany(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})", rows)


def _index(db: sqlite3.Connection) -> None:
    """Fills the word index in one go; the trigram index stays empty, as where it is switched off."""
    db.execute(
        "INSERT INTO messages_fts (rowid, content) "
        "SELECT id, coalesce(content, '') || ' ' || coalesce(tool_name, '') || ' ' "
        "|| coalesce(tool_calls, '') FROM messages"
    )
    triggers: str = db.execute("SELECT sql FROM later").fetchone()[0]
    db.execute("COMMIT")
    db.executescript(triggers)
    db.execute("PRAGMA journal_mode = WAL")


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("path", type=Path)
    parser.add_argument("--sessions", type=int, default=20_000)
    parser.add_argument("--messages", type=int, default=1_000_000)
    parser.add_argument("--characters", type=int, default=1_250, help="mean length of a tool result")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument(
        "--conversation", type=int, metavar="MESSAGES", help="one session of so many messages"
    )
    options = parser.parse_args()
    if options.conversation:
        conversation(options.path, options.conversation, seed=options.seed)
    else:
        store(options.path, Size(options.sessions, options.messages, options.characters, options.seed))


if __name__ == "__main__":
    main()
