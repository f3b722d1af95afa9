"""What a release does when it gets no summary: leave the list unchanged, or use one made by rule."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.compress.assembly.assemble import had_user
from core.compress.summarise.base import (
    FailureKind,
    SummaryFailure,
    SummaryResult,
    SummaryStatus,
    heading_line,
)
from core.compress.summarise.fallback.summariser import no_user_line
from core.hermes.policy.policy import Policy
from core.hermes.policy.summary_rules import FailureRules
from core.model.transcript.message import Message
from core.support.program_files import shared_table, version

_OTHER = "other"
_LADDER = frozenset({FailureKind.TIMEOUT, FailureKind.GATEWAY, FailureKind.RATE_LIMIT})
_ATTRIBUTION = re.compile(r"\bUser\s+asked\s*:", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Consequence:
    """The consequence of a failed summary.

    Attributes:
        aborts: The list stays unchanged; otherwise the fallback replaces the middle.
        cooldown: Seconds during which no other summary is tried.
    """

    aborts: bool
    cooldown: int


def consequence(
    kind: FailureKind, rules: FailureRules, *, in_a_row: int = 1, abort_configured: bool = False
) -> Consequence:
    """Decide by the release's rules; `in_a_row` counts the failures of this kind, this one included."""
    configured = abort_configured and rules.abort_configurable
    return Consequence(configured or _aborts(kind, rules, in_a_row), _cooldown(kind, rules, in_a_row))


def accepted(failure: SummaryFailure, rules: FailureRules) -> SummaryResult | None:
    """What a release accepts as a summary anyway: until 0.17 an empty answer, until 0.19 a cut-off one."""
    if failure.kind is FailureKind.EMPTY and not rules.empty_is_failure:
        return SummaryResult("", SummaryStatus.MODEL)
    cut = failure.kind is FailureKind.TRUNCATED and not rules.cut_is_failure
    return failure.partial if cut else None


def _aborts(kind: FailureKind, rules: FailureRules, in_a_row: int) -> bool:
    if kind.value not in rules.aborts:
        return False
    return kind is not FailureKind.OVERLOADED or in_a_row <= rules.overload_aborts


def _cooldown(kind: FailureKind, rules: FailureRules, in_a_row: int) -> int:
    seconds = dict(rules.cooldowns)
    escalates = kind in _LADDER or (kind is FailureKind.TRUNCATED and kind.value in rules.aborts)
    if escalates and not seconds.get(kind.value):
        return rules.cooldown_steps[min(in_a_row, len(rules.cooldown_steps)) - 1]
    return seconds.get(kind.value, seconds[_OTHER])


def invents_user(body: str, messages: Sequence[Message], policy: Policy) -> bool:
    """Whether the release refuses a summary that mentions a user who never spoke, and uses its fallback.

    Hermes 0.22 (`_validate_summary_user_provenance`) then accepts a summary only if its first section is the
    line for "no user" and it nowhere says what a user asked.
    """
    if not policy.failure.snapshot or had_user(messages, policy):
        return False
    heading = re.escape(heading_line(policy.summary.headings[0]))
    section = re.search(rf"^{heading}\s*\n(.*?)(?=^## |\Z)", body, re.MULTILINE | re.DOTALL)
    task = section[1].strip() if section else ""
    return task != no_user_line() or _ATTRIBUTION.search(body) is not None


@dataclass(frozen=True, slots=True)
class FailedCall:
    """How a summary call failed.

    Attributes:
        message: The text of the exception.
    """

    message: str
    status: int | None = None
    exception: str = "Exception"


@dataclass(frozen=True, slots=True)
class Route:
    """What a compressor did after a failed call.

    Attributes:
        calls: How many models were asked, including the first.
        summary: Whether there is a summary in the end.
        pause: Seconds until another summary is tried; 0 with a summary.
        auth, network: How the release classifies the failure; None where it does not.
    """

    calls: int
    summary: bool
    pause: int
    auth: bool | None
    network: bool | None


def route(call: FailedCall, release: str, *, own_model: bool, main_answers: bool) -> Route:
    """What a compressor does after a failed call; a second failed call is assumed to fail in the same way.

    `own_model`: the summary has a model other than the main one; `main_answers`: that one would answer.
    """
    rules = _rules(release)
    nobody = _is_nobody(call, rules)
    second = own_model and not nobody
    if second and main_answers:
        return Route(2, True, 0, _if_known(False, rules["auth"]), _if_known(False, rules["network"]["words"]))
    pause = "no_provider" if nobody else "short" if _matches(call, rules["short"]) else "other"
    return Route(
        calls=2 if second else 1,
        summary=False,
        pause=int(rules["pauses"][pause]),
        auth=_if_known(call.status in rules["auth"], rules["auth"]),
        network=_if_known(_matches(call, rules["network"]), rules["network"]["words"]),
    )


def _if_known(value: bool, known: list[Any]) -> bool | None:
    return value if known else None


def _is_nobody(call: FailedCall, rules: Mapping[str, Any]) -> bool:
    """Whether no provider can be asked with these settings."""
    if call.exception != "RuntimeError":
        return False
    return rules["no_provider"] == "any" or rules["says_no_provider"] in call.message.lower()


def _matches(call: FailedCall, signs: Mapping[str, list[str]]) -> bool:
    return call.exception in signs["classes"] or any(word in call.message.lower() for word in signs["words"])


def _rules(release: str) -> dict[str, Any]:
    merged: dict[str, Any] = {}
    for since, rules in shared_table("core/compress/requests/failed_call.yaml").items():
        if version(since) <= version(release):
            merged |= rules
    return merged
