"""The backend of the tab in Hermes' dashboard: the list of conversations, and the report of one.

The dashboard loads this file by its path and mounts `router` at /api/plugins/inspector behind its own login.
It cannot import anything next to it. Hermes Inspector's own Python makes both answers; it reads the database
and nothing else.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from fastapi import APIRouter, HTTPException

_SETTINGS = Path(__file__).parent.parent / "settings.json"
_RUN = "import sys; sys.path.insert(0, sys.argv.pop(1)); from inspector.cli.main import run; sys.exit(run())"
_SECONDS = 60
_LISTED = "100"


def conversations() -> Any:
    """The newest conversations, as `sessions --json` prints them."""
    return json.loads(_ask("sessions", "--limit", _LISTED, "--json"))


def report(session: str) -> Any:
    """The report of a conversation, as `export --format json` writes it, with credentials masked."""
    return json.loads(_ask("export", "--format", "json", "--", session))


def _ask(command: str, *words: str) -> str:
    settings = json.loads(_SETTINGS.read_text("utf-8"))
    home = os.environ.get("HERMES_HOME") or settings["home"]
    line = [settings["python"], "-c", _RUN, settings["root"], command, "--home", home, *words]
    try:
        done = subprocess.run(
            line, capture_output=True, text=True, timeout=_SECONDS, stdin=subprocess.DEVNULL, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise HTTPException(504, f"Hermes Inspector did not answer within {_SECONDS} s") from error
    if done.returncode:
        raise HTTPException(502, done.stderr.strip() or f"Hermes Inspector ended with {done.returncode}")
    return done.stdout


router = APIRouter()
router.add_api_route("/conversations", conversations)
router.add_api_route("/report", report)
