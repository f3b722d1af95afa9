"""How many colours the terminal shows."""

from __future__ import annotations

import sys

from rich.console import Console
from textual.constants import COLOR_SYSTEM

_COLOURS = {"256": 256, "standard": 16, "windows": 16}


def colours_of_terminal() -> int | None:
    """16 or 256, as COLORTERM and TERM say (TEXTUAL_COLOR_SYSTEM before them); None where it shows all."""
    system = Console(color_system=COLOR_SYSTEM, file=sys.__stdout__).color_system  # type: ignore[arg-type]
    return _COLOURS.get(system or "")
