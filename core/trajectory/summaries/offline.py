"""Summaries that ask nobody: a given text, facts of the turns, or how many turns there were."""

from __future__ import annotations

import json
import re
from collections import Counter, deque
from collections.abc import Callable, Sequence

from core.compress.summarise.base import SummaryFailure, SummaryRequest
from core.compress.summarise.extract.summariser import ExtractiveSummariser
from core.hermes.policy.policy import load_policy, newest_release
from core.model.transcript.message import Message
from core.trajectory.compress.settings import Settings
from core.trajectory.entries.forms import Region, Turn
from core.trajectory.summaries.base import FILE, STATIC, SummaryMissing, SummarySpec, Written, excerpt

_ROLES = {"human": "user", "gpt": "assistant", "tool": "tool", "system": "system"}
_CALL = re.compile(r"<tool_call>\s*(\{.*?\})\s*</tool_call>", re.DOTALL)
_RESULT = re.compile(r"\A\s*<tool_response>\s*(.*?)\s*(?:</tool_response>\s*)?\Z", re.DOTALL)

_TURNS = 60
"""Turns of a region that are read for a summary: its first and its last."""

Write = Callable[[Sequence[Turn], Region], Written]


def offline_writer(spec: SummarySpec, settings: Settings) -> Write:
    """A function that writes the summary of a region.

    Args:
        spec: A kind that asks nobody.
        settings: Release and size of the summary.
    """
    if spec.kind == FILE:
        return lambda turns, region: Written(spec.text)
    if spec.kind == STATIC:
        return lambda turns, region: Written(counted(turns, region))
    summariser = ExtractiveSummariser()
    headings = load_policy(settings.release or newest_release()).summary.headings

    def write(turns: Sequence[Turn], region: Region) -> Written:
        request = SummaryRequest(
            turns=tuple(messages(turns, region)), budget=settings.summary_target, headings=headings
        )
        try:
            return Written(summariser.summarise(request).body)
        except SummaryFailure as failure:
            raise SummaryMissing(failure, 0) from failure

    return write


def counted(turns: Sequence[Turn], region: Region) -> str:
    """What stood in a region, by role: all that can be said without reading it."""
    roles = Counter(turn.role or "unnamed" for turn in turns[region.start : region.end])
    counts = ", ".join(f"{count} {role}" for role, count in roles.items())
    return f"{region.size} turns were left out here to save room ({counts}); nobody summarised them."


def messages(turns: Sequence[Turn], region: Region, *, whole: bool = False) -> list[Message]:
    """The turns of a region as messages, calls and results told apart from what was said.

    Args:
        turns: All of them.
        region: Those that are wanted.
        whole: Every turn in full, for reading; else what suffices for a summary.
    """
    if whole:
        return _paired([(at, turns[at]) for at in range(region.start, region.end)])
    chosen = excerpt(turns, region)
    if len(chosen) > _TURNS:
        chosen = [*chosen[: _TURNS // 2], *chosen[-_TURNS // 2 :]]
    return _paired(chosen)


def _paired(chosen: Sequence[tuple[int, Turn]]) -> list[Message]:
    """Messages in order; the tool turns behind a turn that called answer its calls one after the other."""
    found: list[Message] = []
    open_calls: deque[str] = deque()
    for at, turn in chosen:
        role = _ROLES.get(turn.role, "user")
        found.append(_message(at, turn, role, open_calls.popleft() if role == "tool" and open_calls else ""))
        if role != "tool":
            open_calls = deque(call.id for call in found[-1].tool_calls)
    return found


def _message(at: int, turn: Turn, role: str, answers: str) -> Message:
    if role == "tool":
        result = _RESULT.match(turn.text)
        content = {"role": role, "content": result[1] if result else turn.text}
        return Message({**content, "tool_call_id": answers} if answers else content)
    calls = _CALL.findall(turn.text) if role == "assistant" else []
    if not calls:
        return Message({"role": role, "content": turn.text})
    found = [_call(text, f"turn{at}-{place}") for place, text in enumerate(calls)]
    return Message({"role": role, "content": _CALL.sub("", turn.text).strip(), "tool_calls": found})


def _call(text: str, name: str) -> dict[str, object]:
    try:
        call = json.loads(text)
    except (ValueError, RecursionError):
        call = {}
    call = call if isinstance(call, dict) else {}
    arguments = call.get("arguments", text)
    spelt = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return {"id": name, "function": {"name": str(call.get("name", "")), "arguments": spelt}}
