"""Asking before something leaves this machine or is written."""

from __future__ import annotations

import sys

from core.errors import UsageError
from inspector.cli import output
from inspector.terminal import waiting

YES = ("y", "yes")


def ask(question: str, *, yes: bool) -> None:
    """Go on only when the user agrees.

    Args:
        question: What is about to happen, as a question.
        yes: The user agreed beforehand with `--yes`.

    Raises:
        UsageError: They do not agree, or nobody is there to be asked.
    """
    if yes:
        return
    if sys.stdin is None or not sys.stdin.isatty():
        raise UsageError(f"{question} Nobody is there to answer", remedy="Agree beforehand with --yes")
    waiting.stop()
    output.write_note(f"{question} [y/N]")
    if sys.stdin.readline().strip().lower() not in YES:
        raise UsageError("not agreed; nothing was sent or written")
