"""What a release's fallback takes from the turns it could not have summarised."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.compress.elide import elide
from core.compress.redact import redact_text
from core.compress.stubs import stub_line
from core.compress.turns import content_text, is_request
from core.hermes.policy import Policy
from core.model.message import Message

_TURN = 700
_MOST_FILES = 12
_MOST_NAMES = 6
_LAST_TURNS = 8
_LONG, _START, _END = 600, 420, 160
_BLOCKER = 500
_PATH = re.compile(r"(?:/|~/?|[A-Za-z]:\\)[^\s`'\")\]}<>]+")
_PATH_KEYS = frozenset({"path", "workdir", "file_path", "output_path"})
_TROUBLE = re.compile(r"\b(?:error|failed|exception|traceback|timeout|timed out|fatal)\b", re.IGNORECASE)


@dataclass(slots=True)
class Evidence:
    """Lists a fallback is made of, each in the order of the messages.

    Attributes:
        asks: What people asked.
        said: What assistants did or said; `results` what tools returned, one line each.
        files: Paths named in calls and texts.
        blockers: Tool texts that speak of failure.
        last: The newest turns as `ROLE: text`.
    """

    asks: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    results: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    blockers: list[str] = field(default_factory=list)
    last: list[str] = field(default_factory=list)


def evidence_of(turns: Sequence[Message], policy: Policy, cut_mark: str) -> Evidence:
    """Collect the lists.

    Args:
        turns: The messages that leave the list.
        policy: Decides how tool results are told and which user rows are requests.
        cut_mark: What ends a text that was cut, where the release does not count what it cut.
    """
    found = Evidence()
    calls: dict[str, tuple[str, str]] = {}
    for message in turns:
        for call in message.tool_calls if message.role == "assistant" else ():
            arguments = redact_text(call.arguments)
            calls[call.id] = (call.name or "unknown", arguments)
            _note_files(found.files, _paths_in(_decoded(arguments)))
    for message in turns:
        _read(message, found, calls, policy, cut_mark)
    return found


def _read(
    message: Message, found: Evidence, calls: dict[str, tuple[str, str]], policy: Policy, cut_mark: str
) -> None:
    text = _turn_text(message, policy, cut_mark)
    _note_files(found.files, (match.rstrip(".,:;") for match in _PATH.findall(text)))
    names = [call.name or "unknown" for call in message.tool_calls] if message.role == "assistant" else []
    real = message.role != "user" or not policy.tail.real_users or is_request(message.wire, policy)
    _note_turn(found.last, message.role.upper() if real else "INTERNAL CONTEXT", text, names)
    brief = f"{text[:_START].rstrip()} ... {text[-_END:].lstrip()}" if len(text) > _LONG else text
    if message.role == "user" and brief and real:
        found.asks.append(brief)
    elif names:
        found.said.append(f"Called tool(s): {', '.join(names[:_MOST_NAMES])}")
    elif message.role == "assistant" and brief:
        found.said.append(brief)
    elif message.role == "tool":
        name, arguments = calls.get(message.tool_call_id or "", ("unknown", ""))
        found.results.append(stub_line(name, arguments, brief, policy.prune.stubs))
        if _TROUBLE.search(brief):
            found.blockers.append(brief[:_BLOCKER])


def _turn_text(message: Message, policy: Policy, cut_mark: str) -> str:
    text = " ".join(redact_text(content_text(message.content)).split())
    if len(text) <= _TURN:
        return text
    if policy.summary.elision == "counted":
        return elide(text, _TURN)
    return text[: _TURN - len(cut_mark)].rstrip() + cut_mark


def _note_turn(last: list[str], label: str, text: str, names: Sequence[str]) -> None:
    called = f"tool calls: {', '.join(names[:_MOST_NAMES])}" if names else ""
    said = "; ".join(part for part in (called, text) if part).strip()
    if said:
        last.append(f"{label}: {said}")
        del last[:-_LAST_TURNS]


def _note_files(files: list[str], paths: Iterator[str]) -> None:
    for path in paths:
        name = path.strip()
        if name and name not in files and len(files) < _MOST_FILES:
            files.append(name)


def _paths_in(value: Any) -> Iterator[str]:
    """Paths of a call's arguments: named ones, and any inside other strings."""
    if isinstance(value, dict):
        for key, item in value.items():
            if key in _PATH_KEYS and isinstance(item, str):
                yield item
            yield from _paths_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from _paths_in(item)
    elif isinstance(value, str):
        yield from (match.rstrip(".,:;") for match in _PATH.findall(value))


def _decoded(arguments: str) -> Any:
    try:
        return json.loads(arguments)
    except (ValueError, RecursionError):
        return arguments
