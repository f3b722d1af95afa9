"""Opening the user's file of settings in their editor, from the command line and from the app."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys

from core.errors import ConfigError, UsageError
from inspector.settings.config_file import own_config
from inspector.settings.template import TEMPLATE


def edit_settings() -> None:
    """Open it, begun with every setting commented out when there is none.

    Raises:
        UsageError: There is no editor, or no terminal.
        ConfigError: The file or the editor cannot be opened.
    """
    editor = shlex.split(os.environ.get("VISUAL") or os.environ.get("EDITOR") or "")
    path = own_config()
    if not editor or sys.stdin is None or not sys.stdin.isatty():
        raise UsageError("no editor can be opened here", remedy=f"Set $EDITOR in a terminal, or edit {path}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            path.write_text(TEMPLATE, encoding="utf-8")
        subprocess.run([*editor, str(path)], check=False)
    except OSError as error:
        raise ConfigError(f"cannot be edited ({error.strerror})", where=str(path)) from error
