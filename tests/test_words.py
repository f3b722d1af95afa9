"""One term for one idea: what nobody outside understood does not come back, in the app or anywhere else.

Checked is every text a user may read: literals of the code without docstrings, tables in YAML, help, pages.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parent.parent
PACKAGES = ("core", "inspector")
QUOTED = (
    "core/hermes/", "core/compress/summarise/", "core/compress/facts/", "core/compress/pruning/",
    "core/redact/", "core/compress/retention/ground/claims.yaml", "core/trajectory/summaries/prompt.yaml",
)  # fmt: skip
"""What Hermes, providers and users write, and what is looked for in it."""
TABLES = [
    *ROOT.glob("core/explain/**/*.yaml"),
    *ROOT.glob("core/preview/*.yaml"),
    *ROOT.glob("inspector/**/*.yaml"),
]
PAGES = [ROOT / "README.md", *ROOT.glob("docs/**/*.md")]

BANNED = {
    r"pressure of window": "context used",
    r"near it or held off|held off": "near its limit, or refused",
    r"\bgen(?= \{|\b\s*\d|$)": "generation, or compressions",
    r"delegates? folded|\bdelegates?\b(?! *[:=(.|])": "sub-agents",
    r"at a turn's start": "automatic, before your message",
    r"somebody asked for it": "You ran /compress",
    r"compared nothing": "nothing was checked",
    r"written again|prompt again\b": "rebuilding the cache",
    r"(?:not )?paid back in": "has not paid for itself after",
    r"\bsurviv(?:e|es|ed)\b": "kept, or: is left",
    r"– kept · rest": "kept",
    r"stand in the list": "the old summary stays next to the new one",
    r"handoff, \d": "Hermes' introduction text",
    r"\bother way\b": "change mode",
    r"map supposes": "what-if values",
    r"cold · output none": "fresh process · no output reserve",
    r"\bfresh in(?:put)?\b": "uncached input",
    r"\bat list\b(?! prices?)": "list price",
    r"\badd(?:s|ed)? up by\b": "group by",
    r"\d[KM] again\b|\} again\b": "re-read",
    r"as a whole ·": "Overview",
    r"\bdearest\b": "most expensive",
    r"lands in\b": "/resume opens",
    r"\bmend(?:ed|s)?\b": "fix",
    r"here is no conversation": "there is no conversation",
    r"(?:do|does) not fit: ": "has no partner",
    r"rules? not known": "checks lacked data",
    r"\bgroup [A-E]\b": "nothing: the release says it",
    r"\bstrikes\b": "failed attempts",
    r"\bneeded [<>=(]|\(needed|\bhad \{": "required ... actual",
    r"perhaps large enough": "may have been large enough",
    r"system_and_3 native": "4 cache markers, 5 minutes, Anthropic API",
    r"3 live tool rows": "tool calls or results",
    r"\} UTC\b": "a time by the reader's own clock, as all others are",
}
"""What was said once, as a pattern, and what is said instead."""


def _documentation(tree: ast.AST) -> set[ast.AST]:
    """Docstrings of every kind: a text that is a statement of its own."""
    return {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }


def _literals(path: Path) -> Iterator[tuple[int, str]]:
    """Texts of a module with their line; what is put into one is `{}`, and the key of a command `K`."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    seen = _documentation(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            seen.update(ast.walk(node))
            parts = (part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)
            yield node.lineno, "".join(map(str, parts))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in seen:
            yield node.lineno, re.sub(r"\{\w+\.\w+\}", "K", node.value)


def _values(document: object) -> Iterator[str]:
    """Every text of a table, without the names of its keys."""
    if isinstance(document, str):
        yield document
    elif isinstance(document, dict):
        for name, value in document.items():
            yield from _values(value) if name not in ("id", "action", "name", "keys") else ()
    elif isinstance(document, list):
        for value in document:
            yield from _values(value)


def _is_text(words: str) -> bool:
    """Something a person reads: more than one word, and neither SQL nor a pattern."""
    return " " in words.strip() and re.search(r"SELECT |CASE WHEN|\(\?:|\\b|\$rule", words) is None


def _said() -> Iterator[tuple[str, str]]:
    """Every text with where it is."""
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            place = path.relative_to(ROOT).as_posix()
            if not place.startswith(QUOTED):
                yield from ((f"{place}:{line}", words) for line, words in _literals(path) if _is_text(words))
                if place.startswith("inspector/cli/"):  # the documentation of a command is its help
                    yield place, ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    for path in TABLES:
        table = yaml.safe_load(path.read_text(encoding="utf-8"))
        yield from ((path.relative_to(ROOT).as_posix(), words) for words in _values(table))
    for path in PAGES:
        prose = re.sub(r"`[^`\n]*`", "``", path.read_text(encoding="utf-8"))
        yield from (
            (f"{path.relative_to(ROOT).as_posix()}:{n}", line) for n, line in enumerate(prose.split("\n"), 1)
        )


TEXTS = tuple(_said())


@pytest.mark.parametrize("banned", BANNED, ids=BANNED.values())
def test_what_nobody_understood_is_stated_nowhere(banned: str) -> None:
    pattern = re.compile(banned, re.IGNORECASE)
    found = [f"{place}: {words.strip()[:140]}" for place, words in TEXTS if pattern.search(words)]
    assert not found, f"say {BANNED[banned]!r} instead:\n" + "\n".join(found)


def test_the_words_are_looked_for_where_users_read() -> None:
    places = {place.partition(":")[0] for place, _ in TEXTS}
    assert {
        "core/explain/diagnose/findings.yaml",
        "inspector/base/commands.yaml",
        "README.md",
        "docs/commands/chain.md",
        "docs/screens/map.md",
    } <= places
    assert len(TEXTS) > 2_000
