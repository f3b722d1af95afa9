"""The names `--screen` accepts: the list, the tabs, screens opened from a tab, and pages over everything."""

from __future__ import annotations

from core.errors import UsageError

HOME = "sessions"
VIEWS = ("map", "why", "preview", "usage", "cache", "chain")
"""The tabs of a workspace, in order."""
PAGES = {
    "findings": "findings",
    "spending": "usage",
    "search": "search",
    "follow": "app.follow",
    "settings": "app.settings",
    "help": "app.help",
}
"""Pages over all conversations: name, and the action of the list that opens it."""

FOCUS = "focus"
PLACES = {
    "what-if": ("map", "what_if"),
    "sums": ("map", "sums"),
    "results": ("map", "leave_for('results')"),
    "recall": ("map", "screen.dropped"),
    "turns": ("why", "turns"),
    "thresholds": ("why", "other_settings"),
    "lost": ("preview", "look('-lost')"),
    "diff": ("preview", "look('-diff')"),
    "prompt": ("preview", "prompt"),
    FOCUS: ("preview", "focus_lab"),
    "engines": ("preview", "engines"),
    "apply": ("preview", "go_on('apply')"),
    "undo": ("preview", "go_on('undo')"),
}
"""Screens of one conversation: name, then the tab and the action of its view that opens it."""

NAMES = (HOME, *VIEWS, *PLACES, *PAGES)
FINDINGS_OF_ONE = ("why", "findings")
"""Where `findings` leads when a conversation is given."""


def known_screen(name: str | None) -> str | None:
    """Check the name of a screen; None stays None.

    Raises:
        UsageError: No screen has that name.
    """
    if name is not None and name not in NAMES:
        known = ", ".join(NAMES)
        raise UsageError(f"there is no screen {name!r}", where="--screen", remedy=f"Choose one of {known}")
    return name


def place(name: str | None, *, session: str | None = None) -> tuple[str | None, str]:
    """The tab for a screen name, and the action to run on it; no action for a tab itself."""
    if name == "findings" and session is not None:
        return FINDINGS_OF_ONE
    return PLACES.get(name or "", (name, ""))
