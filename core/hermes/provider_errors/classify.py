"""How each release of Hermes classifies a provider error, by the rules of `rules.yaml` and `words.yaml`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from core.hermes.provider_errors.failure import ProviderFailure
from core.hermes.provider_errors.shapes import (
    SHAPES,
    Asked,
    SessionSize,
    bare_message,
    body_status,
    error_code,
)
from core.support.program_files import shared_table, version, within

_ROOM = "core/hermes/provider_errors"


@dataclass(frozen=True, slots=True)
class ErrorClass:
    """The class a release gives an error.

    Attributes:
        name: The release's name for the class.
    """

    name: str
    retried: bool


def classify(failure: ProviderFailure, size: SessionSize, release: str) -> ErrorClass:
    """The class of a failure under a release; a bare refusal of a large conversation is an overflow."""
    asked = _asked(failure, size, release)
    rule = next(rule for rule in _rules(release) if _holds(rule, asked))
    name = str(rule["class"])
    never = name in shared_table(f"{_ROOM}/rules.yaml")["classes"]["never_retried"]
    return ErrorClass(name, bool(rule.get("retries", not never)))


def _asked(failure: ProviderFailure, size: SessionSize, release: str) -> Asked:
    reading = _reading(release)
    status = failure.status
    if status is None and reading["status_in_body"]:
        status = body_status(failure.body)
    if status is None and failure.exception == "RateLimitError":
        status = 429
    code = error_code(failure.body, reading).lower()
    bare = (
        len(message := bare_message(failure.body, wide=reading["status_in_body"])) < 30 or message == "error"
    )
    return Asked(failure, size, status, code, failure.message, bare, _words(release))


def _holds(rule: Mapping[str, Any], asked: Asked) -> bool:
    return all(_CHECKS[key](wanted, asked, rule) for key, wanted in rule.items() if key in _CHECKS)


def _of_status(wanted: Any, asked: Asked, _: Mapping[str, Any]) -> bool:
    if wanted == "none":
        return asked.status is None
    if asked.status is None:
        return False
    return asked.status in wanted or f"{asked.status // 100}xx" in wanted


def _of_codes(wanted: Any, asked: Asked, _: Mapping[str, Any]) -> bool:
    if not asked.code:
        return False
    return any(
        asked.code in asked.words.get(code[1:], ()) if code.startswith("$") else asked.code == code
        for code in wanted
    )


_CHECKS: dict[str, Callable[[Any, Asked, Mapping[str, Any]], bool]] = {
    "status": _of_status,
    "codes": _of_codes,
    "says": lambda wanted, asked, _: any(all(part in asked.text for part in group) for group in wanted),
    "shape": lambda wanted, asked, rule: SHAPES[wanted](asked, rule),
    "words": lambda wanted, asked, _: asked.hits(wanted),
    "and": lambda wanted, asked, _: all(asked.hits([name]) for name in wanted),
    "unless": lambda wanted, asked, _: not asked.hits(wanted),
    "pattern": lambda wanted, asked, _: re.search(wanted, asked.text) is not None,
    "provider": lambda wanted, asked, _: asked.failure.provider.strip().lower() in wanted,
    "lacks": lambda wanted, asked, _: (
        not any(part in asked.failure.provider.strip().lower() for part in wanted)
    ),
    "session": lambda wanted, asked, _: asked.size.passes(*wanted),
    "bare": lambda wanted, asked, _: asked.bare is wanted,
}


@cache
def _rules(release: str) -> tuple[Mapping[str, Any], ...]:
    """The rules of a release, in order."""
    rules = shared_table(f"{_ROOM}/rules.yaml")["rules"]
    return tuple(rule for rule in rules if within(release, rule))


@cache
def _words(release: str) -> dict[str, frozenset[str]]:
    """Every word list as of the release."""
    now = version(release)
    return {
        name: frozenset(word for since, added in lists.items() if version(since) <= now for word in added)
        for name, lists in shared_table(f"{_ROOM}/words.yaml").items()
    }


@cache
def _reading(release: str) -> dict[str, bool]:
    """How the release reads a body."""
    now = version(release)
    merged: dict[str, bool] = {}
    for since, values in shared_table(f"{_ROOM}/rules.yaml")["reading"].items():
        if version(since) <= now:
            merged |= values
    return merged
