"""Real tokenizer counts of messages, beside the estimates Hermes decides by; cached between runs."""

from __future__ import annotations

import contextlib
import hashlib
import re
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache as memo
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Self

from core.account.tokenizers.vocabularies import count_texts
from core.model.accounting.usage import EncodingChoice, TokenCounts
from core.support.own_files import cache_directory
from core.support.program_files import shared_table

if TYPE_CHECKING:
    from core.model.transcript.message import Message


_KEYS_A_QUERY = 500
_TRIES, _PAUSE = 40, 0.05
BATCH = 64
"""Messages counted between two checks for cancellation."""


def digest(text: str) -> bytes:
    """The key of a text, which may have lone surrogates."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


class TokenCache:
    """A cache of counts by encoding and digest; use it as a context manager.

    Several processes may share the file, by default `token-counts.db` in the user's cache directory. A cache
    belongs to the thread that opened it.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or cache_directory() / "token-counts.db"
        self._db: sqlite3.Connection | None = None

    def __enter__(self) -> Self:
        """Open the file; replace it if it is damaged."""
        try:
            self._db = self._open()
        except sqlite3.DatabaseError as error:
            if not _is_damaged(error):
                return self
            with contextlib.suppress(OSError, sqlite3.Error):
                self._discard()
                self._db = self._open()
        except OSError:
            self._db = None
        return self

    def __exit__(self, *exception: object) -> None:
        """Close the file."""
        db, self._db = self._db, None
        if db is not None:
            db.close()

    def get(self, encoding: str, digests: Iterable[bytes]) -> dict[bytes, int]:
        """The known counts of these digests."""
        found: dict[bytes, int] = {}
        unique = list(dict.fromkeys(digests))
        for start in range(0, len(unique), _KEYS_A_QUERY):
            found |= self._page(encoding, unique[start : start + _KEYS_A_QUERY])
        return found

    def put(self, encoding: str, counts: Mapping[bytes, int]) -> None:
        """Store counts; if the file is busy or full they are silently lost."""
        if self._db is None or not counts:
            return
        rows = [(encoding, key, count) for key, count in counts.items()]
        with contextlib.suppress(sqlite3.Error), self._db:
            self._db.executemany("INSERT OR IGNORE INTO counts VALUES (?, ?, ?)", rows)

    def _page(self, encoding: str, digests: list[bytes]) -> dict[bytes, int]:
        if self._db is None:
            return {}
        marks = ", ".join("?" * len(digests))
        query = f"SELECT digest, tokens FROM counts WHERE encoding = ? AND digest IN ({marks})"  # noqa: S608 - marks only
        try:
            return dict(self._db.execute(query, [encoding, *digests]).fetchall())
        except sqlite3.Error:
            return {}

    def _open(self) -> sqlite3.Connection:
        """Open the file in several attempts: processes that create it at the same time lock each other out.

        SQLite does not wait for a lock while it changes the journal mode, whatever the timeout.
        """
        for _ in range(_TRIES):
            try:
                return self._connect()
            except sqlite3.OperationalError as error:
                if "locked" not in str(error):
                    raise
            time.sleep(_PAUSE)
        return self._connect()

    def _connect(self) -> sqlite3.Connection:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(self.path, timeout=10.0)
        try:
            if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'counts'").fetchone():
                _make(connection)
            connection.execute("SELECT digest, tokens FROM counts WHERE encoding = ''").fetchone()
        except sqlite3.Error:
            connection.close()
            raise
        return connection

    def _discard(self) -> None:
        for suffix in ("", "-wal", "-shm"):
            self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)


def _make(connection: sqlite3.Connection) -> None:
    """Create the table in a new file; sqlite_utils is imported only here."""
    import sqlite_utils

    db = sqlite_utils.Database(connection)
    db.enable_wal()
    columns = {"encoding": str, "digest": bytes, "tokens": int}
    db.table("counts").create(columns, pk=("encoding", "digest"), if_not_exists=True)


def _is_damaged(error: sqlite3.DatabaseError) -> bool:
    """Whether the file itself is damaged, rather than busy, full or inaccessible."""
    text = str(error)
    return not isinstance(error, sqlite3.OperationalError) or "no such column" in text or "malformed" in text


Counter = Callable[[Sequence[str], str], list[int]]
"""Counts the tokens of each text in an encoding."""


def encoding_for(model: str) -> EncodingChoice:
    """The tokenizer for a model slug, with or without a vendor prefix (`openai/gpt-5.2`)."""
    slug = model.lower().rsplit("/", 1)[-1]
    default, rules = _table()
    return next((choice for pattern, choice in rules if pattern.search(slug)), default)


def count_messages(
    messages: Iterable[Message],
    model: str,
    *,
    cache: TokenCache | None = None,
    count: Counter = count_texts,
    cancelled: Callable[[], bool] | None = None,
) -> TokenCounts:
    """Count every message with a model's tokenizer, exactly if it is the model's own.

    Texts counted before are looked up in the cache; `count` counts the others, in this or another process.
    """
    choice = encoding_for(model)
    counts: list[int] = []
    reasoning: list[int] = []
    complete = True
    passing = iter(messages)
    while batch := list(islice(passing, BATCH)):
        if cancelled is not None and cancelled():
            complete = False
            break
        texts = ["\n".join(_texts(message)) for message in batch]
        thought = [message.thinking for message in batch]
        known = _count_all([*texts, *thought], choice.name, cache, count)
        counts += [known[text] for text in texts]
        reasoning += [known[text] for text in thought]
    return TokenCounts(choice, tuple(counts), tuple(reasoning), complete)


def _count_all(texts: list[str], name: str, cache: TokenCache | None, count: Counter) -> dict[str, int]:
    """Tokens of each distinct text, from the cache if it has them."""
    known = {"": 0}
    keys = {digest(text): text for text in texts if text}
    if cache is not None:
        known |= {keys[key]: tokens for key, tokens in cache.get(name, keys).items()}
    unknown = [key for key, text in keys.items() if text not in known]
    fresh = dict(zip(unknown, count([keys[key] for key in unknown], name), strict=True))
    if cache is not None:
        cache.put(name, fresh)
    return known | {keys[key]: tokens for key, tokens in fresh.items()}


def _texts(message: Message) -> Iterator[str]:
    """The text of a message and of its calls."""
    yield message.text
    for call in message.tool_calls:
        yield call.name
        yield call.arguments


@memo
def _table() -> tuple[EncodingChoice, tuple[tuple[re.Pattern[str], EncodingChoice], ...]]:
    raw = shared_table("core/account/tokenizers/encodings.yaml")
    default = EncodingChoice(raw["default"]["encoding"], raw["default"]["exact"])
    rules = tuple(
        (re.compile(rule["pattern"]), EncodingChoice(rule["encoding"], rule["exact"]))
        for rule in raw["rules"]
    )
    return default, rules
