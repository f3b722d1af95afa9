"""JSON that tools take and give, in words: one line for a list, text with line breaks for a pane."""

from __future__ import annotations

import json
import re
from typing import Any

from core.model.transcript.message import ToolCall
from core.redact.quick_check import masked_start
from inspector.terminal.text import LINE_LIMIT

PARSE_LIMIT = 64 * 1024
"""Characters of arguments that are worth parsing to draw them."""


def argument_line(call: ToolCall) -> str:
    """The first argument as it is, the others with their names; JSON that does not parse as it stands."""
    found = _parsed(call.arguments) if len(call.arguments) <= PARSE_LIMIT else None
    if not isinstance(found, dict):
        return masked_start(call.arguments, LINE_LIMIT)
    values = [_short(value) for value in found.values()]
    rest = [f"{name}={value}" for name, value in zip(list(found)[1:], values[1:], strict=True)]
    return masked_start("  ".join([*values[:1], *rest]), LINE_LIMIT)


def laid_out(text: str) -> str:
    """A JSON object one key to a line, strings with their line breaks; anything else as it stands."""
    start = text.lstrip()[:1]
    found = _parsed(text) if start == "{" and len(text) <= PARSE_LIMIT else None
    if not isinstance(found, dict):
        return text
    return "\n".join(f"{name}: {_long(value)}" for name, value in found.items())


def beginning(text: str) -> str:
    """The start of a tool result without the JSON around it, also when the text was cut short."""
    found = _FIRST_STRING.match(text)
    if found is None:
        return text
    return _ESCAPE.sub(lambda escape: _PLAIN.get(escape[1], escape[0]), text[found.end() :])


_FIRST_STRING = re.compile(r'\s*\{\s*"(?:output|content|result|text|stdout)"\s*:\s*"')
_ESCAPE = re.compile(r"\\(.)")
_PLAIN = {"n": " ", "t": " ", "r": " ", '"': '"', "/": "/", "\\": "\\"}


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
