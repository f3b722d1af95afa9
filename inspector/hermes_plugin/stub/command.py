"""`/inspect`: short answers about this conversation, without a model."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import textwrap

from .hooks import SessionMemory
from .settings import Settings, own_environment

_RUN = "import sys; sys.path.insert(0, sys.argv.pop(1)); from inspector.cli.main import run; sys.exit(run())"
_SECONDS = 30
_MAX_CHARS = 4000
_UNTOLD = "That is the newest conversation; Hermes names the current one only after your first message."


class InspectCommand:
    """Handles the words after `/inspect`, about the current conversation, which Hermes does not pass on."""

    def __init__(self, settings: Settings, session: SessionMemory) -> None:
        self._settings, self._session = settings, session

    def __call__(self, raw_args: str = "") -> str:
        """The answer, or why there is none."""
        try:
            return self._answer(str(raw_args or ""))
        except subprocess.TimeoutExpired:
            return f"Hermes Inspector did not answer within {_SECONDS} s."
        except Exception as error:  # noqa: BLE001 - a command that fails says so in the chat
            return f"Hermes Inspector cannot answer: {error}"

    def _answer(self, text: str) -> str:
        session = self._session.current
        home = os.environ.get("HERMES_HOME") or self._settings.home
        words = ["plugin", "--home", home, "--session", session or "latest", "--", "answer", *text.split()]
        done = subprocess.run(
            [self._settings.python, "-c", _RUN, self._settings.root, *words],
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            stdin=subprocess.DEVNULL,
            env=own_environment(),
            check=False,
        )
        output = (done.stdout or done.stderr).strip()[:_MAX_CHARS] or "Hermes Inspector has no answer."
        return _wrapped(output if session else f"{output}\n{_UNTOLD}")


def _wrapped(text: str) -> str:
    """Wrap lines to the terminal, since Hermes would break them inside words; unchanged elsewhere."""
    if sys.__stdout__ is None or not sys.__stdout__.isatty():
        return text
    width = max(shutil.get_terminal_size().columns - 1, 20)
    return "\n".join(textwrap.fill(line, width, break_on_hyphens=False) for line in text.splitlines())
