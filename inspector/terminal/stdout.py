"""What stdout can show: columns, whether colours, and how many of them."""

from __future__ import annotations

import os
import sys

NARROWEST = 20
_USUAL = 80
"""For a terminal that does not report its width."""
_WITHOUT = frozenset(f"vt{number}" for number in (52, 100, 102, 125, 132, 220, 320, 420))
"""Terminals that ignore the codes of colours; Rich would use sixteen."""
_COLOURS = {"256": 256, "standard": 16, "windows": 16}


def terminal_width() -> int | None:
    """Columns of the terminal on stdout, or the value of COLUMNS; None for a pipe or file without COLUMNS."""
    columns = os.environ.get("COLUMNS", "")
    if columns.isascii() and columns.isdecimal() and int(columns) > 0:
        return max(int(columns), NARROWEST)
    try:
        return max(os.get_terminal_size(sys.stdout.fileno()).columns or _USUAL, NARROWEST)
    except (OSError, ValueError, AttributeError):
        return None


def is_coloured() -> bool:
    """Whether to colour stdout: NO_COLOR and FORCE_COLOR decide; otherwise only a terminal is coloured."""
    if os.environ.get("NO_COLOR"):
        return False
    if forced := os.environ.get("FORCE_COLOR"):
        return forced.lower() not in ("0", "false")
    return os.environ.get("TERM") != "dumb" and not ignores_colours() and sys.stdout.isatty()


def ignores_colours() -> bool:
    """Whether the terminal says that it has none, so that only signs and textures tell things apart."""
    asked = os.environ.get("COLORTERM") or os.environ.get("TEXTUAL_COLOR_SYSTEM")
    return not asked and os.environ.get("TERM", "").lower().partition("-")[0] in _WITHOUT


def colours_of_terminal() -> int | None:
    """16 or 256, from TEXTUAL_COLOR_SYSTEM, COLORTERM and TERM; None if the terminal shows all."""
    from rich.console import Console
    from textual.constants import COLOR_SYSTEM

    system = Console(color_system=COLOR_SYSTEM, file=sys.__stdout__).color_system  # type: ignore[arg-type]
    return _COLOURS.get(system or "")
