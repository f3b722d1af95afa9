"""Theme files and their validation; knows no toolkit."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

BASE = (
    "background", "surface", "panel", "foreground",
    "primary", "secondary", "accent", "success", "warning", "error",
)  # fmt: skip
"""Colours every toolkit knows."""

TOKENS = (
    "ink", "ink-muted", "ink-faint", "rule", "cursor",
    "part-head", "part-middle", "part-tail", "threshold",
    "role-system", "role-user", "role-assistant", "role-tool", "role-summary",
    "severity-critical", "severity-warning", "severity-info", "severity-ok",
    "bucket-fresh", "bucket-read", "bucket-write", "bucket-output",
    "money", "live", "match",
)  # fmt: skip
"""Colours that mean one thing each in this project."""

DEFAULT = "hermes-dark"
_HEX = re.compile(r"#[0-9a-fA-F]{6}")


@dataclass(frozen=True, slots=True)
class ThemeFile:
    """One validated theme: every colour is `#rrggbb`."""

    name: str
    title: str
    dark: bool
    base: Mapping[str, str]
    tokens: Mapping[str, str]


def load_all(read: Callable[[str], Any]) -> tuple[ThemeFile, ...]:
    """Every theme that ships, the default first.

    Args:
        read: Gives the parsed content of a file named as `themes/dark.yaml`.

    Raises:
        ValueError: A colour is missing, unknown or not `#rrggbb`; the message names the file and the colour.
    """
    paths = Path(__file__).parent.glob("*.yaml")
    found = [_checked(read(f"themes/{path.name}"), path.name) for path in paths]
    return tuple(sorted(found, key=lambda theme: (theme.name != DEFAULT, theme.name)))


def _checked(data: Any, where: str) -> ThemeFile:
    for part, names in (("base", BASE), ("tokens", TOKENS)):
        _check(data.get(part, {}), names, f"{where}: {part}")
    return ThemeFile(data["name"], data["title"], bool(data["dark"]), data["base"], data["tokens"])


def _check(colours: Mapping[str, str], names: tuple[str, ...], where: str) -> None:
    if missing := [name for name in names if name not in colours]:
        raise ValueError(f"{where}: missing {', '.join(missing)}")
    if unknown := [name for name in colours if name not in names]:
        raise ValueError(f"{where}: unknown {', '.join(unknown)}")
    if bad := [name for name, value in colours.items() if not _HEX.fullmatch(str(value))]:
        raise ValueError(f"{where}: not #rrggbb: {', '.join(bad)}")
