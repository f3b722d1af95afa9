"""Whom a compressor asks after a failed summary call, and how long it pauses, by `failed_call.yaml`.

Up to 0.19 the compressor is built without a summary model of its own, so that in practice the second call is
made one floor below, if at all; `FailureRules.main_model_on` says after which failures.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.support.yaml_tables import shared_table, version


@dataclass(frozen=True, slots=True)
class FailedCall:
    """How a call for a summary failed."""

    message: str
    status: int | None = None
    exception: str = "Exception"


@dataclass(frozen=True, slots=True)
class Route:
    """What followed from it.

    Attributes:
        calls: Models asked, the first included.
        summary: There is a summary in the end.
        pause: Seconds until another is tried; 0 with a summary.
        auth, network: What the release calls the failure; None where it does not tell.
    """

    calls: int
    summary: bool
    pause: int
    auth: bool | None
    network: bool | None


def route(call: FailedCall, release: str, *, own_model: bool, main_answers: bool) -> Route:
    """What a compressor does after a failed call.

    A second call that fails is taken to fail alike.
    """
    rules = _rules(release)
    nobody = _is_nobody(call, rules)
    second = own_model and not nobody
    if second and main_answers:
        return Route(2, True, 0, _told(False, rules["auth"]), _told(False, rules["network"]["words"]))
    pause = "no_provider" if nobody else "short" if _fits(call, rules["short"]) else "other"
    return Route(
        calls=2 if second else 1,
        summary=False,
        pause=int(rules["pauses"][pause]),
        auth=_told(call.status in rules["auth"], rules["auth"]),
        network=_told(_fits(call, rules["network"]), rules["network"]["words"]),
    )


def _told(value: bool, known: list[Any]) -> bool | None:
    return value if known else None


def _is_nobody(call: FailedCall, rules: Mapping[str, Any]) -> bool:
    """Nobody can be asked as things are set."""
    if call.exception != "RuntimeError":
        return False
    return rules["no_provider"] == "any" or rules["says_no_provider"] in call.message.lower()


def _fits(call: FailedCall, signs: Mapping[str, list[str]]) -> bool:
    return call.exception in signs["classes"] or any(word in call.message.lower() for word in signs["words"])


def _rules(release: str) -> dict[str, Any]:
    merged: dict[str, Any] = {}
    for since, rules in shared_table("core/compress/requests/failed_call.yaml").items():
        if version(since) <= version(release):
            merged |= rules
    return merged
