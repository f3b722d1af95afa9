"""Writes to stdout and stderr: JSON for scripts, formatted text for people, one line for an error."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from core.errors import InspectorError
from inspector.cli.registry import PROGRAM
from inspector.payloads import values as jsonio
from inspector.terminal import waiting

if TYPE_CHECKING:
    from argparse import Namespace

    from core.model.finding import Claim, Evidence, Headline, Severity

MAX_QUOTE_CHARS = 400
"""Most characters of a quoted line; a terminal gets only what fits on its rows, and --json all of it."""


def write_json(payload: dict[str, Any], *, mask: bool = True) -> None:
    """Print one JSON document, with the credentials in it masked as they are on screen.

    Everything outside ASCII is escaped: any stream can carry it, and no stored character can act on the
    terminal it is printed to. `mask` is False if the user asked to see the texts of their own file.
    """
    if mask:
        payload = jsonio.masked(payload)
    # `dumps`, not `dump`: only `dumps` uses the C encoder, which is ten times as fast.
    write_text(f"{jsonio.dumps(payload)}\n")


def write_lines(lines: Iterable[str], *, mask: bool = True, wrap: bool = True) -> None:
    """Print untrusted lines for people, wrapped to the terminal and in colour if it has any.

    `wrap` is False for what is meant to be copied, such as a path.
    """
    from inspector.terminal.ink import printed

    for line in printed(lines, mask=mask, wrap=wrap):
        write_text(f"{line}\n")


def show(
    args: Namespace, document: Callable[[], dict[str, Any]], lines: Iterable[str], *, wrap: bool = True
) -> int:
    """Print a result, masked: its document with --json, else its lines; the exit code of success."""
    if args.json:
        write_json(document())
    else:
        write_lines(lines, wrap=wrap)
    return 0


def write_text(text: str) -> None:
    """Print text that is ready for stdout."""
    waiting.stop()
    sys.stdout.write(text)


def muted(text: str) -> str:
    """A line of minor importance."""
    from inspector.terminal.ink import Ink, inked

    return inked(text, Ink.MUTED)


def strong(text: str) -> str:
    """An emphasised text."""
    from inspector.terminal.ink import Ink, inked

    return inked(text, Ink.STRONG)


def tinted(text: str, severity: Severity | None) -> str:
    """A text in the colour of a severity."""
    from inspector.terminal.ink import BY_SEVERITY, Ink, inked

    return inked(text, Ink.GOOD if severity is None else BY_SEVERITY[severity])


def indented(lines: Iterable[str], by: str = "  ") -> Iterator[str]:
    """The same lines, indented, with their colours."""
    from inspector.terminal.ink import joined

    return (joined(by, line) if line else line for line in lines)


def evidence(found: Iterable[Evidence], indent: str, *, rows: int = 1, margin: int = 0) -> Iterator[str]:
    """Pieces of evidence, each with its place; on a terminal cut to a number of rows.

    `margin` is how far the caller will indent the lines besides.
    """
    from inspector.cli.table import elided
    from inspector.terminal.stdout import terminal_width
    from inspector.terminal.text import clean_line

    width = terminal_width()
    for one in found:
        line = clean_line(f"{one.place}: {one.text}", MAX_QUOTE_CHARS)
        if width is not None:
            room = width - margin - len(indent)
            # rows after the first are indented by two cells, and may end early at a word boundary
            line = elided(line, room + (rows - 1) * (room - 12))
        yield from indented([muted(line)], indent)


def headline(found: Headline) -> Iterator[str]:
    """The answer in one sentence, and the remedy on a line of its own."""
    from inspector.terminal.glyphs import SEVERITY, WELL

    mark = WELL if found.severity is None else SEVERITY[found.severity]
    yield tinted(f"{mark} {found.sentence}", found.severity)
    if found.remedy:
        yield fix(found.remedy, found.severity)


def fix(remedy: str, severity: Severity | None, indent: str = "  ") -> str:
    """The line with the remedy."""
    from core.model.finding import help_word
    from inspector.terminal.ink import joined

    return joined(indent, strong(f"{help_word(severity)}:"), f" {remedy}")


def certainties(claims: Iterable[Claim]) -> Iterator[str]:
    """Explain the words that were used for how certain claims are, such as `[from the log]`."""
    from core.model.finding import certainty
    from inspector.base.words import EVERYWHERE, explained

    known, used = explained()[EVERYWHERE], set(map(certainty, claims))
    yield from (muted(f"[{words}] {says}") for words, says in known.items() if words in used)


def write_csv(rows: Iterable[Mapping[str, Any]]) -> None:
    """Print rows with the same keys as CSV for a spreadsheet; nothing if there are no rows.

    Unknown values stay empty.
    """
    import csv

    table = list(rows)
    texts = list({value for row in table for value in row.values() if isinstance(value, str)})
    shown: dict[Any, str] = dict(zip(texts, _cells(texts), strict=True))
    waiting.stop()
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerows(map(list, table[:1]))
    writer.writerows([shown.get(value, value) for value in row.values()] for row in table)


def _cells(texts: Sequence[str]) -> Iterator[str]:
    """Texts that are safe in a spreadsheet: none becomes a formula."""
    from inspector.terminal.text import clean_lines

    return (f"'{text}" if text.startswith(("=", "+", "-", "@")) else text for text in clean_lines(texts))


def write_note(text: str) -> None:
    """Print one diagnostic line to stderr, with the program's name."""
    waiting.pause()
    if sys.stderr is not None:
        sys.stderr.write(f"{PROGRAM}: {_one_line(text)}\n")


def progress(what: str, found: Callable[[], str] = lambda: "") -> Callable[[int, int], None]:
    """Make a progress callback; a terminal shows the progress if the work takes more than a second.

    `found` gives its result so far, in a few words.
    """

    def tell(done: int, total: int) -> None:
        waiting.say("" if done >= total else f"{what} {done:,} of {total:,}{found()}")

    return tell


def write_error(error: BaseException, *, as_json: bool) -> None:
    """Print one line that says what happened, where, and what to do."""
    if not isinstance(error, InspectorError):
        what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        error = InspectorError(
            f"unexpected error: {what}", remedy="Set HERMES_INSPECTOR_DEBUG=1 to see where it came from"
        )
    if as_json:
        waiting.stop()
        sys.stderr.write(f"{_one_line(jsonio.dumps({'error': jsonio.error(error)}))}\n")
    else:
        write_note(error.line)


def _one_line(text: str) -> str:
    from inspector.terminal.text import clean

    return clean(" ".join(line.rstrip() for line in text.splitlines() if line.strip()))
