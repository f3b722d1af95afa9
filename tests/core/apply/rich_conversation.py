"""A conversation with all that a row can hold, written by the store of the release itself."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

SESSION = "20261121_101010_ab12cd"
_PICTURE = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6"
    "kgAAAABJRU5ErkJggg=="
)
_WRITER = """
import json, sys
from pathlib import Path
from hermes_state import SessionDB
told = json.load(sys.stdin)
store = SessionDB(Path(told["database"]))
store.create_session(told["id"], source=told["source"], model="mock-model")
store.set_session_title(told["id"], told["title"])
for row in told["rows"]:
    store.append_message(told["id"], **row)
"""


def write_with(python: Path, database: Path, source: str) -> None:
    """Have a release store the conversation as a session of that source."""
    told = {
        "database": str(database),
        "id": SESSION,
        "source": source,
        "title": "Harbour #3",
        "rows": rows(),
    }
    subprocess.run(
        [str(python), "-c", _WRITER],
        input=json.dumps(told),
        env={**os.environ, "HERMES_HOME": str(database.parent)},
        cwd=database.parent,
        text=True,
        check=True,
    )


def rows(turns: int = 12) -> list[dict[str, Any]]:
    """Pictures, parallel calls, reasoning in every form, other scripts; keywords of `append_message`."""
    return [row for turn in range(turns) for row in _turn(turn)]


def _turn(turn: int) -> list[dict[str, Any]]:
    asked: dict[str, Any] = {"role": "user", "content": _ask(turn)}
    done = {"role": "assistant", "content": f"Task {turn} is done.", "finish_reason": "stop"}
    return [asked, *_round(turn, 0), *_round(turn, 1), done]


def _ask(turn: int) -> Any:
    if turn % 5 == 0:
        picture = {"type": "image_url", "image_url": {"url": _PICTURE}}
        return [{"type": "text", "text": f"Look at picture {turn}"}, picture]
    texts = {3: "请检查第三个灯塔 🙂", 4: 'json:{"a": 1} opens like a stored list'}
    return texts.get(turn, f"Task {turn}: fix test_{turn}")


def _round(turn: int, step: int) -> list[dict[str, Any]]:
    calls = [_call(f"call_{turn:02d}_{step}_{i}", f"pytest {turn}") for i in range(1 + (turn + step) % 3)]
    said: dict[str, Any] = {
        "role": "assistant",
        "content": "" if step else f"Step {turn}",
        "tool_calls": calls,
    }
    if turn % 2:
        said |= {"reasoning": f"Thought {turn}", "reasoning_content": f"Thought {turn}"}
    if turn % 4 == 1:
        said["reasoning_details"] = [{"type": "reasoning.text", "text": f"detail {turn}"}]
    if turn % 4 == 2:
        said["codex_reasoning_items"] = [
            {"type": "reasoning", "id": f"rs_{turn}", "encrypted_content": "QQ=="}
        ]
    output = f"line {turn} {step} alpha\n" * 300
    return [
        said,
        *(
            {"role": "tool", "content": output, "tool_call_id": call["id"], "tool_name": "terminal"}
            for call in calls
        ),
    ]


def _call(key: str, command: str) -> dict[str, Any]:
    function = {"name": "terminal", "arguments": json.dumps({"command": command})}
    return {"id": key, "type": "function", "function": function}
