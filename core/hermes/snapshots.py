"""Tool schemas in the files Hermes leaves beside its database, which holds none before 0.22."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FOLDER = "sessions"
_TOOLS = re.compile(r'(?<!\\)"tools"\s*:\s*(?=\[)')
_MOST = 4 * 1024 * 1024
"""Schemas stand before the messages, which may be long."""


def stored_tools(home: Path | None, session_id: str) -> tuple[Any, ...] | None:
    """The schemas a session last sent, from its snapshot (0.13, 0.14; later on request) or a dumped request.

    Args:
        home: The HERMES_HOME.
        session_id: As stored; one that is no file name has no files.

    Returns:
        None where no file tells.
    """
    if home is None or not re.fullmatch(r"[\w.-]+", session_id):
        return None
    for path in _files(home / FOLDER, session_id):
        tools = _tools_in(path)
        if tools:
            return tools
    return None


def _files(folder: Path, session_id: str) -> Iterator[Path]:
    """The snapshot, then dumps of refused requests, newest first."""
    yield folder / f"session_{session_id}.json"
    yield from sorted(folder.glob(f"request_dump_{session_id}_*.json"), reverse=True)


def _tools_in(path: Path) -> tuple[Any, ...] | None:
    try:
        with path.open(encoding="utf-8", errors="replace") as stream:
            text = stream.read(_MOST)
    except OSError:
        return None
    found = _TOOLS.search(text)
    if found is None:
        return None
    try:
        tools, _ = json.JSONDecoder().raw_decode(text, found.end())
    except (ValueError, RecursionError):
        return None
    return tuple(tools) if isinstance(tools, list) else None
