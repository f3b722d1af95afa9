"""The command `hermes-inspector`: finds the subcommand, runs it, and turns every failure into one line.

Results go to stdout, diagnostics to stderr. Exit codes are those of `core.errors`, 130 after Ctrl-C, and 141
when the reader of stdout is gone (as for a program killed by SIGPIPE).
`HERMES_INSPECTOR_DEBUG=1` shows the traceback of an error.
"""

from __future__ import annotations

import argparse
import errno
import gc
import importlib
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TextIO

from core.errors import InspectorError, UsageError
from inspector import __version__
from inspector.cli.arguments import options
from inspector.cli.registry import COMMANDS, PROGRAM, SUMMARY
from inspector.terminal.waiting import waiting

INTERRUPTED, READER_GONE = 130, 141
_MOST_OF_A_PATH = 60
_MANY = 50_000
"""New objects before the garbage collector runs; most commands end before that."""
RARELY_USED = ("inspect",)
"""`dataclasses` in Python 3.11 imports `inspect` (7 ms with its imports) for classes without a docstring."""


def main() -> int:
    """Run this process's command line; its modules stay loaded until the end, so they are never garbage."""
    gc.set_threshold(_MANY)
    code = run()
    gc.freeze()  # otherwise the interpreter would collect once more before it exits
    return code


