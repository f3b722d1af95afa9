"""Messages prepared for reading: their readable text, their calls, and what these were about."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from string import ascii_letters, digits
from types import MappingProxyType
from typing import Any

from core.compress.facts.lexicon import lexicon
from core.compress.facts.said import (
    is_command,
    without_additions,
    without_colours,
    without_handoff,
)
from core.compress.facts.values import error_lines
from core.hermes.markers.markers import PREFILTERS, find_summary, scaffold_kind
from core.model.transcript.message import Message, ToolCall, json_object

HEAD, TAIL, _MOST_CHARS = 4000, 1500, {"user": 20_000, "assistant": 12_000}
"""Characters read at the start and end of a long text, as Hermes shows them to its summariser; and of what
people say, whose rules may be anywhere in a long request.
"""

_MAX_CHARS, _MIN_MESSAGE_CHARS = 1_500_000, 400
"""Characters read of a whole middle, and the least of each message; reading so takes under half a second."""

_MAX_TARGET_CHARS = 200
_OF_A_WORD = f"{ascii_letters}{digits}_-+/=.~"
_PATCHED = re.compile(r"\*\*\* (?:Add|Update|Delete) File: ([^\n\\]+)")
_FENCED = re.compile(r"```[\w-]*\n(?P<command>.+?)\n?```", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call.

    Attributes:
        target: What it was about: a command, a path, a query and its place; "" when the arguments do not say.
        command: The command line it ran, if any.
        path: The file it named, if any.
        strings: Every string in the arguments, for scanning.
    """

    id: str
    name: str
    target: str
    command: str | None
    path: str | None
    strings: str


@dataclass(frozen=True, slots=True)
class View:
    """One message of a middle.

    Attributes:
        index: Its position in the list it came from.
        role: Its role; `tool` also for output that a program without tool messages wrote as a user message.
        text: Its readable text; of a long one, both ends.
        calls: The calls an assistant made.
        answers: The call that a tool message answers, if that is in the same middle.
        request: Whether it is a person's request, not a summary or a note by Hermes.
        earlier: Whether it is an earlier summary, which is about everything before it.
        errors: Lines of a tool result that report a failure.
    """

    index: int
    role: str
    text: str
    calls: tuple[Call, ...] = ()
    answers: Call | None = None
    request: bool = False
    errors: tuple[str, ...] = ()
    earlier: bool = False


Clean = Callable[[Sequence[str]], list[str]]
"""Removes from texts what must not be read: credentials."""


def fair_limit(lengths: Sequence[int], total: int) -> int:
    """The most characters each text may have so that their sum is at most `total`; short ones stay whole."""
    left, ordered = total, sorted(lengths)
    for at, length in enumerate(ordered):
        share = left // (len(ordered) - at)
        if length > share:
            return share
        left -= length
    return ordered[-1] if ordered else total


def views(
    messages: Sequence[Message],
    offset: int = 0,
    clean: Clean = list,
    limits: Mapping[str, int] = MappingProxyType({}),
) -> list[View]:
    """Read a middle; of long texts only the ends, and less of each when there is too much to read in time.

    Args:
        messages: The middle.
        offset: Index of its first message in the whole list.
        clean: Applied to every text before anything is taken from it.
        limits: Characters to read of a message, by role, where that is less.
    """
    known: dict[str, Call] = {}
    failures: dict[str, tuple[str, ...]] = {}
    result: list[View] = []
    for at, (role, text, calls) in enumerate(_cleaned(messages, clean, limits)):
        if role == "user" and result and is_output(text, result[-1].role):
            result[-1:] = _observed(result[-1], View(offset + at, "tool", text, errors=_failures(text)))
            continue
        known.update((call.id, call) for call in calls)
        answers: Call | None = None
        errors: tuple[str, ...] = ()
        if role == "tool":
            answers = known.get(messages[at].tool_call_id or "")
            errors = failures[text] if text in failures else failures.setdefault(text, _failures(text))
        if role == "user" and at and messages[at - 1].role == "user" and is_command(messages[at - 1].text):
            role = "tool"
        earlier = role != "tool" and find_summary(messages[at].text) is not None
        request = role == "user" and not earlier and _is_request(text)
        result.append(View(offset + at, role, text, calls, answers, request, errors, earlier))
    return result


def _cleaned(
    messages: Sequence[Message], clean: Clean, limits: Mapping[str, int]
) -> Iterator[tuple[str, str, tuple[Call, ...]]]:
    """The role, readable text and calls of each message, cleaned in one go."""
    fair = max(_MIN_MESSAGE_CHARS, fair_limit([len(message.text) for message in messages], _MAX_CHARS))
    both = [(message, message.role) for message in messages]
    most = {role: min(_MOST_CHARS.get(role, HEAD + TAIL), fair, limits.get(role, fair)) for _, role in both}
    texts = [_readable(message, role, clean, most[role]) for message, role in both]
    made = [message.tool_calls if role == "assistant" else () for message, role in both]
    cleaned = iter(clean([*texts, *(call.arguments for calls in made for call in calls)]))
    texts = list(islice(cleaned, len(texts)))
    for (_, role), text, calls in zip(both, texts, made, strict=True):
        yield role, text, tuple(_call(call, next(cleaned)) for call in calls)


def is_output(text: str, before: str | None) -> bool:
    """Whether a user row holds the output of a command.

    Args:
        text: The row.
        before: Role of the row before it; only an assistant can have run the command.
    """
    return before == "assistant" and bool(lexicon().observed.search(text))


