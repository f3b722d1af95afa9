"""Reads messages and texts from a file or from stdin."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from core.errors import NotFoundError, UsageError
from core.model.transcript.message import Message

STDIN = "-"


def read_text(path: str) -> str:
    """Read a text file; `-` reads stdin.

    Raises:
        NotFoundError: There is no such file.
        UsageError: It cannot be read or is not UTF-8.
    """
    where = "stdin" if path == STDIN else path
    try:
        return _read(path, where).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"not UTF-8 text (byte {error.start})", where=where) from error


def read_summary(path: str) -> str:
    """Read a text file that is to stand for a model's answer; see `read_text`.

    Raises:
        UsageError: It holds no text.
    """
    text = read_text(path)
    if not text.strip():
        raise UsageError("holds no text to use as a summary", where=path)
    return text


def read_messages(path: str) -> tuple[Message, ...]:
    """Read OpenAI-format messages from a JSON file.

    Args:
        path: A file with a JSON list of messages, or an object with one under `messages` (a request body);
            `-` reads stdin.

    Raises:
        NotFoundError: There is no such file.
        UsageError: It cannot be read, is not JSON, or is not a list of message objects.
    """
    where = "stdin" if path == STDIN else path
    document = _parse(_read(path, where), where)
    if isinstance(document, dict) and isinstance(document.get("messages"), list):
        document = document["messages"]
    if not isinstance(document, list):
        raise UsageError(f"expected a JSON list of messages, found {_kind(document)}", where=where)
    return tuple(_message(item, index, where) for index, item in enumerate(document))


def _read(path: str, where: str) -> bytes:
    try:
        if path != STDIN:
            return Path(path).read_bytes()
        if sys.stdin is None:
            raise UsageError("stdin is closed", where=where, remedy="Name a file instead of `-`")
        return sys.stdin.buffer.read()
    except FileNotFoundError as error:
        raise NotFoundError("no such file", where=where, remedy="Check the path") from error
    except OSError as error:
        raise UsageError(f"cannot be read ({error.strerror})", where=where) from error


def _parse(data: bytes, where: str) -> Any:
    remedy = "It must be a JSON list of OpenAI-format messages"
    try:
        return json.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise UsageError(f"not UTF-8 text (byte {error.start})", where=where, remedy=remedy) from error
    except json.JSONDecodeError as error:
        at = f"line {error.lineno}, column {error.colno}"
        raise UsageError(f"not valid JSON: {error.msg} at {at}", where=where, remedy=remedy) from error
    except ValueError as error:  # a number of thousands of digits
        raise UsageError(f"not valid JSON: {error}", where=where, remedy=remedy) from error
    except RecursionError as error:
        raise UsageError("nested too deeply to be a list of messages", where=where, remedy=remedy) from error


def _message(item: Any, index: int, where: str) -> Message:
    if not isinstance(item, dict):
        raise UsageError(f"message {index} is {_kind(item)}, not an object", where=where)
    if not isinstance(item.get("role"), str):
        raise UsageError(
            f"message {index} has no role", where=where, remedy="Each message needs a string `role`"
        )
    return Message(item)


def _kind(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "a string", bool: "a boolean", type(None): "null"}
    return names.get(type(value), "a number")
