"""Counts a trajectory's tokens with a bundled vocabulary or a model's `tokenizer.json`."""

from __future__ import annotations

import hashlib
import os
import re
import time
from array import array
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.account.tokenizers.vocabularies import PIECE, SHA256, encoding
from core.errors import ConfigError, NotFoundError
from core.trajectory.compress.plan import Count
from core.trajectory.entries.forms import BadEntry

if TYPE_CHECKING:
    import tiktoken


_LATER = re.compile(
    "[\u088f\u0c5c\u0cdc\u1acf-\u1aeb\ua7ce-\ua7f1\ud800-\udfff"
    "\U00010940-\U00010959\U00010ec5-\U00010efb\U00011b60-\U00011de9\U00016ea0-\U00016ff6\U000187f8-\U00018df2"
    "\U0001e6c0-\U0001e6ff\U0002b73a-\U0002b73f\U0002cea2-\U0002cead\U000323b0-\U00033479]"
)
"""Ranges with the letters of Unicode 17, which tiktoken does not treat as letters, and surrogates."""
DEFAULT = "o200k_base"
_FILE = "tokenizer.json"
_TOKEN_BYTES = 4


def quick_count(name: str, otherwise: Callable[[str], int]) -> Callable[[str], int] | None:
    """The function that counts the tokens of a text with toktok; None without the extra `fast`.

    `otherwise` counts the texts that toktok would count differently.
    """
    tokenizer = _opened(name)
    if tokenizer is None:
        return None
    quick: Callable[[str], int] = tokenizer.count
    later = _LATER.search

    def count(text: str) -> int:
        return quick(text) if text.isascii() or later(text) is None else otherwise(text)

    return count


def _opened(name: str) -> Any:
    try:
        import toktok
    except ImportError:
        return None
    by_name = getattr(toktok, "_encoding", None)  # a release that no longer has it counts with tiktoken
    return None if by_name is None else by_name(name)


@dataclass(slots=True)
class Deadline:
    """The time limit of an entry, checked between the pieces of its text."""

    seconds: float
    until: float = 0.0

    def begin(self) -> None:
        """Start the clock for a new entry."""
        self.until = time.monotonic() + self.seconds

    def check(self) -> None:
        """Raise if the entry's time is up.

        Raises:
            BadEntry: It took too long.
        """
        if time.monotonic() > self.until:
            raise BadEntry(f"took longer than {self.seconds:g} s")


def tokenizer_file(name: str) -> Path | None:
    """The file a tokenizer is read from; None for a bundled vocabulary.

    Raises:
        NotFoundError: It is neither a bundled vocabulary nor a file.
    """
    if name in SHA256:
        return None
    path = Path(os.path.expanduser(name))
    path = path / _FILE if path.is_dir() else path
    if not path.is_file():
        known = ", ".join(sorted(SHA256))
        raise NotFoundError(
            "no such tokenizer", where=name, remedy=f"Use {known}, or the path of a tokenizer.json"
        )
    return path


def fingerprint(name: str) -> str:
    """Identifies a tokenizer: by its name, or by the hash of its file."""
    path = tokenizer_file(name)
    return name if path is None else hashlib.sha256(path.read_bytes()).hexdigest()


def open_tokenizer(name: str, check: Callable[[], None]) -> Count:
    """The function that counts tokens by a bundled vocabulary, a `tokenizer.json`, or its folder.

    No code of a model is run; `check` is called between the pieces of a long text.

    Raises:
        NotFoundError: There is no such file.
        ConfigError: It is not a tokenizer, or the library that reads it is not installed.
    """
    path = tokenizer_file(name)
    return _shipped(name, check) if path is None else _from_file(path, check)


def _shipped(name: str, check: Callable[[], None]) -> Count:
    count_of = quick_count(name, lambda text: _exact(name)(text)) or _exact(name)

    def count(text: str) -> int:
        check()
        if len(text) <= PIECE:
            return count_of(text)
        return sum(count(text[start : start + PIECE]) for start in range(0, len(text), PIECE))

    return count


@cache
def _exact(name: str) -> Count:
    """Count the bytes of the packed tokens: a tenth faster than creating an int for each token."""
    tokenizer = encoding(name)
    ordinary, packed = tokenizer.encode_ordinary, _packed(tokenizer)
    nothing: set[str] = set()

    def count(text: str) -> int:
        try:
            return memoryview(packed(text, nothing)).nbytes // _TOKEN_BYTES
        except UnicodeEncodeError:  # a lone surrogate, which the other way replaces
            return len(ordinary(text))

    return count


def _packed(tokenizer: tiktoken.Encoding) -> Callable[[str, set[str]], Any]:
    """The function that encodes a text into packed tokens; a library without one gives a list to pack."""
    found: Any = getattr(getattr(tokenizer, "_core_bpe", None), "encode_to_tiktoken_buffer", None)
    return found or (lambda text, nothing: array("I", tokenizer.encode_ordinary(text)))


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
