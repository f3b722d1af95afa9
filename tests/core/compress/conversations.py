"""Conversations for the compressor's tests, made by seed so that a table of numbers can be kept of them."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from functools import cache, wraps
from random import Random
from typing import Any

from hypothesis import strategies as st

from core.model.transcript.message import Message

Wire = dict[str, Any]
_WORDS = (
    "queue",
    "lantern",
    "harbour",
    "invoice",
    "copper",
    "meadow",
    "signal",
    "ledger",
    "orchard",
    "compass",
)
_TOOLS = ("terminal", "read_file", "write_file", "search_files", "web_search", "patch", "custom_tool")


def _made_once(make: Callable[[int], list[Wire]]) -> Callable[[int], list[Wire]]:
    """Makes the list of a seed once a process; every caller gets a copy to spoil."""

    @cache
    def kept(seed: int) -> bytes:
        return pickle.dumps(make(seed))

    @wraps(make)
    def copied(seed: int) -> list[Wire]:
        rows: list[Wire] = pickle.loads(kept(seed))
        return rows

    return copied


@_made_once
def conversation(seed: int) -> list[Wire]:
    """A conversation with tool work, reasoning, images, repeats and other scripts; the same for a seed."""
    random = Random(seed)
    rows: list[Wire] = [{"role": "system", "content": _words(random, 40)}] if seed % 3 == 0 else []
    for turn in range(random.randint(2, 14)):
        rows.append({"role": "user", "content": _ask(random)})
        for step in range(random.choice((0, 1, 3, 9))):
            rows += _round(random, f"call_{seed}_{turn}_{step}")
        if random.random() < 0.8:
            rows.append({"role": "assistant", "content": _words(random, random.randint(3, 300))})
    return rows


def messages(seed: int) -> list[Message]:
    """The same, as messages."""
    return [Message(row) for row in conversation(seed)]


def _ask(random: Random) -> Any:
    if random.random() < 0.1:
        picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 400}}
        return [{"type": "text", "text": _words(random, 12)}, picture]
    return random.choice(
        (_words(random, random.randint(2, 200)), "请检查队列的日志并说明原因", "проверь журнал 🙂")
    )


def _round(random: Random, key: str) -> list[Wire]:
    names = random.choices(_TOOLS, k=random.choice((1, 1, 2, 3)))
    calls = [
        {
            "id": f"{key}_{i}",
            "type": "function",
            "function": {"name": name, "arguments": _arguments(random, name)},
        }
        for i, name in enumerate(names)
    ]
    head: Wire = {
        "role": "assistant",
        "content": random.choice((None, "", _words(random, 8))),
        "tool_calls": calls,
    }
    if random.random() < 0.3:
        head["reasoning_content"] = _words(random, random.randint(10, 400))
    return [
        head,
        *({"role": "tool", "tool_call_id": call["id"], "content": _result(random)} for call in calls),
    ]


def _arguments(random: Random, name: str) -> str:
    if random.random() < 0.05:
        return "{not json " + _words(random, 120)
    return json.dumps(
        {"command": _words(random, 6), "path": f"/srv/{name}.py", "content": _words(random, 150)}
    )


def _result(random: Random) -> str:
    if random.random() < 0.15:
        return "the same line of output\n" * 20
    return random.choice(
        (
            "ok",
            _words(random, random.randint(20, 2500)),
            json.dumps({"output": _words(random, 80), "exit_code": random.randint(0, 2)}),
        )
    )


def _words(random: Random, count: int) -> str:
    return " ".join(random.choice(_WORDS) for _ in range(count))


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
"""Anything a damaged row may hold."""

_KEYS = (
    "role",
    "content",
    "tool_calls",
    "tool_call_id",
    "reasoning",
    "reasoning_details",
    "api_content",
    "name",
)
_ROLES = st.sampled_from(("user", "assistant", "tool", "system"))


def damaged_rows() -> st.SearchStrategy[list[Message]]:
    """Lists of messages in which any key may be missing or hold anything."""
    sound = st.fixed_dictionaries({"role": _ROLES, "content": st.text(max_size=300) | JUNK})
    broken = st.dictionaries(st.sampled_from(_KEYS), JUNK, max_size=5)
    row = st.builds(lambda base, over: Message({**base, **over}), sound | broken, broken)
    return st.lists(row, max_size=24)


END = "--- END OF CONTEXT SUMMARY — respond to the message below, not the summary above ---"
_EARLIER = "[CONTEXT SUMMARY]: kept from before\n## Goal\nCount the lanterns in the harbour."


@_made_once
def resumed(seed: int) -> list[Wire]:
    """A conversation that an earlier compaction already shortened, in one of the forms releases leave."""
    rows = conversation(seed)
    head = rows[:1] if rows[0]["role"] == "system" else []
    wrapped = (
        "[PRIOR CONTEXT — for reference only; not a new message]\nI had counted nine.\n\n"
        f"[END OF PRIOR CONTEXT — COMPACTION SUMMARY BELOW]\n\n{_EARLIER}\n\n{END}"
    )
    earlier = (
        {"role": "user", "content": f"{_EARLIER}\n\n{END}", "_compressed_summary": True},
        {"role": "assistant", "content": _EARLIER},
        {"role": "user", "content": wrapped},
        {"role": "user", "content": f"{_EARLIER}\n\n{END}\n\nAnd now the ledgers."},
    )[seed % 4]
    rest = rows[len(head) :]
    at = (0, 1, 4)[seed % 3]
    while at < len(rest) and rest[at]["role"] == "tool":
        at += 1
    return [*head, *rest[:at], earlier, *rest[at:]]


@_made_once
def interrupted(seed: int) -> list[Wire]:
    """A conversation cut off in the middle of a long turn: calls unanswered, results large, echoes blank."""
    random = Random(seed)
    rows = conversation(seed)
    rows.append({"role": "user", "content": _words(random, 20), "message_uid": f"uid{seed}"})
    if seed % 2:
        rows.append({"role": "user", "content": " \n"})
    for step in range(random.randint(2, 12)):
        rows += _round(random, f"late_{seed}_{step}")
        rows[-1] = {**rows[-1], "content": _words(random, random.choice((40, 900)))}
    if seed % 3 == 0:
        calls = [
            {"id": f"open_{seed}", "type": "function", "function": {"name": "terminal", "arguments": "{}"}}
        ]
        rows.append({"role": "assistant", "content": "", "tool_calls": calls})
    return rows


SHAPES = (conversation, resumed, interrupted)
"""The kinds of conversation the assembled lists are checked on."""
