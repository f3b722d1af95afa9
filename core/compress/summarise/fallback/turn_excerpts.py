"""Excerpts that a release's fallback takes from the turns it replaces."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

from core.compress.messages.kinds import content_text, is_request
from core.compress.pruning.stubs import stub_line
from core.compress.pruning.truncate import elide
from core.hermes.policy.policy import Policy
from core.model.transcript.message import Message, ToolCall
from core.redact.text import redact_text

MAX_ACTIONS, MAX_BLOCKERS, MAX_FILES, MAX_TURNS = 12, 5, 12, 8
_TURN = 700
_MAX_NAMES = 6
_MAX_CHARS, _START_CHARS, _END_CHARS = 600, 420, 160
_BLOCKER = 500
_PATH = re.compile(r"(?:/|~/?|[A-Za-z]:\\)[^\s`'\")\]}<>]+")
_PATH_KEYS = frozenset({"path", "workdir", "file_path", "output_path"})
_MAY_BE_PATH = re.compile(r"[/~]|:\\")
_MAY_NAME_PATH = re.compile(r"[/~]|:\\|path|workdir|\\u")
_TROUBLE = re.compile(r"\b(?:error|failed|exception|traceback|timeout|timed out|fatal)\b", re.IGNORECASE)
_MAY_BE_TROUBLE = re.compile(r"error|failed|exception|traceback|timeout|timed\s|fatal", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Evidence:
    """The lists a fallback is built from, in message order and cut to what it shows.

    Attributes:
        asked: The newest user request; None without one.
        actions: What assistants did or said, then what tools returned, one line each.
        files: Paths named in calls and texts.
        blockers: Tool texts that mention a failure.
        last: The newest turns as `ROLE: text`.
    """

    asked: str | None
    actions: tuple[str, ...]
    files: tuple[str, ...]
    blockers: tuple[str, ...]
    last: tuple[str, ...]


def evidence_of(turns: Sequence[Message], policy: Policy, cut_mark: str) -> Evidence:
    """Collect the lists, reading and redacting only messages that may end up in one.

    `cut_mark` ends a text that was cut, for releases that do not count what they cut.
    """
    reading = _Reading(turns, policy, cut_mark)
    newest = islice(filter(None, map(reading.turn, reversed(turns))), MAX_TURNS)
    return Evidence(
        asked=next(filter(None, map(reading.ask, reversed(turns))), None),
        actions=tuple(islice(chain(reading.excerpts(), reading.results()), MAX_ACTIONS)),
        files=_first(chain(reading.paths_of_calls(), reading.paths_of_texts()), MAX_FILES),
        blockers=_first(reading.blockers(), MAX_BLOCKERS),
        last=tuple(newest)[::-1],
    )


class _Reading:
    """The turns of a middle, each redacted on first use."""

    def __init__(self, turns: Sequence[Message], policy: Policy, cut_mark: str) -> None:
        self._turns = turns
        self._policy = policy
        self._cut_mark = cut_mark
        self._texts: dict[int, str] = {}

    def ask(self, message: Message) -> str:
        """The text of a request; "" for any other message."""
        return self._brief(message) if message.role == "user" and self._real(message) else ""

    def turn(self, message: Message) -> str:
        """A message as `ROLE: text`; "" if it has neither text nor calls."""
        names = _names(message)
        called = f"tool calls: {', '.join(names[:_MAX_NAMES])}" if names else ""
        excerpt = "; ".join(part for part in (called, self._text(message)) if part).strip()
        label = message.role.upper() if self._real(message) else "INTERNAL CONTEXT"
        return f"{label}: {excerpt}" if excerpt else ""

    def excerpts(self) -> Iterator[str]:
        """What assistants called, or said if they called nothing."""
        for message in self._turns:
            if message.role != "assistant":
                continue
            names = _names(message)
            line = f"Called tool(s): {', '.join(names[:_MAX_NAMES])}" if names else self._brief(message)
            if line:
                yield line

    def results(self) -> Iterator[str]:
        """What tools returned, as the release describes it."""
        calls = {call.id: call for message in self._turns for call in _calls(message)}
        for message in self._turns:
            if message.role == "tool":
                call = calls.get(message.tool_call_id or "")
                name = (call.name or "unknown") if call else "unknown"
                arguments = redact_text(call.arguments) if call else ""
                yield stub_line(name, arguments, self._brief(message), self._policy.prune.stubs)

    def blockers(self) -> Iterator[str]:
        """Tool texts that mention a failure; redaction never adds one, so raw text is filtered first."""
        for message in self._turns:
            if message.role == "tool" and _MAY_BE_TROUBLE.search(content_text(message.content)):
                brief = self._brief(message)
                if _TROUBLE.search(brief):
                    yield brief[:_BLOCKER]

    def paths_of_calls(self) -> Iterator[str]:
        """Paths in the arguments of calls."""
        for message in self._turns:
            for call in _calls(message):
                if _MAY_NAME_PATH.search(call.arguments):
                    yield from _paths_in(_decoded(redact_text(call.arguments)))

    def paths_of_texts(self) -> Iterator[str]:
        """Paths in texts; redaction adds none, so a text without a path separator is skipped."""
        for message in self._turns:
            if _MAY_BE_PATH.search(content_text(message.content)):
                yield from (match.rstrip(".,:;") for match in _PATH.findall(self._text(message)))

    def _real(self, message: Message) -> bool:
        must_be_real = message.role == "user" and self._policy.tail.real_users
        return not must_be_real or is_request(message.wire, self._policy)

    def _brief(self, message: Message) -> str:
        text = self._text(message)
        return (
            f"{text[:_START_CHARS].rstrip()} ... {text[-_END_CHARS:].lstrip()}"
            if len(text) > _MAX_CHARS
            else text
        )

    def _text(self, message: Message) -> str:
        if id(message) not in self._texts:
            self._texts[id(message)] = _turn_text(message, self._policy, self._cut_mark)
        return self._texts[id(message)]


def _turn_text(message: Message, policy: Policy, cut_mark: str) -> str:
    text = " ".join(redact_text(content_text(message.content)).split())
    if len(text) <= _TURN:
        return text
    if policy.summary.elision == "counted":
        return elide(text, _TURN)
    return text[: _TURN - len(cut_mark)].rstrip() + cut_mark


def _calls(message: Message) -> Sequence[ToolCall]:
    return message.tool_calls if message.role == "assistant" else ()


def _names(message: Message) -> list[str]:
    return [call.name or "unknown" for call in _calls(message)]


def _first(texts: Iterable[str], limit: int) -> tuple[str, ...]:
    """The first distinct non-empty texts."""
    found: dict[str, None] = {}
    for text in texts:
        if text.strip():
            found[text.strip()] = None
        if len(found) == limit:
            break
    return tuple(found)


def _paths_in(value: Any) -> Iterator[str]:
    """Paths in a call's arguments: under path keys, and anywhere in other strings."""
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
