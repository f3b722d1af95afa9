"""The parts a page of reference is made of: blocks and tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator


def block(text: str | None) -> Iterator[str]:
    """Plain text, so that nothing in it is read as markup."""
    yield from ("```text", *(text or "").strip().splitlines(), "```", "")


def table(left: str, right: str, rows: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Two columns; cells are used as they are."""
    yield from (f"| {left} | {right} |", "|---|---|")
    for name, told in rows:
        told = told.replace("|", "\\|").replace("<", "&lt;")
        yield f"| {name.replace('|', chr(92) + '|')} | {' '.join(told.split())} |"
