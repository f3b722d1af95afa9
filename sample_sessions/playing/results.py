"""The tool results of a scenario."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, overload

from sample_sessions.filler import fill
from sample_sessions.scenario import Call


def result_text(call: Call, seed: str, number: str) -> str:
    """The result, in the envelope of Hermes' tools."""
    raw = call.result
    exit_code = 0
    if isinstance(raw, Mapping):
        recipe = {key: value for key, value in raw.items() if key not in ("exit", "text")}
        exit_code = raw.get("exit", 0)
        body = numbered(raw.get("text", ""), number) + (fill(recipe, seed) if "kind" in recipe else "")
    else:
        body = numbered(str(raw), number)
    if call.tool == "terminal":
        return json.dumps({"output": body, "exit_code": exit_code, "error": None}, ensure_ascii=False)
    if call.tool == "read_file":
        return json.dumps({"content": body, "total_lines": body.count("\n") + 1}, ensure_ascii=False)
    return body


@overload
def numbered(value: str, number: str) -> str: ...


@overload
def numbered(value: Any, number: str) -> Any: ...


def numbered(value: Any, number: str) -> Any:
    """Replace `{n}` by the number of the repetition, everywhere in the value."""
    if isinstance(value, str):
        return value.replace("{n}", number)
    if isinstance(value, dict):
        return {key: numbered(item, number) for key, item in value.items()}
    if isinstance(value, list):
        return [numbered(item, number) for item in value]
    return value
