"""Trajectories for tests: small, odd ones among them, made from a seed."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

WORDS = ["parser", "index", "cache", "token", "stream", "shard", "queue", "worker", "猫", "données", "σ"]


def turn(role: str, words: int, draw: random.Random) -> dict[str, str]:
    return {"from": role, "value": " ".join(draw.choice(WORDS) for _ in range(words))}


def trajectory(draw: random.Random, rounds: int) -> list[dict[str, str]]:
    turns = [turn("system", 30, draw)]
    for _ in range(rounds):
        turns += [turn("human", 10, draw), turn("gpt", 30, draw)]
        turns += [turn("tool", 120, draw) for _ in range(draw.randint(0, 3))]
        turns.append(turn("gpt", 20, draw))
    return turns


def entries(seed: int, count: int) -> list[dict[str, Any]]:
    draw = random.Random(seed)
    return [
        {
            "id": f"{seed}-{at}",
            "conversations": trajectory(draw, draw.randint(0, 12)),
            "ratio": 1.50,
            "x": [None],
        }
        for at in range(count)
    ]


def written(path: Path, found: list[Any]) -> Path:
    lines = (
        one if isinstance(one, str) else json.dumps(one, ensure_ascii=at % 2 == 0)
        for at, one in enumerate(found)
    )
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return path


def openai(turns: list[dict[str, str]]) -> list[dict[str, Any]]:
    """The same turns as messages; every answer before a result calls for it."""
    roles = {"human": "user", "gpt": "assistant"}
    found: list[dict[str, Any]] = [
        {"role": roles.get(one["from"], one["from"]), "content": one["value"]} for one in turns
    ]
    for at, message in enumerate(found[:-1]):
        if message["role"] == "assistant" and found[at + 1]["role"] == "tool":
            call = {
                "id": f"c{at}",
                "type": "function",
                "function": {"name": "read", "arguments": '{"path": "a.py"}'},
            }
            message["tool_calls"] = [call]
    return found
