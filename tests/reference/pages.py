"""The pages of `docs/reference`, from the table of keys, the settings, the findings and the licences."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from core.support.program_files import load_table
from inspector.base import commands
from inspector.settings.settings import Settings, values
from tests.reference.markdown import block, table
from tests.reference.screens import MADE
from tests.shipped import licences


def reference_pages() -> dict[str, str]:
    """The content of each page, by the name of its file."""
    made = {"keys": _keys(), "settings": _settings(), "findings": _findings(), "licences": licences()}
    return {f"{name}.md": "\n".join([MADE, "", *lines, ""]) for name, lines in made.items()}


def _keys() -> Iterator[str]:
    yield from (
        "# Keys",
        "",
        "Keys are changed by the name of their command, under `keys` of the [settings](settings.md).",
    )
    for scope, found in groupby(commands.table(), key=lambda command: command.scope):
        yield from ("", f"## {scope}", "")
        rows = (
            (", ".join(f"`{commands.key_name(key)}`" for key in one.keys), f"{one.help} `{one.id}`")
            for one in found
        )
        yield from table("key", "what it does, and its name", rows)


def _settings() -> Iterator[str]:
    yield from (
        "# Settings",
        "",
        "`config.yaml` in `~/.config/hermes-inspector` (or `$XDG_CONFIG_HOME`).",
        "",
    )
    yield from ("`hermes-inspector config` shows what is in force and where each value comes from.", "")
    rows = (
        (f"`{'.'.join(path)}`", f"{says} Default: {_default(value)}.")
        for path, value, says in values(Settings())
    )
    yield from table("setting", "what it does", rows)


def _default(value: object) -> str:
    return f"`{value}`" if value else "not set"


def _findings() -> Iterator[str]:
    yield from ("# Findings", "", "What `findings` can say. Names in braces are the numbers it finds.")
    rules: dict[str, Any] = load_table("core/explain/diagnose/findings.yaml")
    for name in sorted(rules, key=_place):
        rule = rules[name]
        yield from (
            "",
            f"## {name}: {rule['name']}",
            "",
            f"Severity: {rule.get('severity', 'as found')}.",
            "",
        )
        yield from block(_said(rule.get("says")))
        if rule.get("helps"):
            yield "What helps:"
            yield ""
            yield from block(_said(rule["helps"]))


def _place(name: str) -> tuple[str, int]:
    """Where somebody looks for a rule: by its letter, then its number; forms of one are together."""
    return name[0], int(name[1:].partition("-")[0])


def _said(text: Any) -> str:
    if isinstance(text, dict):
        return "\n".join(f"{key}: {_said(value)}" for key, value in text.items())
    return str(text or "It says what it found.")
