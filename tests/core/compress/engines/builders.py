"""Small context engines and conversations for the tests of the host."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

from core.compress.engines.host.discovery import from_path
from core.compress.engines.host.hosted import Compacted, hosted
from core.compress.engines.host.process import Bounds
from core.model.compaction.plan import Settings

_SOURCE = """
import os, sys, time
from agent.context_engine import ContextEngine

class Engine(ContextEngine):
    name = "{name}"
    def update_from_response(self, usage): pass
    def should_compress(self, prompt_tokens=None): return True
    def compress(self, messages, current_tokens=None, focus_topic=None):
{body}

def register(ctx):
    ctx.register_context_engine(Engine())
"""
FIRST_TWO = "return messages[:2]"


def engine(folder: Path, body: str, *, name: str = "small", before: str = "") -> Path:
    """A plugin folder with an engine whose `compress` has this body."""
    place = folder / name
    place.mkdir(parents=True)
    source = _SOURCE.format(name=name, body=textwrap.indent(textwrap.dedent(body), " " * 8))
    (place / "__init__.py").write_text(before + source)
    (place / "plugin.yaml").write_text(f"name: {name}\nversion: 1.2.3\ndescription: a test\n")
    return place


def conversation(steps: int = 12) -> list[dict[str, Any]]:
    """A user's question and as many calls with their results."""
    rows: list[dict[str, Any]] = [{"role": "user", "content": "Look through the project."}]
    for step in range(steps):
        call = {"id": f"c{step}", "type": "function", "function": {"name": "read", "arguments": "{}"}}
        rows.append({"role": "assistant", "content": f"Step {step}.", "tool_calls": [call]})
        rows.append({"role": "tool", "tool_call_id": f"c{step}", "content": f"src/file_{step}.py " * 40})
    return [*rows, {"role": "user", "content": "Go on."}]


def uneven(steps: int) -> list[dict[str, Any]]:
    """The same with what real ones have: a system message, parts, no text, an orphan, an unanswered call."""
    rows = [{"role": "system", "content": "You are an agent."}, *conversation(steps)]
    for place, row in enumerate(rows):
        if row["role"] == "assistant" and place % 3 == 0:
            row["content"] = None if place % 2 else ""
        elif row["role"] == "tool" and place % 4 == 1:
            row["content"] = [{"type": "text", "text": row["content"]}]
    rows[1]["content"] = [{"type": "text", "text": "Look at the picture."}, _PICTURE]
    del rows[steps]  # a call without its result, or a result without its call
    return rows


_PICTURE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}


def compacted(
    place: Path,
    *,
    home: Path | None = None,
    seconds: float = 20.0,
    rows: list[dict[str, Any]] | None = None,
) -> Compacted:
    """The engine's list of the conversation; its calls to a model get `STUB`."""
    with hosted(
        from_path(place),
        home=home,
        python=None,
        settings=Settings(window=64_000, model="m"),
        answer=lambda call: "STUB",
        bounds=Bounds(seconds=seconds),
    ) as running:
        return running.compact(rows or conversation(), 70_000, None)
