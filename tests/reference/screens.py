"""A page for each screen: the question it answers, how to get there, its keys and its words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from inspector.base.commands import Command, key_name
from inspector.base.commands import table as commands
from inspector.base.named_screens import FINDINGS_OF_ONE, HOME, NAMES, PAGES, PLACES, VIEWS
from inspector.base.words import ScreenQuestion, explained, screen_questions
from tests.reference.markdown import table

MADE = "<!-- Written by `python -m tests.reference`; do not edit. -->"


def screen_pages() -> dict[str, str]:
    """Each page, by the name of its file."""
    pages = {f"{name}.md": _page(name, screen_questions()[name]) for name in NAMES}
    links = ((f"[{name}]({name}.md)", screen_questions()[name].asks) for name in NAMES)
    pages["index.md"] = iter(("# Screens", "", *table("screen", "what it answers", links)))
    return {file: "\n".join((MADE, "", *lines, "")) for file, lines in pages.items()}


def _page(name: str, screen: ScreenQuestion) -> Iterator[str]:
    yield from (f"# {name}", "", f"*{screen.asks}*", "", _way(name), "")
    yield from ("```sh", f"hermes-inspector demo --screen {name}", "```", "")
    yield from ("## Keys", "", *_keys(screen.scopes), "")
    words = {label: says for scope in screen.scopes for label, says in explained().get(scope, {}).items()}
    if words:
        yield from ("## Words", "")
        yield from table("word", "what it means", ((f"**{label}**", says) for label, says in words.items()))


def _way(name: str) -> str:
    """How one gets there from the list."""
    if name == HOME:
        return "The app opens on it, and `esc` leads back to it."
    if name in VIEWS:
        number = VIEWS.index(name) + 1
        return f"Tab {number} of a conversation: `enter` on its row, then `{number}`."
    if name in PLACES:
        tab, action = PLACES[name]
        scope, action = ("workspace", action[7:]) if action.startswith("screen.") else (tab, action)
        keys = _keys_of(one for one in commands() if one.scope == scope and one.action == action)
        return f"From [{tab}]({tab}.md){f' with {keys}' if keys else ''}."
    keys = _keys_of(one for one in commands() if one.id in (f"sessions.{PAGES[name]}", PAGES[name]))
    also = (
        f" Of one conversation: from [{FINDINGS_OF_ONE[0]}]({FINDINGS_OF_ONE[0]}.md)."
        if name == "findings"
        else ""
    )
    return f"From the list with {keys}.{also}"


def _keys(scopes: Iterable[str]) -> Iterator[str]:
    rows = ((_keys_of([one]), one.help) for scope in scopes for one in commands() if one.scope == scope)
    yield from table("key", "what it does", rows)
    yield from ("", "And those of [every screen](../reference/keys.md).")


def _keys_of(found: Iterable[Command]) -> str:
    return ", ".join(f"`{key_name(key)}`" for one in found for key in one.keys)
