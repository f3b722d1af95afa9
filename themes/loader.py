"""Loads and validates theme files; independent of any toolkit."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

BASE = (
    "background", "surface", "panel", "foreground",
    "primary", "secondary", "accent", "success", "warning", "error",
)  # fmt: skip
"""Base colours, by Textual's names."""

TOKENS = (
    "ink", "ink-muted", "ink-faint", "rule", "cursor", "cursor-critical",
    "part-outside", "part-head", "part-middle", "part-tail", "threshold",
    "role-system", "role-user", "role-assistant", "role-tool", "role-summary",
    "severity-critical", "severity-warning", "severity-info", "severity-ok",
    "bucket-fresh", "bucket-read", "bucket-write", "bucket-output",
    "cause-compaction", "cause-expired", "cause-model", "cause-prompt", "cause-tools", "cause-other",
    "money", "live", "match",
)  # fmt: skip
"""This project's own colours; each has one meaning."""

DEPTHS = (256, 16)
"""Colour depths with overrides in each theme: the nearest colours alone would make some tokens alike."""

DEFAULT = "hermes-dark"
_HEX = re.compile(r"#[0-9a-fA-F]{6}")


@dataclass(frozen=True, slots=True)
class ThemeFile:
    """One validated theme: every colour is `#rrggbb`.

    Attributes:
        depths: The theme for terminals with each number of colours in `DEPTHS`.
    """

    name: str
    title: str
    dark: bool
    base: Mapping[str, str]
    tokens: Mapping[str, str]
    depths: Mapping[int, ThemeFile] = field(default_factory=dict)

    def at(self, depth: int | None) -> ThemeFile:
        """The theme for terminals with `depth` colours; None means true colour."""
        return self if depth is None else self.depths[depth]


def load_all(read: Callable[[str], Any]) -> tuple[ThemeFile, ...]:
    """Load every theme that ships, the default first.

    Args:
        read: Returns the parsed content of a file named like `themes/dark.yaml`.

    Raises:
        ValueError: A colour is missing, unknown or not `#rrggbb`; the message names the file and the colour.
    """
    paths = Path(__file__).parent.glob("*.yaml")
    found = [_checked(read(f"themes/{path.name}"), path.name) for path in paths]
    return tuple(sorted(found, key=lambda theme: (theme.name != DEFAULT, theme.name)))


def _checked(data: Any, where: str) -> ThemeFile:
    for part, names in (("base", BASE), ("tokens", TOKENS)):
        colours = data.get(part, {})
        if missing := [name for name in names if name not in colours]:
            raise ValueError(f"{where}: {part}: missing {', '.join(missing)}")
        _check(colours, names, f"{where}: {part}")
    whole = ThemeFile(data["name"], data["title"], bool(data["dark"]), data["base"], data["tokens"])
    return replace(whole, depths={depth: _fewer(whole, data, depth, where) for depth in DEPTHS})


def _fewer(whole: ThemeFile, data: Any, depth: int, where: str) -> ThemeFile:
    """The theme with its overrides for a colour depth."""
    said = data.get(str(depth), {})
    base, tokens = said.get("base", {}), said.get("tokens", {})
    _check(base, BASE, f"{where}: {depth}: base")
    _check(tokens, TOKENS, f"{where}: {depth}: tokens")
    return replace(whole, base={**whole.base, **base}, tokens={**whole.tokens, **tokens})


def _check(colours: Mapping[str, str], names: tuple[str, ...], where: str) -> None:
    if unknown := [name for name in colours if name not in names]:
        raise ValueError(f"{where}: unknown {', '.join(unknown)}")
    if bad := [name for name, value in colours.items() if not _HEX.fullmatch(str(value))]:
        raise ValueError(f"{where}: not #rrggbb: {', '.join(bad)}")
