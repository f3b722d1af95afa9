"""The arguments of a tool call in words: one line for a list, indented text for a pane."""

from __future__ import annotations

import json
from typing import Any

from core.model.message import ToolCall
from inspector.text import LINE_LIMIT

PARSE_LIMIT = 64 * 1024
"""Characters of arguments that are worth parsing to draw them."""


def argument_line(call: ToolCall) -> str:
    """The first argument as it is, the others with their names; JSON that does not parse as it stands."""
    found = _parsed(call.arguments) if len(call.arguments) <= PARSE_LIMIT else None
    if not isinstance(found, dict):
        return call.arguments[:LINE_LIMIT]
    values = [_short(value) for value in found.values()]
    rest = [f"{name}={value}" for name, value in zip(list(found)[1:], values[1:], strict=True)]
    return "  ".join([*values[:1], *rest])[:LINE_LIMIT]


def argument_text(arguments: str) -> str:
    """Arguments one to a line, strings with their line breaks; JSON that does not parse as it stands."""
    found = _parsed(arguments) if len(arguments) <= PARSE_LIMIT else None
    if not isinstance(found, dict):
        return arguments
    return "\n".join(f"{name}: {_long(value)}" for name, value in found.items())


def _short(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _long(value: Any) -> str:
    if not isinstance(value, str):
        return json.dumps(value, ensure_ascii=False, indent=2)
    return "\n" + value if "\n" in value else value


def _parsed(arguments: str) -> Any:
    try:
        return json.loads(arguments)
    except (ValueError, RecursionError):  # stored by a model: not JSON, or nested without end
        return None
