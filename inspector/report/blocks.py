"""The parts of a report, written as Markdown or as an HTML page; every text is escaped."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape

from core.support.program_files import load_table
from inspector.terminal.text import clean, clean_line
from themes.loader import ThemeFile, load_all

_SPECIAL = "\\`*_[]<>|#~"
_CALLED = re.compile(r"(?<![\w@])([@#])(?=\w)")
"""Trackers read `@name` or `#1` as a mention and notify people, unless a comment stands in between."""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_LIGHT, _DARK = "hermes-light", "hermes-dark"
_COLOURS = {
    "cache-read": "bucket-read",
    "cache-write": "bucket-write",
    "uncached": "bucket-fresh",
    "output": "bucket-output",
    "unknown": "ink-faint",
    "limit": "severity-critical",
    "failed": "severity-critical",
    "event": "part-middle",
    "break": "severity-warning",
    "critical": "severity-critical",
    "warning": "severity-warning",
}
"""What is drawn, and the theme colour for it."""
_LAYOUT = (
    "body{font:15px/1.5 system-ui,sans-serif;max-width:60em;margin:2em auto;padding:0 1em;"
    "background:var(--back);color:var(--ink)}li{margin:.3em 0}figure{margin:1em 0}"
    "figcaption{color:var(--muted)}pre{background:var(--panel);padding:.6em;overflow-x:auto}"
    "h1{overflow-wrap:anywhere}td,th{padding:.15em .8em .15em 0;text-align:left}"
    "svg{width:100%;height:auto}svg text{font-size:11px;fill:var(--muted)}svg path{fill:none}"
    ".rule{stroke:var(--rule)}.limit,.event,.failed{stroke-dasharray:4 3}"
    "svg text.limit,svg text.event,svg text.failed{stroke:none}"
    "@media print{body{max-width:none;margin:0}figure,tr,pre{break-inside:avoid}}"
)


def for_html(text: str) -> str:
    """Escape a line for an HTML page or an SVG."""
    return escape(clean_line(text))


def for_markdown(line: str) -> str:
    """Escape a line for Markdown."""
    text = clean_line(line)
    for sign in _SPECIAL:
        text = text.replace(sign, f"\\{sign}")
    return _CALLED.sub(r"\1<!-- -->", text)


@dataclass(frozen=True, slots=True)
class Paragraph:
    """An important sentence; `severity` colours it on a page."""

    text: str
    severity: str = ""


@dataclass(frozen=True, slots=True)
class Bullets:
    """A list; each entry may have lines below it."""

    entries: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Verbatim:
    """Lines shown as they are: arithmetic, log lines."""

    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows below a header."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Chart:
    """A drawing for a page; Markdown leaves it out. `svg` holds numbers and escaped text only."""

    svg: str
    caption: str


Block = Paragraph | Bullets | Verbatim | Table | Chart
Section = tuple[str, Sequence[Block]]


def bullets(lines: Iterable[str]) -> Bullets:
    """A list without nested lines."""
    return Bullets(tuple((line,) for line in lines))


def facts(**values: str | None) -> Table:
    """A table of names and values, without empty values; underscores in names become blanks."""
    rows = tuple((name.replace("_", " "), value) for name, value in values.items() if value)
    return Table(("", ""), rows)


def markdown(title: str, subject: str, sections: Iterable[Section]) -> str:
    """The report as Markdown, for a bug tracker."""
    parts = [f"# {title}: `{clean_line(subject).replace('`', '')}`"]
    for heading, blocks in sections:
        parts += ["", f"## {heading}"] if heading else []
        for block in blocks:
            lines = list(_markdown(block))
            parts += ["", *lines] if lines else []
    return clean("\n".join(parts)) + "\n"


def html(title: str, subject: str, sections: Iterable[Section]) -> str:
    """The report as an HTML page without scripts, which loads nothing."""
    parts = [
        "<!doctype html><html lang=en><meta charset=utf-8>",
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        f"<title>{for_html(title)}</title><style>{style()}</style>",
        f"<h1>{for_html(title)}: {for_html(subject)}</h1>",
    ]
    for heading, blocks in sections:
        parts += [f"<h2>{for_html(heading)}</h2>"] if heading else []
        parts += [_html(block) for block in blocks]
    return "\n".join([*parts, "</html>", ""])


def _markdown(block: Block) -> Iterator[str]:
    if isinstance(block, Paragraph):
        yield f"**{for_markdown(block.text)}**"
    elif isinstance(block, Bullets):
        for first, *rest in block.entries:
            yield f"- {for_markdown(first)}"
            yield from (f"  {for_markdown(line)}" for line in rest)
    elif isinstance(block, Verbatim):
        if block.lines:
            yield from ("```text", *(clean_line(line).replace("```", "'''") for line in block.lines), "```")
    elif isinstance(block, Table) and block.rows:
        yield f"| {' | '.join(map(for_markdown, block.header))} |"
        yield f"|{'---|' * len(block.header)}"
        yield from (f"| {' | '.join(map(for_markdown, row))} |" for row in block.rows)


def _html(block: Block) -> str:
    if isinstance(block, Paragraph):
        return f'<p class="{block.severity}"><b>{for_html(block.text)}</b></p>'
    if isinstance(block, Chart):
        return f"<figure>{block.svg}<figcaption>{for_html(block.caption)}</figcaption></figure>"
    if isinstance(block, Bullets):
        items = ("<br>".join(map(for_html, entry)) for entry in block.entries)
        return f"<ul>{''.join(f'<li>{item}</li>' for item in items)}</ul>"
    if isinstance(block, Verbatim):
        return f"<pre>{_lines(map(for_html, block.lines))}</pre>" if block.lines else ""
    head = "".join(f"<th>{for_html(name)}</th>" for name in block.header)
    rows = (f"<tr>{''.join(f'<td>{for_html(cell)}</td>' for cell in row)}</tr>" for row in block.rows)
    return f"<table><tr>{head}</tr>{''.join(rows)}</table>" if block.rows else ""


def _lines(lines: Iterable[str]) -> str:
    return "\n".join(lines)


def style() -> str:
    """The style sheet; it loads nothing."""
    themes = {theme.name: theme for theme in load_all(load_table)}
    drawn = "".join(
        f"path.{name}{{stroke:var(--{name})}}text.{name},p.{name}{{fill:var(--{name});color:var(--{name})}}"
        for name in _COLOURS
    )
    dark = f"@media screen and (prefers-color-scheme:dark){{:root{{{_variables(themes[_DARK])}}}}}"
    solid = "path.break:not(.bar,.key){fill:var(--break)}"
    return f":root{{color-scheme:light dark;{_variables(themes[_LIGHT])}}}{dark}{drawn}{_LAYOUT}{solid}"


def _variables(theme: ThemeFile) -> str:
    base, tokens = theme.base, theme.tokens
    colours = {
        "back": base["background"],
        "panel": base["panel"],
        "ink": tokens["ink"],
        "muted": tokens["ink-muted"],
        "rule": tokens["rule"],
        **{name: tokens[token] for name, token in _COLOURS.items()},
    }
    return "".join(f"--{name}:{colour};" for name, colour in colours.items())
