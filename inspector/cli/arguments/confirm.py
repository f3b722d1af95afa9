"""Asks for consent before anything is sent to another machine or written."""

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
    """Name the destinations and the cost, and continue only if the user agrees, or agreed in advance.

    `what` begins with the verb; the second place is asked if the first fails. `times` tells in how many
    requests, `more` what is added to the cost.

    Raises:
        ConfigError: The user's settings forbid sending.
        UsageError: The user does not agree, or there is no terminal to ask on.
    """
    from core.support import formatting as fmt
    from inspector.settings.config_file import refuse_sending

    refuse_sending(next(place.host for place in places if not place.local))
    where = " and, if that fails, to ".join(f"{place.host} ({place.model})" for place in places)
    money = "at an unknown price" if usd is None else f"for {fmt.money(usd, mark=fmt.ESTIMATE)}"
    ask(f"{what} to {where}{times}, {money}{more}?", yes=yes)


def ask(question: str, *, yes: bool) -> None:
    """Continue only if the user agrees, or agreed in advance with `--yes`.

    Raises:
        UsageError: The user does not agree, or there is no terminal to ask on.
    """
    if yes:
        return
    if sys.stdin is None or not sys.stdin.isatty():
        raise UsageError(
            f"{question} There is no terminal to answer on", remedy="Agree in advance with --yes"
        )
    waiting.stop()
    output.write_note(f"{question} [y/N]")
    if sys.stdin.readline().strip().lower() not in YES:
        raise UsageError("not agreed; nothing was sent or written")
