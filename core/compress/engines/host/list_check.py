"""Whether a provider would accept a list that an engine returned, and what in it would trouble an agent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

_ROLES = ("system", "developer", "user", "assistant", "tool", "function")


def unusable(after: Any) -> str | None:
    """Why an answer is no list of messages at all; None when it is one."""
    if not isinstance(after, list):
        return f"it returned {_article(after)}, not a list of messages"
    for index, row in enumerate(after):
        if not isinstance(row, dict):
            return f"message {index} of its list is {_article(row)}"
        if row.get("role") not in _ROLES:
            return f"message {index} of its list has the role {row.get('role')!r}"
    if not after:
        return "it returned an empty list"
    return None


def orphans(rows: Sequence[dict[str, Any]]) -> int:
    """Tool results that answer no call before them."""
    return sum(text.startswith("{count} tool result") for text in _faults(rows))


def problems(before: Sequence[dict[str, Any]], after: Sequence[dict[str, Any]]) -> tuple[str, ...]:
    """What is wrong with a list, one clause each; faults that were there before do not count."""
    faults_before, faults_after = Counter(_faults(before)), Counter(_faults(after))
    return tuple(
        text.format(count=count, s="" if count == 1 else "s")
        for text, count in ((text, faults_after[text] - faults_before[text]) for text in faults_after)
        if count > 0
    )


def _faults(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    called: set[str] = set()
    results = {str(row.get("tool_call_id") or "") for row in rows if row.get("role") == "tool"}
    for index, row in enumerate(rows):
        role = row.get("role")
        if role == "tool":
            name = row.get("tool_call_id")
            if not name:
                yield "{count} tool result{s} without a tool_call_id"
            elif str(name) not in called:
                yield "{count} tool result{s} without a call"
        if role == "assistant":
            names = _call_ids(row)
            called |= names
            last = all(later.get("role") == "tool" for later in rows[index + 1 :])
            if names - results and not last:
                yield "{count} assistant message{s} with a call that has no result"
    if not any(row.get("role") == "user" for row in rows):
        yield "no user message is left"
    if not any(row.get("role") == "system" for row in rows):
        yield "the system message is gone"


def _call_ids(row: dict[str, Any]) -> set[str]:
    calls = row.get("tool_calls")
    if not isinstance(calls, list):
        return set()
    found = (call.get("call_id") or call.get("id") for call in calls if isinstance(call, dict))
    return {str(name) for name in found if name}


def _article(value: Any) -> str:
    name = "None" if value is None else type(value).__name__
    return name if value is None else f"a value of type {name}"
