"""Shapes of an error's body that a release checks, apart from its words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from core.hermes.provider_errors.failure import ProviderFailure, error_object, lowered
from core.model.transcript.message import json_object

_RESET_FIELDS = ("resets_in_seconds", "resets_at", "reset_at", "retry_after")
_STATUS_FIELDS = ("status_code", "status", "http_status", "code")
_CODEX_REPLAY = "request blocked."
_CODEX_CONTENT = "unsupported content type"
_MAX_DISTANCE = 32
_LARGE_IMAGE = 4 * 1024 * 1024
_SMALL_WINDOW = 256_000


def error_code(body: Mapping[str, Any] | None, reading: Mapping[str, bool]) -> str:
    """The code of a body, as a release finds it.

    If the reading `skips_400`, `"400"` is none; if it `looks_into_message`, JSON in the message is read too;
    by `code_from_status` Google's `error.status` counts if the code is a number.
    """
    if not body:
        return ""
    inner = error_object(body)
    code = inner.get("code") or inner.get("type") or ""
    if not isinstance(code, str) and reading["code_from_status"]:
        code = inner.get("status") or code
    if isinstance(code, str) and _counts(code, reading):
        return code.strip()
    if reading["looks_into_message"] and lowered(inner.get("message")).lstrip().startswith("{"):
        nested = json_object(inner["message"])
        found = error_code(nested, {**reading, "looks_into_message": False}) if nested else ""
        if found:
            return found
    return _outer_code(body, reading)


def _outer_code(body: Mapping[str, Any], reading: Mapping[str, bool]) -> str:
    code = (
        body.get("code")
        or body.get("error_code")
        or (body.get("errorCode") if reading["status_in_body"] else "")
    )
    text = str(code).strip() if isinstance(code, str | int) and code else ""
    return text if _counts(text, reading) else ""


def _counts(code: str, reading: Mapping[str, bool]) -> bool:
    return bool(code.strip()) and not (reading["skips_400"] and code.strip() == "400")


def body_status(body: Mapping[str, Any] | None) -> int | None:
    """The HTTP status in an error object inside an answer that was sent as a success."""
    if not isinstance(body, Mapping):
        return None
    inner = error_object(body)
    fields = [inner.get(name) for name in _STATUS_FIELDS] + [body.get("code")]
    return next((code for code in fields if type(code) is int and 400 <= code < 600), None)


def bare_message(body: Mapping[str, Any] | None, *, wide: bool) -> str:
    """The message that a release judges as meaningful or empty; `wide` also knows where proxies put it."""
    if not isinstance(body, Mapping):
        return ""
    places = [error_object(body).get("message"), body.get("message")]
    if wide:
        reasons, detail = body.get("errorArgs"), body.get("detail")
        places += [body.get("errorMessage"), reasons.get("reason") if isinstance(reasons, Mapping) else None]
        places.append(
            detail.get("message")
            if isinstance(detail, Mapping)
            else detail
            if isinstance(detail, str)
            else None
        )
    return next((text for text in (lowered(place).strip() for place in places) if text), "")


def _openrouter_upstream(asked: Asked, _: Mapping[str, Any]) -> bool:
    """An aggregator's wrapper around a refusal by the upstream provider."""
    inner = error_object(asked.failure.body)
    if lowered(inner.get("message")).strip() != "provider returned error":
        return False
    metadata = inner.get("metadata")
    marked = isinstance(metadata, Mapping) and ("raw" in metadata or "provider_name" in metadata)
    return asked.failure.provider.strip().lower() == "openrouter" or marked


def _no_reset(asked: Asked, _: Mapping[str, Any]) -> bool:
    """No field gives a time at which the limit is lifted."""
    body = asked.failure.body or {}
    return not any(
        place.get(name) not in (None, "") for place in (body, error_object(body)) for name in _RESET_FIELDS
    )


