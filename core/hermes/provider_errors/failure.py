"""A failed call to a model, in the form in which Hermes sees it."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.model.transcript.message import json_object

LONG_CONTEXT_TIER = 200_000
"""The window a release uses after a plan's limit on long requests refused one."""
OUTPUT_MARGIN = 64
"""Tokens by which a release stays below the output that a provider has room for."""
_SDK_PREFIX = re.compile(r"^\s*error code: (\d{3})(?: - (.*))?$", re.IGNORECASE | re.DOTALL)
_HTTP_ERRORS = range(400, 600)
_MAX_DIGITS = 30


@dataclass(frozen=True, slots=True)
class ProviderFailure:
    """A failed call.

    Attributes:
        text: The exception's text, `str(exception)`.
        status: The HTTP status of the exception; None if it has none.
        body: What the client library keeps of the answer's body; OpenAI's keeps the inner error object.
        base_url: The endpoint of the call.
    """

    text: str
    status: int | None = None
    body: Mapping[str, Any] | None = None
    provider: str = ""
    model: str = ""
    base_url: str = ""
    exception: str = ""

    @property
    def message(self) -> str:
        """The text, the body's message and a message wrapped by an aggregator, in lower case, none twice."""
        raw = self.text.lower()
        inner = error_object(self.body)
        body = lowered(inner.get("message")) or lowered((self.body or {}).get("message"))
        wrapped = _wrapped_message(inner)
        parts = [raw]
        if body and body not in raw:
            parts.append(body)
        if wrapped and wrapped not in raw and wrapped not in body:
            parts.append(wrapped)
        return " ".join(parts)


def failure_of(
    text: str,
    *,
    status: int | None = None,
    body: Any = None,
    provider: str = "",
    model: str = "",
    base_url: str = "",
    exception: str = "",
) -> ProviderFailure:
    """A failure from what a user has at hand, in the form the client library would have given it.

    `text` is the message, the log line, or the JSON of the answer; `body` the answer as parsed JSON or plain
    text; `exception` a class name such as `ValidationException`.
    """
    text, status, body = _taken_apart(text, status, body)
    if body is None and status is not None and text.strip():
        body = _presumed_body(text, status, provider)
        message = text
    else:
        message = _as_sdk_says(text, status, body)
    if exception and provider == "bedrock" and not message.startswith("An error occurred"):
        message = f"An error occurred ({exception}) when calling the ConverseStream operation: {message}"
    return ProviderFailure(message, status, _kept_body(body), provider, model, base_url, exception)


def error_object(body: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """`body["error"]` if it is an object, else an empty one."""
    found = body.get("error") if isinstance(body, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def lowered(value: object) -> str:
    """The value as lower-case text; "" for None."""
    return str(value or "").lower()


def _wrapped_message(inner: Mapping[str, Any]) -> str:
    """The upstream message in `metadata.raw`, as OpenRouter sends it."""
    metadata = inner.get("metadata")
    raw = metadata.get("raw") if isinstance(metadata, Mapping) else None
    return lowered(error_object(json_object(raw)).get("message"))


def count(digits: str) -> int:
    """A number in a text; of one with thousands of digits, which Python refuses to read, the first few."""
    return int(digits[:_MAX_DIGITS])


def _taken_apart(text: str, status: int | None, body: Any) -> tuple[str, int | None, Any]:
    """Extract status and body from a text that contains them: `Error code: 400 - {...}`, or bare JSON."""
    if body is not None:
        return text, status, body
    found = _SDK_PREFIX.match(text)
    if found:
        return text, status or int(found[1]), _literal(found[2] or "")
    stripped = text.strip()
    if stripped[:1] in "{[" and (literal := _literal(stripped)) is not None:
        return text, status, literal
    return text, status, None


def _literal(text: str) -> Any:
    """A JSON or Python literal; None if it is neither, or cut off."""
    for read in (json.loads, ast.literal_eval):
        try:
            found = read(text.strip())
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
        if isinstance(found, dict | list):
            return found
    return None


def _presumed_body(text: str, status: int, provider: str) -> dict[str, Any]:
    """The likely body of a bare message: every provider wraps it alike, and Hermes reads it there."""
    if provider == "anthropic":
        kinds = {400: "invalid_request_error", 401: "authentication_error", 403: "permission_error"}
        kinds |= {
            413: "request_too_large",
            429: "rate_limit_error",
            500: "api_error",
            529: "overloaded_error",
        }
        return {"type": "error", "error": {"type": kinds.get(status, "api_error"), "message": text}}
    return {"error": {"message": text}}


def _as_sdk_says(text: str, status: int | None, body: Any) -> str:
    """`str(exception)` of the OpenAI and Anthropic libraries for an answer with a body."""
    if body is None or _SDK_PREFIX.match(text):
        return text
    if isinstance(body, str):
        return body or (f"Error code: {status}" if status else text)
    return f"Error code: {status} - {body}" if status in _HTTP_ERRORS else text or str(body)


def _kept_body(body: Any) -> Mapping[str, Any] | None:
    """The part of the body the exception carries: Anthropic's keeps all, OpenAI's the inner object."""
    if not isinstance(body, dict):
        return None
    if body.get("type") == "error":
        return body
    inner = body.get("error")
    return inner if isinstance(inner, dict) else body
