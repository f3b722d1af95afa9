"""Tool results from a file, as they would arrive in one turn."""

from __future__ import annotations

import json
from typing import Any

from core.compress.tool_results.arrival import Arriving, Content
from core.errors import UsageError
from core.imports import openai_messages as transcript

_REMEDY = 'It must be a JSON list of {"id", "tool", "content"}'


def read_results(path: str) -> tuple[Arriving, ...]:
    """The results in a JSON file, in their order.

    Args:
        path: A JSON list of objects with `tool`, `content` (a text or a list of parts) and perhaps `id`; `-`
            reads stdin.

    Raises:
        NotFoundError: There is no such file.
        UsageError: It cannot be read, is not JSON, or is not a list of results.
    """
    where = "stdin" if path == transcript.STDIN else path
    try:
        document = json.loads(transcript.read_text(path))
    except (ValueError, RecursionError) as error:
        raise UsageError(f"not valid JSON: {error}", where=where, remedy=_REMEDY) from error
    if not isinstance(document, list):
        raise UsageError("not a list of tool results", where=where, remedy=_REMEDY)
    return tuple(_result(item, index, where) for index, item in enumerate(document))


def _result(item: Any, index: int, where: str) -> Arriving:
    if not isinstance(item, dict) or not isinstance(item.get("tool"), str):
        raise UsageError(f"result {index} names no tool", where=where, remedy=_REMEDY)
    call = item.get("id")
    return Arriving(
        str(f"call_{index}" if call is None else call), item["tool"], _content(item, index, where)
    )


def _content(item: dict[str, Any], index: int, where: str) -> Content:
    content = item.get("content")
    if isinstance(content, str):
        return content
    if isinstance(content, list) and all(isinstance(part, dict) for part in content):
        return content
    raise UsageError(
        f"the content of result {index} is neither a text nor a list of parts", where=where, remedy=_REMEDY
    )