def _observed(call_view: View, output: View) -> tuple[View, View]:
    """Turn a command in an assistant's text, and the row with its output, into a call and a result."""
    fences = _FENCED.findall(call_view.text)
    if call_view.calls or not fences:
        return call_view, output
    command = one_line(fences[-1].strip().split("\n", 1)[0], _MAX_TARGET_CHARS)
    call = Call(f"text-{call_view.index}", "shell", command, command, None, fences[-1][: HEAD + TAIL])
    return replace(call_view, calls=(call,)), replace(output, answers=call)


def _failures(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(error_lines(text)))


def _readable(message: Message, role: str, clean: Clean, most: int) -> str:
    """The text of a message for reading: the strings of a JSON result, both ends of a long text."""
    text = message.text if role == "tool" else _without_prefix(message.text)
    text = without_colours(text) if role == "tool" else text
    if role == "tool" and text[:1] in ("{", "[") and text.rstrip()[-1:] in ("}", "]"):
        text = decoded(text)
    elif role == "user" or (role == "assistant" and "[[" in text):
        text = without_additions(text)
    if "PRIVATE KEY" in text:
        text = clean([text])[0]  # before it is cut, as half a key block is not recognised
    return ends(text, most)


def _without_prefix(text: str) -> str:
    """A message without what a release adds around a summary, which is not about the work."""
    match = find_summary(text)
    if match is None:
        return text
    return "\n".join(part for part in (match.before, without_handoff(match.body), match.after) if part)


def ends(text: str, limit: int = HEAD + TAIL) -> str:
    """The start and end of a long text, cut between words where possible.

    Otherwise the incomplete words are removed, as half a credential is not recognised.
    """
    if len(text) <= limit:
        return text
    head, tail = limit * HEAD // (HEAD + TAIL), limit * TAIL // (HEAD + TAIL)
    stop = max(text.rfind(" ", head // 2, head), text.rfind("\n", head // 2, head))
    start = text.find(" ", len(text) - tail, len(text) - tail // 2)
    first = text[:stop] if stop > 0 else text[:head].rstrip(_OF_A_WORD)
    last = text[start:] if start > 0 else text[len(text) - tail :].lstrip(_OF_A_WORD)
    return f"{first}\n{last.lstrip()}"


def one_line(text: str, limit: int) -> str:
    """A text on one line of at most `limit` characters, cut at a word with an ellipsis."""
    line = " ".join(text[: limit * 4].split())
    if len(line) <= limit:
        return line
    cut = line.rfind(" ", limit * 2 // 3, limit)
    return line[: cut if cut > 0 else limit - 1].rstrip() + "…"


def request_words(text: str) -> str:
    """A person's words in a user row; "" when a client or Hermes itself wrote it."""
    words = without_additions(text)
    return words if _is_request(words) else ""


def _is_request(text: str) -> bool:
    if not text.strip() or scaffold_kind(text) or lexicon().injected.match(text):
        return False
    return not text.lstrip().startswith(PREFILTERS)


def decoded(text: str) -> str:
    """The values of a JSON result, one a line, with their names where the value is short."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return "\n".join(_lines(data)) if isinstance(data, dict | list) else text


def _lines(data: Any, name: str = "", depth: int = 0) -> Iterator[str]:
    if depth > 6:
        return
    if isinstance(data, str):
        long = ("\n" in data or len(data) > 200) and name != "error"
        yield data if long or not name else f"{name}: {data}"
    elif isinstance(data, Mapping):
        for key, value in data.items():
            yield from _lines(value, str(key), depth + 1)
    elif isinstance(data, list):
        for value in data:
            yield from _lines(value, name, depth + 1)
    elif data is not None:
        yield f"{name}: {json.dumps(data)}"


_SHELLS = frozenset(("bash", "sh", "zsh"))
"""What runs the last of its arguments."""


def _call(call: ToolCall, raw: str) -> Call:
    arguments = json_object(raw) or {}
    plain = {re.sub("[_-]", "", key).lower(): value for key, value in arguments.items()}
    words = lexicon()
    command = _first(plain, words.command_keys)
    path = _first(plain, words.path_keys) or _patched(raw)
    searched = _first(plain, words.search_keys)
    target = command or (f"{searched} in {path}" if searched and path else path)
    target = target or _first(plain, words.subject_keys) or _pairs(arguments)
    return Call(
        id=call.id,
        name=call.name,
        target=one_line(target, _MAX_TARGET_CHARS),
        command=one_line(command, _MAX_TARGET_CHARS) if command else None,
        path=path,
        strings="\n".join(_lines(arguments))[: HEAD + TAIL] if arguments else raw[:HEAD],
    )


def _patched(raw: str) -> str | None:
    """The first file of a patch that names its files itself."""
    found = _PATCHED.search(raw) if "*** " in raw else None
    return found[1].strip() if found else None


def _first(arguments: Mapping[str, Any], keys: Sequence[str]) -> str | None:
    """The first text given under one of some keys; of a list its first, or what a shell runs."""
    for key in filter(arguments.__contains__, keys):
        value = arguments[key]
        if isinstance(value, list) and value and isinstance(value[0], str):
            value = value[-1] if value[0].rpartition("/")[2] in _SHELLS else value[0]
        if isinstance(value, str) and value.strip():
            return value.strip()
    return None


def _pairs(arguments: Mapping[str, Any]) -> str:
    """The first few short arguments as `name=value`."""
    short = (one for one in arguments.items() if isinstance(one[1], str | int | float) and one[1] != "")
    return ", ".join(f"{key}={one_line(str(value), 60)}" for key, value in islice(short, 4))
