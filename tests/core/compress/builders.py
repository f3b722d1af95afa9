"""Messages for tests of what happens inside a middle."""

from __future__ import annotations

import json
from itertools import count
from typing import Any

from core.model.transcript.message import Message

_ids = count(1)


def user(text: Any) -> Message:
    return Message({"role": "user", "content": text})


def assistant(text: str | None) -> Message:
    return Message({"role": "assistant", "content": text})


def call(
    name: str, result: str | None, text: str = "", *, identity: str = "", **arguments: Any
) -> list[Message]:
    """An assistant's call and, unless None, its result."""
    identity = identity or f"call_{next(_ids)}"
    function = {"name": name, "arguments": json.dumps(arguments, ensure_ascii=False)}
    asked = Message(
        {
            "role": "assistant",
            "content": text,
            "tool_calls": [{"id": identity, "type": "function", "function": function}],
        }
    )
    answer = Message({"role": "tool", "tool_call_id": identity, "content": result})
    return [asked] if result is None else [asked, answer]


def long_work(turns: int) -> list[Message]:
    """Turns of a test run each, four messages long, with a constraint, an error and an id of its own."""
    made: list[Message] = []
    for n in range(turns):
        made += [
            user(f"check file {n} and never rename src/mod_{n}.py"),
            *call(
                "terminal",
                f"src/mod_{n}.py:{n}: 3 failed\nE   ValueError: case {n}\n" + "log line\n" * 60,
                command=f"pytest {n}",
            ),
            assistant(f"mod_{n} took {n} ms because of commit a1b2c3d{n}"),
        ]
    return made
