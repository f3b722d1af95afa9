"""What `--screen` names: the list, tabs, where the keys of a tab lead, and pages over all conversations."""

from __future__ import annotations

from core.errors import UsageError

HOME = "sessions"
VIEWS = ("map", "why", "preview", "usage", "cache", "chain")
"""The tabs of a workspace: what is there, why, what if, what did it cost, what broke the cache, whence."""
PAGES = {
    "findings": "findings",
    "spending": "usage",
    "search": "search",
    "follow": "app.follow",
    "settings": "app.settings",
    "help": "app.help",
}
"""Screens over all conversations by name, and what the list does to open one."""

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
"""Screens of one conversation by name: the tab, and what its view does to open one."""

NAMES = (HOME, *VIEWS, *PLACES, *PAGES)
FINDINGS_OF_ONE = ("why", "findings")
"""Where `findings` leads when a conversation is named."""


def known_screen(name: str | None) -> str | None:
    """The name of a screen, when there is one of that name.

    Raises:
        UsageError: There is no screen of that name.
    """
    if name is not None and name not in NAMES:
        known = ", ".join(NAMES)
        raise UsageError(f"there is no screen {name!r}", where="--screen", remedy=f"Choose one of {known}")
    return name


def place(name: str | None, *, session: str | None = None) -> tuple[str | None, str]:
    """The tab a name stands for and what its view does then; that is empty for a tab itself."""
    if name == "findings" and session is not None:
        return FINDINGS_OF_ONE
    return PLACES.get(name or "", (name, ""))
