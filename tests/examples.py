"""The commands that README and pages print, run on the samples, and the output shown below them.

`python -m tests.reference` brings every shown line up to date: each becomes the line of the output that it
resembles most. Which lines are shown is decided by hand; their figures never are.
"""

from __future__ import annotations

import difflib
import io
import os
import re
import shlex
import time
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from pathlib import Path
from unittest.mock import patch

ROOT = Path(__file__).parent.parent
PAGES = (
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *(page for room in ("jobs", "commands") for page in sorted((ROOT / "docs" / room).glob("*.md"))),
)
_BLOCK = re.compile(r"^```text\n(.*?)^```", re.MULTILINE | re.DOTALL)
_PROMPT = "$ hermes-inspector "
_ALIKE = 0.5

Run = Callable[[list[str]], str]


def shown(text: str) -> Iterator[tuple[str, list[str]]]:
    """Each command of a page that is followed by its output, with the lines shown."""
    for block in _BLOCK.findall(text):
        command = ""
        for line in block.splitlines():
            if line.startswith("$ "):
                command = line
            elif line.strip() and command.startswith(_PROMPT):
                yield command, [line]


def words(command: str) -> list[str]:
    """The arguments of a printed command, without its comment and what its output is sent to."""
    bare = re.split(r"\s+#|\s+[|>]\s", command.removeprefix("$ "))[0]
    return shlex.split(bare)[1:]


def refreshed(text: str, run: Run) -> str:
    """A page with the lines below its commands as they are printed today."""
    outputs: dict[str, list[str]] = {}

    def block(match: re.Match[str]) -> str:
        command, made = "", []
        for line in match[1].splitlines():
            if line.startswith("$ "):
                command = line
            elif line.strip() and command.startswith(_PROMPT):
                if command not in outputs:
                    outputs[command] = run(words(command)).splitlines()
                line = nearest(line, outputs[command])
            made.append(line)
        return "\n".join(("```text", *made, "```"))

    return _BLOCK.sub(block, text)


def nearest(line: str, output: list[str]) -> str:
    """The line of an output that corresponds to a shown line.

    Raises:
        ValueError: None resembles it.
    """
    if line in output:
        return line
    bare = [_without_figures(one) for one in output]
    found = difflib.get_close_matches(_without_figures(line), bare, n=1, cutoff=_ALIKE)
    if not found:
        raise ValueError(f"nothing like this is printed any more: {line}")
    return output[bare.index(found[0])]


def _without_figures(line: str) -> str:
    return re.sub(r"\d[\d,.]*[KM%]?", "0", line)


def refresh(home: Path) -> None:
    """Bring all pages up to date with the samples in a home."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        if (made := refreshed(text, lambda said: printed(said, home))) != text:
            page.write_text(made, encoding="utf-8")


def printed(arguments: list[str], home: Path) -> str:
    """What a command prints about the samples, wherever the reader's clock is set."""
    from inspector.cli.main import run

    said = io.StringIO()
    with patch.dict(os.environ, TZ="UTC"):
        time.tzset()
        with redirect_stdout(said):
            run([*arguments, "--home", str(home)])
    time.tzset()
    return said.getvalue()
