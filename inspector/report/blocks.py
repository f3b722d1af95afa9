"""The parts a report is made of, as Markdown and as a page of HTML; every text is taken for text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape

from inspector.terminal.text import clean, clean_line

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_STYLE = (
    "body{font:15px/1.5 system-ui;max-width:60em;margin:2em auto;padding:0 1em}li{margin:.3em 0}"
    "pre{background:#f4f4f6;padding:.6em;overflow-x:auto}td,th{padding:.15em .8em .15em 0;text-align:left}"
)
_SPECIAL = "\\`*_[]<>|#~"
_CALLED = re.compile(r"(?<![\w@])([@#])(?=\w)")
"""A tracker takes this for somebody or for an issue and tells them, unless a comment stands between."""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A sentence that matters."""

    text: str


@dataclass(frozen=True, slots=True)
class Bullets:
    """A list; each entry may have lines below it."""

    entries: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Verbatim:
    """Lines as they are: sums, lines of a log."""

    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under a header."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


Block = Paragraph | Bullets | Verbatim | Table
Section = tuple[str, Sequence[Block]]


def bullets(lines: Iterable[str]) -> Bullets:
    """A plain list."""
    return Bullets(tuple((line,) for line in lines))


def facts(**values: str | None) -> Table:
    """What is known, one a row; underscores in the names are blanks."""
    rows = tuple((name.replace("_", " "), value) for name, value in values.items() if value)
    return Table(("", ""), rows)


def markdown(title: str, subject: str, sections: Iterable[Section]) -> str:
    """The report for a bug tracker."""
    parts = [f"# {title}: {_code(subject)}"]
    for heading, blocks in sections:
        parts += ["", f"## {heading}"] if heading else []
        for block in blocks:
            lines = list(_markdown(block))
            parts += ["", *lines] if lines else []
    return clean("\n".join(parts)) + "\n"


def html(title: str, subject: str, sections: Iterable[Section]) -> str:
    """The report as a page without scripts and without anything from elsewhere."""
    parts = [
        "<!doctype html><html lang=en><meta charset=utf-8>",
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        f"<title>{_safe(title)}</title><style>{_STYLE}</style>",
        f"<h1>{_safe(title)}: {_safe(subject)}</h1>",
    ]
    for heading, blocks in sections:
        parts += [f"<h2>{_safe(heading)}</h2>"] if heading else []
        parts += [_html(block) for block in blocks]
    return "\n".join([*parts, "</html>", ""])


def _markdown(block: Block) -> Iterator[str]:
    if isinstance(block, Paragraph):
        yield f"**{_plain(block.text)}**"
    elif isinstance(block, Bullets):
        for first, *rest in block.entries:
            yield f"- {_plain(first)}"
            yield from (f"  {_plain(line)}" for line in rest)
    elif isinstance(block, Verbatim):
        if block.lines:
            yield from ("```text", *(clean_line(line).replace("```", "'''") for line in block.lines), "```")
    elif block.rows:
        yield f"| {' | '.join(map(_plain, block.header))} |"
        yield f"|{'---|' * len(block.header)}"
        yield from (f"| {' | '.join(map(_plain, row))} |" for row in block.rows)


def _html(block: Block) -> str:
    if isinstance(block, Paragraph):
        return f"<p><b>{_safe(block.text)}</b></p>"
    if isinstance(block, Bullets):
        items = ("<br>".join(map(_safe, entry)) for entry in block.entries)
        return f"<ul>{''.join(f'<li>{item}</li>' for item in items)}</ul>"
    if isinstance(block, Verbatim):
        return f"<pre>{_lines(map(_safe, block.lines))}</pre>" if block.lines else ""
    head = "".join(f"<th>{_safe(name)}</th>" for name in block.header)
    rows = (f"<tr>{''.join(f'<td>{_safe(cell)}</td>' for cell in row)}</tr>" for row in block.rows)
    return f"<table><tr>{head}</tr>{''.join(rows)}</table>" if block.rows else ""


def _lines(lines: Iterable[str]) -> str:
    return "\n".join(lines)


def _plain(line: str) -> str:
    """A line that Markdown takes for text, whatever stands in it."""
    text = clean_line(line)
    for sign in _SPECIAL:
        text = text.replace(sign, f"\\{sign}")
    return _CALLED.sub(r"\1<!-- -->", text)


def _code(text: str) -> str:
    return f"`{clean_line(text).replace('`', '')}`"


def _safe(text: str) -> str:
    return escape(clean_line(text))
