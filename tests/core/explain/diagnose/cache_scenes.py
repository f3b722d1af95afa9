"""Scenes of the rules about the prompt cache."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.core.explain.diagnose.money_scenes import HOUR, MINUTES, OPUS, bill, spent
from tests.core.explain.diagnose.scene import LONG, Build, Scene
from tests.core.explain.home import Home

Call = tuple[float, int, int]
"""Seconds since the call before, tokens of the prompt, how many of them the cache served."""


def called(*calls: Call, model: str = "claude-opus-4-5") -> Build:
    """A conversation with these calls in its log."""

    def build(home: Home) -> None:
        read = sum(cached for _, _, cached in calls)
        fresh = sum(size for _, size, _ in calls) - read
        home.db.session("S", **{**OPUS, "model": model}, **bill(fresh, read, calls=len(calls)))
        home.turn()
        home.talk(3)
        log(home, calls, model)

    return build


def log(home: Home, calls: Sequence[Call], model: str = "claude-opus-4-5", first: int = 1) -> None:
    for number, (pause, size, cached) in enumerate(calls, first):
        home.db.tick(pause)
        hits = f" cache={cached}/{size} ({cached * 100 // size}%)" if cached else ""
        text = f"API call #{number}: model={model} provider=anthropic in={size} out=60 total={size + 60}"
        home.line(f"{text} latency=0.2s{hits}")


def paid_back(model: str, after: int) -> Build:
    """A compaction of a priced conversation, and calls after it."""

    def build(home: Home) -> None:
        home.db.session("S", **{**OPUS, "model": model}, **bill(100_000, 200_000, calls=4))
        home.turn()
        home.talk(7)
        log(home, [(5, 60_000, 55_000), (5, 60_500, 60_000)], model)
        home.started(60_500, 28)
        home.compact(summary=LONG)
        home.done(28, 8, 9_000)
        log(home, [(5, 9_000 + step * 100, 8_000 * (step > 0)) for step in range(after)], model, 3)

    return build


def at_once(results: int, **route: Any) -> Build:
    """One answer with so many calls."""

    def build(home: Home) -> None:
        spent(**route, **bill(100))(home)
        calls = [(f"c{number}", "terminal", "{}") for number in range(results)]
        home.db.message("S", "assistant", "", calls=calls)
        for name, tool, _ in calls:
            home.db.message("S", "tool", "out", tool_call_id=name, tool_name=tool)

    return build


def prompts(first: str, second: str, source: str = "cli") -> Build:
    """Two sessions, one after the other, with their system prompts."""

    def build(home: Home) -> None:
        columns: dict[str, Any] = {**OPUS, **bill(5)}
        home.db.session("S", system_prompt=first, **columns)
        home.db.session("T", system_prompt=second, source=source, **columns)

    return build


RULES = "rules " * 50
WARM: Sequence[Call] = [(5, 20_000, 0), (5, 20_500, 20_000), (5, 21_000, 20_500)]
CUSTOM: dict[str, Any] = {
    "model": "mock-model",
    "billing_provider": "custom",
    "billing_base_url": "http://127.0.0.1:1/v1",
}

CACHE = (
    Scene("G1", called(*WARM, (5, 21_500, 0)), called(*WARM, (5, 21_500, 21_000))),
    Scene("G1", called(*WARM, (900, 21_500, 2_000)), called(*WARM, (900, 21_500, 21_000))),
    Scene("G2", spent(**OPUS, **bill(1, 10, 90, calls=12)), spent(**OPUS, **bill(1, 100, 90, calls=12))),
    Scene("G2", spent(**OPUS, **bill(1, 0, 5_000, calls=10)), spent(**OPUS, **bill(1, 0, 5_000, calls=9))),
    Scene(
        "G3",
        called(*[(600, 40_000 + step * 100, 0) for step in range(8)]),
        called(*[(20, 40_000 + step * 100, 39_000) for step in range(8)]),
    ),
    Scene(
        "G3",
        called(*[(20, 40_000 + step * 100, 39_000) for step in range(8)]),
        called(*[(20, 40_000 + step * 100, 39_000) for step in range(8)]),
        hit_config=HOUR,
        miss_config=MINUTES,
    ),
    Scene("G5", at_once(25, **OPUS), at_once(12, **OPUS)),
    Scene("G5", at_once(21, **OPUS), at_once(21, **CUSTOM)),
    Scene(
        "G6",
        prompts(f"# Time\n10:00\n{RULES}", f"# Time\n10:05\n{RULES}"),
        prompts(f"{RULES}10:00", f"{RULES}10:05"),
    ),
    Scene(
        "G6",
        prompts(f"a\n{RULES}", f"b\n{RULES}"),
        prompts(f"a\n{RULES}", f"b\n{RULES}", source="cron"),
    ),
    Scene("G7", paid_back("claude-opus-4-5", 4), paid_back("nobodys-model", 4)),
    Scene("G7", paid_back("claude-opus-4-5", 1), called(*WARM)),
)
