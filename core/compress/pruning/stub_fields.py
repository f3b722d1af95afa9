"""The values that a one-line stub of a tool result can show, computed from the call and its result."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from core.compress.pruning.skills import mark
from core.compress.pruning.truncate import elide
from core.model.transcript.message import json_object

_EXIT = re.compile(r'"exit_code"\s*:\s*(-?\d+)')
_FAILURE = re.compile(r'"exit_code"\s*:\s*-?[1-9]|"error"\s*:\s*(?:"[^"]|\{)|"success"\s*:\s*false')
_MATCHES = re.compile(r'"total_count"\s*:\s*(\d+)')
_RELOAD_OVER = 5000
_REFUSAL_CAP = 199
_SILENT = (
    "The user did not provide a response",
    "[user did not respond",
    "[clarify prompt could not be delivered",
    "[oneshot mode:",
    "[single-query mode: no user available",
)
"""Notices that an old `clarify` stored as if they were the user's answer."""


@dataclass(frozen=True)
class StubSource:
    """One tool call and its result."""

    tool: str
    arguments: Mapping[str, Any]
    content: str
    unwraps_urls: bool = False

    @cached_property
    def payload(self) -> Mapping[str, Any]:
        """The result as a JSON object; empty if it is none."""
        return json_object(self.content) or {}

    def text(self, name: str, default: str = "") -> str:
        """An argument as text."""
        return _text(self.arguments, name, default)


def reports_failure(content: str) -> bool:
    """Whether a result, as its tool returned it, says in its JSON that the call failed."""
    return _FAILURE.search(content) is not None


def refusal(source: StubSource) -> str | None:
    """The line for a call that was blocked or still waits for approval; None when it ran."""
    outcome = _refusal_outcome(source)
    if outcome is None:
        return None
    target = source.text("command") or source.text("path")
    shown = target if len(target) <= 60 else target[:57] + "..."
    return f"[{source.tool}]{f' `{shown}`' if target else ''} {outcome}"[:_REFUSAL_CAP]


def _refusal_outcome(source: StubSource) -> str | None:
    status = source.payload.get("status")
    error = source.payload.get("error")
    error = error if isinstance(error, str) else ""
    if not error and source.content.lstrip().startswith("BLOCKED"):
        error = source.content.strip()
    if status == "pending_approval":
        return "awaiting the user's approval, not run"
    if not error or not (status == "blocked" or error.lstrip().startswith("BLOCKED")):
        return None
    refused = "; the user did NOT consent, do not retry or reach the same outcome another way"
    return "BLOCKED, not run" + (refused if "NOT consented" in error else "")


def _lines(source: StubSource) -> int:
    return source.content.count("\n") + 1 if source.content.strip() else 0


def _found(pattern: re.Pattern[str]) -> Callable[[StubSource], str]:
    def find(source: StubSource) -> str:
        match = pattern.search(source.content)
        return match[1] if match else "?"

    return find


def _written_lines(source: StubSource) -> int | str:
    return source.text("content").count("\n") + 1 if source.arguments.get("content") else "?"


def _address(source: StubSource) -> str:
    url, ref = source.arguments.get("url", ""), source.arguments.get("ref", "")
    return f" {url}" if url else f" ref={ref}" if ref else ""


def _first_url(source: StubSource) -> str:
    urls = source.arguments.get("urls", [])
    if not isinstance(urls, list) or not urls:
        return "?"
    first = urls[0]
    if source.unwraps_urls:
        first = first.get("url") or first.get("href") or "?" if isinstance(first, dict) else first
        first = first if isinstance(first, str) else "?"
    return f"{first} (+{len(urls) - 1} more)" if len(urls) > 1 else f"{first}"


def _first_args(source: StubSource) -> str:
    return "".join(f" {key}={str(value)[:40]}" for key, value in list(source.arguments.items())[:2])


def _failure(source: StubSource) -> str:
    error = source.payload.get("error")
    if not error and source.payload.get("success") is not False:
        return ""
    return _outcome(error, "FAILED")


