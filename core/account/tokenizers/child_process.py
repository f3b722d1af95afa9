"""A tokenizer in a process of its own: a vocabulary takes some 60 MB, which go when that process ends."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, BinaryIO, Self

from core.account.tokenizers.vocabularies import count_texts

if TYPE_CHECKING:
    import subprocess

# -P: the folder the user stands in may hold modules called like ours.
COMMAND = ("-P", "-m", "core.account.tokenizers.child_process")
NICENESS = 10
"""Counts are read by somebody who is looking at something else meanwhile."""


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
