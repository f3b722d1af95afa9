"""What counts the tokens of a trajectory: a vocabulary that ships, or a `tokenizer.json` beside a model."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from core.account.tokenizers.vocabularies import PIECE, SHA256, encoding
from core.errors import ConfigError, NotFoundError
from core.trajectory.compress.plan import Count
from core.trajectory.entries.forms import BadEntry

DEFAULT = "o200k_base"
_FILE = "tokenizer.json"


@dataclass(slots=True)
class Deadline:
    """The moment by which an entry must be done; looked at between pieces of its text."""

    seconds: float
    until: float = 0.0

    def begin(self) -> None:
        """A new entry."""
        self.until = time.monotonic() + self.seconds

    def check(self) -> None:
        """Give up when it is past.

        Raises:
            BadEntry: It is.
        """
        if time.monotonic() > self.until:
            raise BadEntry(f"took longer than {self.seconds:g} s")


def tokenizer_file(name: str) -> Path | None:
    """The file a tokenizer is read from; None for a vocabulary that ships.

    Raises:
        NotFoundError: It is neither a vocabulary that ships nor a file.
    """
    if name in SHA256:
        return None
    path = Path(name).expanduser()
    path = path / _FILE if path.is_dir() else path
    if not path.is_file():
        known = ", ".join(sorted(SHA256))
        raise NotFoundError(
            "no such tokenizer", where=name, remedy=f"Use {known}, or the path of a tokenizer.json"
        )
    return path


def fingerprint(name: str) -> str:
    """What tells a tokenizer from others: its name, or the hash of its file."""
    path = tokenizer_file(name)
    return name if path is None else hashlib.sha256(path.read_bytes()).hexdigest()


def open_tokenizer(name: str, check: Callable[[], None]) -> Count:
    """A function that counts the tokens of a text.

    Args:
        name: A vocabulary that ships, a `tokenizer.json`, or the folder of one. No code of a model is run.
        check: Called between the pieces of a long text.

    Raises:
        NotFoundError: There is no such file.
        ConfigError: It is no tokenizer, or what reads it is not installed.
    """
    path = tokenizer_file(name)
    return _shipped(name, check) if path is None else _from_file(path, check)


def _shipped(name: str, check: Callable[[], None]) -> Count:
    ordinary = encoding(name).encode_ordinary

    def count(text: str) -> int:
        check()
        if len(text) <= PIECE:
            return len(ordinary(text))
        total = 0
        for start in range(0, len(text), PIECE):
            check()
            total += len(ordinary(text[start : start + PIECE]))
        return total

    return count


def _from_file(path: Path, check: Callable[[], None]) -> Count:
    tokenizer = _loaded(path)

    def count(text: str) -> int:
        check()
        return len(tokenizer.encode(text.encode("utf-8", "replace").decode("utf-8")).ids)

    return count


@cache
def _loaded(path: Path) -> Any:
    try:
        from tokenizers import Tokenizer
    except ImportError:
        raise ConfigError(
            "reading a tokenizer.json needs the library tokenizers",
            where=str(path),
            remedy="pip install 'hermes-inspector[hf]'",
        ) from None
    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises bare Exception for every fault of a file
        raise ConfigError(f"no tokenizer ({error})", where=str(path)) from error
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer
