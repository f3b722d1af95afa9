"""Asking before something leaves this machine or is written."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.errors import UsageError
from inspector.cli import output
from inspector.terminal import waiting

if TYPE_CHECKING:
    from decimal import Decimal

    from core.compress.summarise.base import Endpoint

YES = ("y", "yes")


def ask_to_send(
    what: str, places: Sequence[Endpoint], usd: Decimal | None, *, yes: bool, times: str = "", more: str = ""
) -> None:
    """Name where something would go and what that costs, and go on only when the user agrees.

    Args:
        what: What is about to be sent, from the verb on.
        places: The model asked first, and one asked when it fails.
        usd: What it costs; None when nobody knows.
        yes: As for `ask`.
        times: In how many requests.
        more: What comes on top.

    Raises:
        ConfigError: The user's settings keep everything on this machine.
        UsageError: They do not agree, or nobody is there to be asked.
    """
    from core.support import formatting as fmt
    from inspector.settings.config_file import refuse_sending

    refuse_sending(next(one.host for one in places if not one.local))
    where = " and, if that fails, to ".join(f"{one.host} ({one.model})" for one in places)
    money = "at an unknown price" if usd is None else f"for {fmt.money(usd, mark=fmt.ESTIMATE)}"
    ask(f"{what} to {where}{times}, {money}{more}?", yes=yes)


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