def run(argv: Sequence[str] | None = None) -> int:
    """Run one command line, by default this process's, and return the exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    _make_streams_forgiving()
    try:
        code = _exit_code(words)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _discard_stdout()
        return READER_GONE
    except Exception as error:  # noqa: BLE001 - the edge: nobody above could turn it into one line
        code = _report(_of_a_path(error), as_json="--json" in words)
        _drop_what_cannot_be_written()
    return code


def _exit_code(words: list[str]) -> int:
    try:
        return _dispatch(words)
    except SystemExit as stop:  # argparse, after --help
        return stop.code if isinstance(stop.code, int) else 0


def _dispatch(words: list[str]) -> int:
    name, rest = split(words)
    if name is None:
        return _start_app(rest)
    defer_imports(*RARELY_USED)
    if name == "demo":
        return _run(*_on_the_samples(rest))
    return _run(name, rest)


@contextmanager
def _naming_store(args: argparse.Namespace) -> Iterator[None]:
    """Let the commands that an error advises ask the same databases."""
    try:
        yield
    except InspectorError as error:
        from inspector.cli.arguments import target

        error.remedy = error.remedy.replace(f"`{PROGRAM} ", f"`{target.command(args)} ")
        raise


def _run(name: str, rest: list[str]) -> int:
    if any(word.startswith("--fleet") for word in rest):
        fleet = importlib.import_module("inspector.cli.fleet.run")
        if fleet.is_asked(name, rest):
            return int(fleet.run(name, rest))
    module = importlib.import_module(f"inspector.cli.{COMMANDS[name].module}")
    parser = options.Parser(f"{PROGRAM} {name}", _sentence(COMMANDS[name].summary), module.__doc__)
    module.add_arguments(parser)
    options.add_common_options(parser, __version__)
    mixed = parser.mixes and "--" not in rest  # argparse would look for options after it again
    args = (parser.parse_intermixed_args if mixed else parser.parse_args)(rest)
    shown = nullcontext() if COMMANDS[name].shows_itself else waiting(f"{PROGRAM} {name}")
    with shown, _naming_store(args):
        code: int = module.run(args)
    return code


def split(words: Sequence[str]) -> tuple[str | None, list[str]]:
    """Find the subcommand in a command line; also return the other words, in order.

    Options may come before or after the command, so it is the first word that is a command and not the value
    of an option.
    """
    previous = ""
    for index, word in enumerate(words):
        if word == "--":
            break
        if word in COMMANDS and not (previous.startswith("-") and previous in options.valued()):
            return word, [*words[:index], *words[index + 1 :]]
        previous = word
    return None, list(words)


def _on_the_samples(words: list[str]) -> tuple[str, list[str]]:
    """`demo`, or the command named after it, on the home of the sample sessions."""
    if options.names_database(words):
        raise UsageError("demo only shows the samples", remedy="Leave out `demo` to open your own sessions")
    name, rest = split(words)
    if name in (None, "demo"):
        return "demo", words
    from sample_sessions.demo import demo_home

    return str(name), ["--home", str(demo_home()), *rest]


def _start_app(words: list[str]) -> int:
    parser = options.Parser(PROGRAM, SUMMARY)
    parser.epilog = _command_list()
    parser.usage = f"{PROGRAM} [options] [command ...]"
    parser.add_argument("stray", nargs="*", help=argparse.SUPPRESS)
    options.add_store_options(parser)
    options.add_app_options(parser)
    options.add_json_option(parser)
    options.add_common_options(parser, __version__)
    args = parser.parse_args(words)
    if args.stray:
        raise _unknown(args.stray[0])
    if args.json:
        raise UsageError("--json needs a command", remedy=f"Try `{PROGRAM} sessions --json`")
    from inspector.cli.app import open as app

    return app.start(args)


def _unknown(word: str) -> UsageError:
    import difflib

    near = difflib.get_close_matches(word, COMMANDS, n=1)
    hint = f"Did you mean `{near[0]}`?" if near else f"See `{PROGRAM} --help` for the commands"
    return UsageError(f"there is no command {word!r}", remedy=hint)


def _command_list() -> str:
    rows = (f"  {name:<15}{command.summary}" for name, command in COMMANDS.items())
    return "\n".join(
        [
            "commands (without one, the app opens):",
            *rows,
            "",
            f"`{PROGRAM} COMMAND --help` shows its options.",
        ]
    )


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def _of_a_path(error: Exception) -> Exception:
    """An error, in words if a path that no file system takes caused it, wherever that was first used."""
    if isinstance(error, OSError) and error.errno == errno.ENAMETOOLONG:
        return UsageError("is too long for a path", where=f"{str(error.filename)[:_MOST_OF_A_PATH]}…")
    if isinstance(error, ValueError) and "embedded null" in str(error):
        return UsageError("a path has a NUL character in it", remedy="Check what the options name")
    return error


def _report(error: Exception, *, as_json: bool) -> int:
    if os.environ.get("HERMES_INSPECTOR_DEBUG"):
        import traceback

        traceback.print_exception(error)
    from inspector.cli import output

    output.write_error(error, as_json=as_json)
    return error.exit_code if isinstance(error, InspectorError) else InspectorError.exit_code


def _make_streams_forgiving() -> None:
    """Escape what a stream cannot encode or decode, and discard output of a closed one."""
    sys.stdout = sys.stdout or _nowhere()
    sys.stderr = sys.stderr or _nowhere()
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def _nowhere() -> TextIO:
    return Path(os.devnull).open("w", encoding="utf-8")


def _drop_what_cannot_be_written() -> None:
    """Flush now; at exit the interpreter would try again, and fail with its own message and exit code."""
    try:
        sys.stdout.flush()
    except OSError:
        _discard_stdout()


def _discard_stdout() -> None:
    """Redirect stdout to the null device, so that the interpreter's flush at exit stays quiet."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, sys.stdout.fileno())
    os.close(nothing)


class _LazyModule(ModuleType):
    """A stand-in for a module that is loaded when something in it is used.

    `importlib.util.LazyLoader` does not help: a second import statement already loads the module.
    """

    def __getattr__(self, name: str) -> object:
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        module = import_module(self.__name__)
        self.__dict__.update(vars(module))
        return getattr(module, name)


def defer_imports(*names: str) -> None:
    """Delay loading these modules until they are used; modules already loaded stay."""
    for name in names:
        sys.modules.setdefault(name, _LazyModule(name))
