"""What reaches stdout and stderr: JSON for scripts, tidy text for people, one line for an error."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from core.errors import InspectorError
from inspector.payloads import values as jsonio
from inspector.terminal import waiting

if TYPE_CHECKING:
    from argparse import Namespace

    from core.model.finding import Evidence, Headline, Severity, Verdict

PROGRAM = "hermes-inspector"

LONGEST_QUOTE = 400
"""Characters of a quoted line; a terminal gets no more than its rows hold, and --json all of it."""


def write_json(payload: dict[str, Any], *, mask: bool = True) -> None:
    """Print one JSON document, with the credentials in it masked as they are on screen.

    Everything outside ASCII is escaped: any stream can carry it, and no character of a stored text can act
    on the terminal it is printed to.

    Args:
        payload: The document.
        mask: False when the caller asks for the texts of their own file as they are.
    """
    if mask:
        payload = jsonio.masked(payload)
    # `dumps`, not `dump`: only the former uses the C encoder, which is ten times as fast.
    write_text(f"{jsonio.dumps(payload)}\n")


def write_lines(lines: Iterable[str], *, mask: bool = True, wrap: bool = True) -> None:
    """Print lines for people, as wide as the terminal and in its colours.

    Args:
        lines: Untrusted.
        mask: As for `write_json`.
        wrap: False for what is there to be copied, such as a path.
    """
    from inspector.terminal.ink import printed

    for line in printed(lines, mask=mask, wrap=wrap):
        write_text(f"{line}\n")


def show(args: Namespace, document: Callable[[], dict[str, Any]], lines: Iterable[str]) -> int:
    """Print a result: its document with --json, else its lines; masked either way.

    Returns:
        The exit code of a command that has answered.
    """
    if args.json:
        write_json(document())
    else:
        write_lines(lines)
    return 0


def write_text(text: str) -> None:
    """Print what is made ready for stdout."""
    waiting.stop()
    sys.stdout.write(text)


def muted(text: str) -> str:
    """A line that is there for who looks for it."""
    from inspector.terminal.ink import Ink, inked

    return inked(text, Ink.MUTED)


def strong(text: str) -> str:
    """What a line is about."""
    from inspector.terminal.ink import Ink, inked

    return inked(text, Ink.STRONG)


def tinted(text: str, severity: Severity | None) -> str:
    """A text in the colour of how bad it is."""
    from inspector.terminal.ink import BY_SEVERITY, Ink, inked

    return inked(text, Ink.GOOD if severity is None else BY_SEVERITY[severity])


def indented(lines: Iterable[str], by: str = "  ") -> Iterator[str]:
    """The same lines further in, in their colours."""
    from inspector.terminal.ink import joined

    return (joined(by, line) for line in lines)


def evidence(found: Iterable[Evidence], indent: str, *, rows: int = 1) -> Iterator[str]:
    """Quotations and computations, each with its place and, on a terminal, on so many rows at most."""
    from inspector.terminal.stdout import terminal_width
    from inspector.terminal.text import clean_line, crop

    width = terminal_width()
    for one in found:
        line = clean_line(f"{one.source.value} {one.where}: {one.text}", LONGEST_QUOTE)
        if width is not None:
            # a row after the first is two cells further in, and may end a word early
            line = crop(line, (width - len(indent)) + (rows - 1) * (width - len(indent) - 12))
        yield from indented([muted(line)], indent)


def headline(found: Headline) -> Iterator[str]:
    """The answer in one sentence, and on a line of its own what helps."""
    from inspector.terminal.glyphs import SEVERITY, WELL

    mark = WELL if found.severity is None else SEVERITY[found.severity]
    yield tinted(f"{mark} {found.sentence}", found.severity)
    if found.remedy:
        yield fix(found.remedy, found.severity)


def fix(remedy: str, severity: Severity | None, indent: str = "  ") -> str:
    """The line that says what helps."""
    from core.model.finding import help_word
    from inspector.terminal.ink import joined

    return joined(indent, strong(f"{help_word(severity)}:"), f" {remedy}")


def verdicts(used: Iterable[Verdict]) -> Iterator[str]:
    """What the words in brackets mean, those that were used."""
    from inspector.base.words import EVERYWHERE, explained

    told = explained()[EVERYWHERE]
    names = dict.fromkeys(one.value for one in used)
    yield from (muted(f"[{name}] {told[name]}") for name in told if name in names)


def write_csv(rows: Iterable[Mapping[str, Any]]) -> None:
    """Print rows that share their keys as a table for a spreadsheet; nothing when there are none.

    What is unknown stays empty.
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
    """Texts as a spreadsheet may read them: none becomes a formula."""
    from inspector.terminal.text import clean_lines

    return (f"'{text}" if text.startswith(("=", "+", "-", "@")) else text for text in clean_lines(texts))


def write_note(text: str) -> None:
    """Print one diagnostic line to stderr, with the program's name."""
    waiting.pause()
    if sys.stderr is not None:
        sys.stderr.write(f"{PROGRAM}: {_one_line(text)}\n")


def progress(what: str, found: Callable[[], str] = lambda: "") -> Callable[[int, int], None]:
    """Something to be told how far long work is; a terminal shows it when that takes more than a second.

    Args:
        what: The work.
        found: What it has come to so far, in a few words.
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
