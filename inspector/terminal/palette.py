"""Themes as Textual knows them, and their tokens as styles for hand-drawn rows."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
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
    """The styles of one theme, by token name; each is made once, for every row asks for the same few."""

    _newest: tuple[Mapping[str, str], Palette] | None = None

    def __init__(self, variables: Mapping[str, str]) -> None:
        self._variables = {name: variables.get(name) or colour for name, colour in defaults().items()}
        self._styles: dict[tuple[str, bool, str | None], Style] = {}

    @classmethod
    def of(cls, app: App[object]) -> Palette:
        """The palette of the theme in force; another theme brings other variables."""
        if cls._newest is None or cls._newest[0] is not app.theme_variables:
            cls._newest = (app.theme_variables, cls(app.theme_variables))
        return cls._newest[1]

    def style(self, token: str, *, bold: bool = False, on: str | None = None) -> Style:
        """A token as text colour, optionally on another token's colour."""
        made = self._styles.get((token, bold, on))
        if made is None:
            background = None if on is None else self._variables[on]
            made = Style(color=self._variables[token], bgcolor=background, bold=bold or None)
            self._styles[token, bold, on] = made
        return made

    def fill(self, token: str) -> Style:
        """A token as background."""
        return Style(bgcolor=self._variables[token])
