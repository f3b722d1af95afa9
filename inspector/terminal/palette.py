"""Themes as Textual knows them, and their tokens as styles for hand-drawn rows."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING

from rich.style import Style
from textual.theme import Theme

from core.support.yaml_tables import load_table
from themes.loader import ThemeFile, load_all

if TYPE_CHECKING:
    from textual.app import App


def textual_theme(theme: ThemeFile) -> Theme:
    """A theme file as Textual's theme; each token becomes a CSS variable of its name."""
    variables = {
        **theme.tokens,
        "text-muted": theme.tokens["ink-muted"],
        "footer-key-foreground": theme.base["accent"],
    }
    base = theme.base
    return Theme(
        name=theme.name,
        dark=theme.dark,
        variables=variables,
        primary=base["primary"],
        secondary=base["secondary"],
        accent=base["accent"],
        success=base["success"],
        warning=base["warning"],
        error=base["error"],
        foreground=base["foreground"],
        background=base["background"],
        surface=base["surface"],
        panel=base["panel"],
    )


@cache
def shipped() -> tuple[ThemeFile, ...]:
    """Every theme that ships, the default first; kept as tables are, so that a start parses none."""
    return load_all(load_table)


@cache
def defaults() -> dict[str, str]:
    """Token colours for a theme that has none of its own, such as Textual's built-in ones."""
    return dict(shipped()[0].tokens)


class Palette:
    """The styles of one theme, by token name."""

    def __init__(self, variables: dict[str, str]) -> None:
        self._variables = variables

    @classmethod
    def of(cls, app: App[object]) -> Palette:
        """The palette of the theme in force."""
        return _palette(app.theme, tuple((name, app.theme_variables.get(name, "")) for name in defaults()))

    def style(self, token: str, *, bold: bool = False, on: str | None = None) -> Style:
        """A token as text colour, optionally on another token's colour."""
        background = None if on is None else self._variables[on]
        return Style(color=self._variables[token], bgcolor=background, bold=bold or None)

    def fill(self, token: str) -> Style:
        """A token as background."""
        return Style(bgcolor=self._variables[token])


@lru_cache(maxsize=8)
def _palette(_theme: str, variables: tuple[tuple[str, str], ...]) -> Palette:
    return Palette({name: value or defaults()[name] for name, value in variables})
