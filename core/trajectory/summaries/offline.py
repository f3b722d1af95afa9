"""Summaries without a model: a given text, facts of the turns, or the number of turns."""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from json import JSONDecoder
from typing import Any

import msgspec

from core.compress.facts.readable import ends
from core.compress.summarise.base import SummaryFailure, SummaryRequest
from core.hermes.policy.policy import load_policy, newest_release
from core.model.compaction.plan import Span
from core.model.transcript.message import Message
from core.trajectory.compress.plan import Settings
from core.trajectory.entries.forms import Turn
from core.trajectory.summaries.base import FILE, STATIC, SummaryMissing, SummarySpec, Written

_ROLES = {"human": "user", "gpt": "assistant", "tool": "tool", "system": "system"}
_CALL = "<tool_call>", "</tool_call>"
_RESULT = "<tool_response>", "</tool_response>"

_NAMED = re.compile(r"^([\w.:-]{1,64})\n(?=\{)", re.MULTILINE)
_JSON = JSONDecoder()

_TURNS = 60
"""How many turns of a region are read for a summary: its first and last ones."""

_READ = {"user": 750, "assistant": 200, "tool": 80}
"""Characters read of a turn: a little of many turns says more than much of a few, and costs less."""

_ARGUMENT = 200
"""Characters read of a call's argument."""

Write = Callable[[Sequence[Turn], Span], Written]


def offline_writer(spec: SummarySpec, settings: Settings) -> Write:
    """A function that writes the summary of a region."""
    if spec.kind == FILE:
        return lambda turns, region: Written(spec.text)
    if spec.kind == STATIC:
        return lambda turns, region: Written(counted(turns, region))
    from core.compress.summarise.extract.summariser import ExtractiveSummariser  # which others do without

    summariser = ExtractiveSummariser(limits=_READ)
    headings = load_policy(settings.release or newest_release()).summary.headings

    def write(turns: Sequence[Turn], region: Span) -> Written:
        request = SummaryRequest(
            turns=_glance(turns, region), budget=settings.summary_target, headings=headings
        )
        try:
            return Written(summariser.summarise(request).body)
        except SummaryFailure as failure:
            raise SummaryMissing(failure, 0) from failure

    return write


def counted(turns: Sequence[Turn], region: Span) -> str:
    """The number of turns in a region by role: all that can be said without reading them."""
    roles = Counter(turn.role or "unnamed" for turn in turns[region.start : region.end])
    counts = ", ".join(f"{count} {role}" for role, count in roles.items())
    return f"{region.size} turns were left out here to save room ({counts}); nobody summarised them."


def messages(turns: Sequence[Turn], region: Span) -> list[Message]:
    """The turns of a region as messages, with calls and results separated from text."""
    return _paired((at, turns[at]) for at in range(region.start, region.end))


def _glance(turns: Sequence[Turn], region: Span) -> tuple[Message, ...]:
    """Messages sufficient for a summary: the first and last turns, with long call arguments shortened."""
    places = list(range(region.start, region.end))
    if len(places) > _TURNS:
        places = [*places[: _TURNS // 2], *places[-_TURNS // 2 :]]
    return tuple(_paired(((at, turns[at]) for at in places), _ARGUMENT))


def _paired(chosen: Iterable[tuple[int, Turn]], argument: int | None = None) -> list[Message]:
    """Messages in order; the tool turns after a turn with calls answer its calls one by one."""
    found: list[Message] = []
    open_calls: deque[str] = deque()
    for at, turn in chosen:
        role = _ROLES.get(turn.role, "user")
        answers = open_calls.popleft() if role == "tool" and open_calls else ""
        found.append(_message(at, turn, role, answers, argument))
        if role != "tool":
            open_calls = deque(call["id"] for call in found[-1].wire.get("tool_calls", ()))
    return found


def _message(at: int, turn: Turn, role: str, answers: str, argument: int | None) -> Message:
    if role == "tool":
        result = {"role": role, "content": _between(turn.text, *_RESULT)}
        return Message({**result, "tool_call_id": answers} if answers else result)
    if role != "assistant":
        return Message({"role": role, "content": turn.text})
    content, found = _tagged(turn.text) if _CALL[0] in turn.text else _untagged(turn.text)
    if not found:
        return Message({"role": role, "content": turn.text})
    calls = [_call(call, f"turn{at}-{place}", argument) for place, call in enumerate(found)]
    return Message({"role": role, "content": content.strip(), "tool_calls": calls})


def _tagged(text: str) -> tuple[str, list[Any]]:
    """The text of a turn of ShareGPT, and its calls."""
    text, *rest = text.split(_CALL[0])
    parts = [one.partition(_CALL[1]) for one in rest]
    return "".join([text, *(after for _, _, after in parts)]), [_decoded(call) for call, _, _ in parts]


def _untagged(text: str) -> tuple[str, list[Any]]:
    """The text of a turn of OpenAI's form, and its calls: each a line with a name, then a JSON object."""
    found: list[Any] = []
    rest, at = [], 0
    for named in _NAMED.finditer(text):
        try:
            arguments, end = _JSON.raw_decode(text, named.end())
        except (ValueError, RecursionError):
            continue
        if named.start() >= at and text[end : end + 1] in ("", "\n"):
            found.append({"name": named[1], "arguments": arguments})
            rest.append(text[at : named.start()])
            at = end + 1
    return "".join([*rest, text[at:]]), found


def _between(text: str, opening: str, closing: str) -> str:
    return text.strip().removeprefix(opening).removesuffix(closing).strip()


def _decoded(text: str) -> Any:
    try:
        call = msgspec.json.decode(text)
    except (ValueError, RecursionError):
        call = None
    return {"arguments": text, **call} if isinstance(call, dict) else {"arguments": text}


def _call(call: Mapping[str, Any], name: str, longest: int | None) -> dict[str, object]:
    arguments = call["arguments"]
    if longest is not None:
        arguments = _shortened(arguments, longest)
    spelt = arguments if isinstance(arguments, str) else msgspec.json.encode(arguments).decode()
    return {"id": name, "function": {"name": str(call.get("name", "")), "arguments": spelt}}


def _shortened(value: Any, longest: int) -> Any:
    """A call's arguments with long texts reduced to their ends."""
    if isinstance(value, dict):
        return {key: _shortened(one, longest) for key, one in value.items()}
    return ends(value, longest) if isinstance(value, str) else value
