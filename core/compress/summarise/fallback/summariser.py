"""The summary a release writes itself when no model answers.

Up to 0.15 it is one sentence with a count; from 0.16 on it has the sections of a summary, filled from turns
by rule: the newest request, at most twelve actions, five failures, twelve files and the last eight turns, cut
at 8,000 characters including the prefix. From 0.22 a part of the previous summary follows the goal.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from core.compress.pruning.truncate import elide
from core.compress.summarise.base import (
    Cancelled,
    OfflineSummariser,
    SummaryRequest,
    SummaryResult,
    SummaryStatus,
    heading_line,
)
from core.compress.summarise.extract.sections import kind_of
from core.compress.summarise.fallback.turn_excerpts import Evidence, evidence_of
from core.hermes.markers.wording import release_wording
from core.hermes.policy.policy import Policy
from core.model.transcript.message import Message
from core.redact.text import redact_text
from core.support.program_files import load_table

_REPEATING = ("in_progress", "pending")
_STRUCTURED = "structured"


def fallback(
    turns: Sequence[Message],
    policy: Policy,
    *,
    previous: str | None = None,
    reason: str | None = None,
    prefix_length: int = 0,
) -> str:
    """The body of the summary that a release writes without a model, for a reason.

    `prefix_length` are the characters of the prefix, which count towards the release's cap.
    """
    texts = _texts()
    if policy.failure.fallback != _STRUCTURED:
        reason_text = redact_text((reason or "").strip()) or texts["no_reason"]
        return str(texts[policy.failure.fallback]).format(count=len(turns), reason=reason_text)
    evidence = evidence_of(turns, policy, texts["turn_truncated"])
    body = redact_text("\n\n".join(_blocks(len(turns), evidence, policy, previous, reason)))
    return _capped(body, policy, prefix_length)


def _blocks(
    count: int, evidence: Evidence, policy: Policy, previous: str | None, reason: str | None
) -> Iterable[str]:
    texts = _texts()
    headings = {kind_of(heading): heading for heading in reversed(policy.summary.headings)}
    task_heading = heading_line(headings.get("task", ""))
    values = {**_values(count, evidence, policy, reason), "task_heading": task_heading}
    for heading in policy.summary.headings:
        kind = kind_of(heading)
        template = texts["sections"].get(kind)
        if template is None:
            continue
        if kind == "context":
            yield f"{heading_line(texts['dropped_heading'])}\n{_bullets(evidence.last)}"
        if kind in _REPEATING and policy.failure.repeats_ask:
            template = "{task}"
        yield f"{heading_line(heading)}\n{template.format(**values)}"
        if kind == "goal" and previous and previous.strip():
            yield _previous(previous, policy)


def no_user_line() -> str:
    """The text a release writes for the task if there is no user message (0.22)."""
    return str(_texts()["no_user"])


def _values(count: int, evidence: Evidence, policy: Policy, reason: str | None) -> Mapping[str, Any]:
    texts = _texts()
    completed = "\n".join(f"{number}. {action}" for number, action in enumerate(evidence.actions, 1))
    unknown = no_user_line() if policy.failure.snapshot else texts["unknown_task"]
    return {
        "count": count,
        "task": texts["asked"].format(ask=repr(evidence.asked)) if evidence.asked else unknown,
        "completed": completed or texts["none_completed"],
        "blocked": _bullets(evidence.blockers),
        "files": _bullets(evidence.files),
        "reason": texts["reason"].format(reason=reason) if reason else "",
    }


def _previous(previous: str, policy: Policy) -> str:
    """The block for the previous summary: a mention, or from 0.22 on a part of it."""
    texts = _texts()
    note = str(texts["previous_note"])
    if not policy.failure.snapshot:
        return note
    kept = elide(redact_text(previous.strip()), policy.failure.snapshot)
    return f"{heading_line(texts['previous_heading'])}\n{kept}\n\n{note}"


def _capped(body: str, policy: Policy, prefix_length: int) -> str:
    room = max(0, policy.failure.cap - prefix_length)
    if len(body) <= room:
        return body
    if policy.summary.elision == "counted":
        return elide(body, room)
    mark = f"\n{_texts()['truncated']}"
    # The releases leave 42 characters for the mark and its line break, more than it needs.
    return body[: max(0, room - 42)].rstrip() + mark


def _bullets(items: Sequence[str]) -> str:
    unique = dict.fromkeys(item.strip() for item in items if item.strip())
    return "\n".join(f"- {item}" for item in unique) or str(_texts()["nothing"])


@cache
def _texts() -> Mapping[str, Any]:
    texts: Mapping[str, Any] = load_table("core/compress/summarise/fallback/fallback.yaml")
    return texts


class StaticSummariser(OfflineSummariser):
    """Writes the fallback that a release uses when no model answers, for a reason it names.

    `prefix_length` are the characters of the prefix the summary will get, by default of the release's own.
    """

    name = "static"

    def __init__(
        self, policy: Policy, *, reason: str | None = None, prefix_length: int | None = None
    ) -> None:
        self._policy = policy
        self._reason = reason
        theirs = release_wording(policy.summary.reads_as).handoff
        self._prefix_length = len(theirs) if prefix_length is None else prefix_length

    def _written(self, request: SummaryRequest, cancelled: Cancelled | None) -> SummaryResult:
        body = fallback(
            request.turns,
            self._policy,
            previous=request.previous_summary,
            reason=self._reason,
            prefix_length=self._prefix_length,
        )
        return SummaryResult(body, SummaryStatus.FALLBACK)