def _outcome(reason: Any, label: str) -> str:
    shown = " ".join(str(reason).split())[:80] if reason else ""
    return f" {label}: {shown}" if shown else f" {label}"


def _job_outcome(source: StubSource) -> str:
    """The outcome of a manual run, which the job reports and the call does not."""
    failed = _failure(source)
    job = source.payload.get("job")
    if failed or not isinstance(job, dict):
        return failed
    error, skipped = job.get("execution_error"), job.get("execution_skipped")
    if error is not None or (skipped is None and job.get("execution_success") is False):
        return _outcome(error, "FAILED")
    return "" if skipped is None else _outcome(skipped, "SKIPPED")


def _process_outcome(source: StubSource) -> str:
    """How the process ended; being killed by the agent is no failure."""
    failed = _failure(source)
    code = source.payload.get("exit_code")
    if failed or not isinstance(code, int) or isinstance(code, bool) or code == 0:
        return failed
    killed = source.payload.get("completion_reason") == "killed"
    return "" if killed else _outcome(f"exit code {code}", "FAILED")


def _reload(source: StubSource) -> str:
    if len(source.content) <= _RELOAD_OVER:
        return ""
    return f" {mark(source.arguments.get('name', '?'))}"


def _category(source: StubSource) -> str:
    category = source.text("category")
    return f" category={category}" if category else ""


def _listed(source: StubSource) -> str:
    count = source.payload.get("count")
    return f" {count} skills" if isinstance(count, int) else ""


def _operations(source: StubSource) -> str:
    operations = source.arguments.get("operations")
    if not isinstance(operations, list) or not operations:
        return f"{source.text('action', '?')} {source.text('name', '?')}"
    shown = [
        f"{_text(entry, 'action', '?')} {_text(entry, 'name', '?')}"
        for entry in operations
        if isinstance(entry, dict)
    ]
    more = f" (+{len(operations) - 3} more)" if len(operations) > 3 else ""
    return "; ".join(shown[:3]) + more


def _text(values: Mapping[str, Any], name: str, default: str) -> str:
    value = values.get(name, default)
    return value if isinstance(value, str) else default if value is None else str(value)


def _answers(source: StubSource) -> str:
    """What the user answered, short enough that no later pruning shortens it again."""
    answers = [answer for answer in _responses(source.payload) if isinstance(answer, str) and answer]
    if not answers:
        return "[clarify] asked user a question"
    shown = json.dumps(answers[0] if len(answers) == 1 else answers, ensure_ascii=False)
    safe = shown.encode("utf-8", errors="backslashreplace").decode("utf-8")
    return elide(f"[clarify] user responded: {safe}", _REFUSAL_CAP)


def _responses(payload: Mapping[str, Any]) -> list[Any]:
    responses = payload.get("responses")
    if not isinstance(responses, list):
        responses = [payload] if "user_response" in payload else []
    answers: list[Any] = []
    for entry in responses:
        if isinstance(entry, dict) and _is_answered(entry):
            value = entry.get("user_response")
            values = value if isinstance(value, list) else [value]
            answers += values if "status" in entry else [one for one in values if not _silent(one)]
    return answers


def _is_answered(entry: Mapping[str, Any]) -> bool:
    return entry.get("status") == "answered" or ("status" not in entry and "user_response" in entry)


def _silent(answer: Any) -> bool:
    return isinstance(answer, str) and answer.strip().startswith(_SILENT)


FIELDS: Mapping[str, Callable[[StubSource], Any]] = {
    "tool": lambda source: source.tool,
    "chars": lambda source: len(source.content),
    "lines": _lines,
    "exit_code": _found(_EXIT),
    "matches": _found(_MATCHES),
    "written_lines": _written_lines,
    "address": _address,
    "first_url": _first_url,
    "first_args": _first_args,
    "failure": _failure,
    "job_outcome": _job_outcome,
    "process_outcome": _process_outcome,
    "reload": _reload,
    "category": _category,
    "listed": _listed,
    "operations": _operations,
    "answers": _answers,
}
"""Computed values by their name in `stubs.yaml`."""
