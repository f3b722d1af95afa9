"""Tool schemas in the files next to a database."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from core.explain.context.gather import stored_tools

TOOL = {"type": "function", "function": {"name": "terminal", "description": "run", "parameters": {}}}


def write(home: Path, name: str, content: Any) -> None:
    (home / "sessions").mkdir(exist_ok=True)
    (home / "sessions" / name).write_text(json.dumps(content), "utf-8")


def test_a_snapshot_holds_the_schemas(tmp_path: Path) -> None:
    prompt = 'say "tools": [1] and go on'
    write(tmp_path, "session_S.json", {"system_prompt": prompt, "tools": [TOOL], "messages": []})
    assert stored_tools(tmp_path, "S") == (TOOL,)
    assert stored_tools(tmp_path, "T") is None


def test_a_dumped_request_holds_them_too_and_the_newest_counts(tmp_path: Path) -> None:
    write(tmp_path, "request_dump_S_20260101_000000.json", {"request": {"body": {"tools": []}}})
    write(tmp_path, "request_dump_S_20260102_000000.json", {"request": {"body": {"tools": [TOOL, TOOL]}}})
    assert stored_tools(tmp_path, "S") == (TOOL, TOOL)


def test_damaged_files_and_odd_names_say_nothing(tmp_path: Path) -> None:
    (tmp_path / "sessions").mkdir()
    (tmp_path / "sessions" / "session_S.json").write_text('{"tools": [{"type": ', "utf-8")
    assert stored_tools(tmp_path, "S") is None
    assert stored_tools(tmp_path, "../S") is None
    assert stored_tools(None, "S") is None


def test_a_pipe_in_the_place_of_a_snapshot_is_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / "sessions").mkdir()
    os.mkfifo(tmp_path / "sessions" / "session_S.json")
    assert stored_tools(tmp_path, "S") is None
