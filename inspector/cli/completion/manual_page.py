"""The manual page, written from the parsers, so that it says what the commands do."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from inspector import __version__
from inspector.cli.completion.all_options import PROGRAM, SUMMARY, parsers_of

_CODES = (
    ("0", "done"),
    ("1", "internal error"),
    ("2", "the command line is off"),
    ("3", "not found"),
    ("4", "configuration"),
    ("5", "database"),
    ("6", "the budget was passed (usage --budget)"),
)


def manual_page(parser: argparse.ArgumentParser) -> str:
    """The page in roff, for `man -l`."""
    return "\n".join(_lines(parser)) + "\n"


def _lines(parser: argparse.ArgumentParser) -> Iterator[str]:
    yield f'.TH {PROGRAM.upper()} 1 "" "{PROGRAM} {__version__}" "User Commands"'
    yield ".SH NAME"
    yield f"{PROGRAM} \\- {_text(SUMMARY[0].lower() + SUMMARY[1:].rstrip('.'))}"
    yield ".SH SYNOPSIS"
    yield f".B {PROGRAM}"
    yield "[options] [command ...]"
    yield ".SH DESCRIPTION"
    yield "Without a command the app opens. Databases are read only, except by commands that say they write."
    yield ".SH OPTIONS"
    yield from _options(parser)
    yield ".SH COMMANDS"
    for name, one in parsers_of(parser).items():
        yield f".SS {_text(name)}"
        yield _text(one.description or "")
        yield from _options(one)
        for part, below in parsers_of(one).items():
            yield f".SS {_text(name)} {_text(part)}"
            yield _text(below.description or "")
            yield from _options(below)
    yield ".SH EXIT STATUS"
    for code, meaning in _CODES:
        yield from (".TP", f".B {code}", _text(meaning))


def _options(parser: argparse.ArgumentParser) -> Iterator[str]:
    for action in parser._actions:  # argparse tells of them nowhere else
        if isinstance(action, argparse._SubParsersAction) or action.help == argparse.SUPPRESS:
            continue
        yield ".TP"
        yield f".B {_text(_name(action))}"
        yield _text(_help(parser, action))


def _name(action: argparse.Action) -> str:
    value = action.metavar or (
        action.dest.upper() if action.choices is None else "|".join(map(str, action.choices))
    )
    word = " ".join(value) if isinstance(value, tuple) else str(value)
    if not action.option_strings:
        return word
    names = ", ".join(action.option_strings)
    return names if action.nargs == 0 else f"{names} {word}"


def _help(parser: argparse.ArgumentParser, action: argparse.Action) -> str:
    try:
        return parser._get_formatter()._expand_help(action)
    except (KeyError, TypeError, ValueError):
        return action.help or ""


def _text(text: str) -> str:
    """A text in which nothing is a request: lines of one paragraph, a blank line begins another."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    paragraphs = (" ".join(one.split()) for one in escaped.split("\n\n"))
    return "\n.PP\n".join(f"\\&{one}" if one[:1] in (".", "'") else one for one in paragraphs if one)
