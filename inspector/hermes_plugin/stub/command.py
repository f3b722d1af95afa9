"""`/inspect`: short answers about this conversation, without a model."""

from __future__ import annotations

import os
import subprocess

from .hooks import SessionMemory
from .settings import Settings, own_environment

_RUN = "import sys; sys.path.insert(0, sys.argv.pop(1)); from inspector.cli.main import run; sys.exit(run())"
_SECONDS = 30
_MOST = 4000
_UNTOLD = "Which conversation this is Hermes says with your first message; of the newest one:"


class InspectCommand:
    """What Hermes calls with the words behind `/inspect`.

    Args:
        settings: The interpreter that answers.
        session: Which conversation this is; Hermes does not say.
    """

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
        first = "" if session else f"{_UNTOLD}\n"
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
        return first + ((done.stdout or done.stderr).strip()[:_MOST] or "Hermes Inspector has no answer.")