def _codex_replay(asked: Asked, _: Mapping[str, Any]) -> bool:
    """Codex's answer to reasoning it does not accept back, without naming it."""
    if asked.failure.provider.strip().lower() != "openai-codex" or asked.status not in (None, 400):
        return False
    body = asked.failure.body or {}
    if lowered(body.get("detail")).strip() == _CODEX_CONTENT or (not body and _CODEX_CONTENT in asked.text):
        return True
    bare = asked.code == "invalid_prompt" and bare_message(body, wide=True) == _CODEX_REPLAY
    return bare or asked.text.strip() == f"invalid_prompt: {_CODEX_REPLAY}"


def _not_injected(asked: Asked, _: Mapping[str, Any]) -> bool:
    """The refused parameter is not one that another provider's server adds by itself."""
    provider = asked.failure.provider.strip().lower()
    senders = ("meta", "muse", "msl", "model-api", "bedrock", "mantle")
    refused = "prompt_cache_retention" in asked.text and asked.hits(["rejected"])
    return not refused or any(sender in provider for sender in senders)


def _unsupported_near(asked: Asked, rule: Mapping[str, Any]) -> bool:
    """`unsupported` occurs within 32 characters of the pattern's match."""
    found = re.search(rule["pattern"], asked.text)
    if found is None:
        return False
    return "unsupported" in asked.text[max(0, found.start() - _MAX_DISTANCE) : found.end() + _MAX_DISTANCE]


def _oversized_content(asked: Asked, _: Mapping[str, Any]) -> bool:
    """A validator refuses a message's content that has a large image."""
    details = (asked.failure.body or {}).get("detail")
    return isinstance(details, list) and any(
        _names_large_picture(entry) for entry in details if isinstance(entry, Mapping)
    )


def _names_large_picture(entry: Mapping[str, Any]) -> bool:
    places = [str(part).lower() for part in entry.get("loc") or ()]
    if (
        entry.get("type") != "string_type"
        or places[:2] != ["body", "messages"]
        or places[-2:] != ["content", "str"]
    ):
        return False
    content = entry.get("input")
    return not any(place.startswith("tool") for place in places) and any(
        _picture_length(part) > _LARGE_IMAGE for part in (content if isinstance(content, list) else ())
    )


def _picture_length(part: object) -> int:
    image = part.get("image_url") if isinstance(part, Mapping) else None
    url = image.get("url") if isinstance(image, Mapping) else image
    return len(url) if isinstance(url, str) and url.startswith("data:image/") else 0


def _reasoning_model(asked: Asked, _: Mapping[str, Any]) -> bool:
    """A model that thinks for minutes, for which a lost connection is no sign of an overflow."""
    name = asked.failure.model.strip().lower().rsplit("/", 1)[-1]
    return any(re.match(rf"{re.escape(slug)}(?:$|[\-._:])", name) for slug in asked.words["reasoning_models"])


SHAPES: dict[str, Callable[[Asked, Mapping[str, Any]], bool]] = {
    "openrouter_upstream": _openrouter_upstream,
    "no_reset": _no_reset,
    "codex_replay": _codex_replay,
    "not_injected": _not_injected,
    "unsupported_near": _unsupported_near,
    "oversized_content": _oversized_content,
    "reasoning_model": _reasoning_model,
    "transport_error": lambda asked, _: asked.failure.exception in asked.words["transport"],
}


@dataclass(frozen=True, slots=True)
class SessionSize:
    """Size of the conversation when the call failed.

    Attributes:
        window: The model's window in tokens, as Hermes believes.
    """

    tokens: int = 20_000
    window: int = 200_000
    messages: int = 12

    def passes(self, share: float, tokens: int, messages: int) -> bool:
        """Whether it counts as large: by share of the window, or in a small window by one of two numbers."""
        if self.tokens > self.window * share:
            return True
        return self.window <= _SMALL_WINDOW and (self.tokens > tokens or self.messages > messages)


@dataclass(frozen=True, slots=True)
class Asked:
    """The input of the rules: a failure as a release reads it."""

    failure: ProviderFailure
    size: SessionSize
    status: int | None
    code: str
    text: str
    bare: bool
    words: Mapping[str, frozenset[str]]

    def hits(self, names: Iterable[str]) -> bool:
        """Whether the text contains a word of one of the lists."""
        return any(word in self.text for name in names for word in self.words.get(name, ()))
