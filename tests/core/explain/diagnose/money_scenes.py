"""Scenes of the rules about tokens and money."""

from __future__ import annotations

from typing import Any

from tests.core.explain.diagnose.scene import LONG, Build, Scene, config
from tests.core.explain.home import Home

Columns = dict[str, Any]

OPUS: Columns = {
    "model": "claude-opus-4-5",
    "billing_provider": "anthropic",
    "billing_base_url": "https://api.anthropic.com",
}
CODEX: Columns = {"model": "gpt-5.2", "billing_provider": "openai-codex"}
OPENAI: Columns = {"model": "gpt-5.2", "billing_provider": "openai"}
GEMINI: Columns = {"model": "gemini-2.5-pro", "billing_provider": "google"}
HOUR, MINUTES = config("prompt_caching:\n  cache_ttl: 1h\n"), config("prompt_caching:\n  cache_ttl: 5m\n")
BUCKETS = ("input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens")


def bill(*buckets: int, usd: float | None = None, calls: int = 1) -> Columns:
    """Columns of a session that spent this."""
    status = {} if usd is None else {"estimated_cost_usd": usd, "cost_status": "estimated"}
    return {**dict(zip(BUCKETS, buckets, strict=False)), "api_call_count": calls, **status}


def spent(turns: int = 1, **columns: Any) -> Build:
    """A session with these columns."""

    def build(home: Home) -> None:
        home.db.session("S", **columns)
        home.turn()
        home.talk(turns)

    return build


def answered_by(kind: str | None) -> Build:
    """A request and a row of an assistant, which Hermes itself writes for a turn that failed."""

    def build(home: Home) -> None:
        home.db.session("S")
        home.turn()
        home.db.message("S", "user", "go")
        home.db.message("S", "assistant", "done", display_kind=kind)

    return build


def and_another(first: Columns, **columns: Any) -> Build:
    """A second session."""

    def build(home: Home) -> None:
        spent(**first)(home)
        home.db.session("T", **columns)
        home.talk(1, session="T")

    return build


def chained(first: Columns, **columns: Any) -> Build:
    """A compressed session and what continues it."""

    def build(home: Home) -> None:
        spent(4, **first)(home)
        home.db.rotate("S", "C", 3, 4, LONG)
        home.talk(1, session="C")
        for name, value in columns.items():
            home.db.connection.execute(f"UPDATE sessions SET {name} = ? WHERE id = 'C'", (value,))

    return build


def used(*routes: tuple[str, str], session: Columns, compacted: bool = False) -> Build:
    """Usage by model and task."""

    def build(home: Home) -> None:
        spent(7, **session)(home)
        if compacted:
            home.compact(summary=LONG)
        for model, task in routes:
            values = ("S", model, "anthropic", task, 1, 10)
            home.db.connection.execute(
                "INSERT INTO session_model_usage (session_id, model, billing_provider, task, api_call_count, "
                "input_tokens) VALUES (?, ?, ?, ?, ?, ?)",
                values,
            )

    return build


def helped(marks: str, **columns: Any) -> Build:
    """A child that worked for the session, or branched from it."""
    return and_another(
        {**OPUS, **bill(100)}, parent_session_id="S", model_config=f'{{"{marks}": "S"}}', **columns
    )


def prompts(route: Columns, *sizes: int) -> Build:
    """Calls of the log with prompts of these sizes."""

    def build(home: Home) -> None:
        spent(**route, **bill(sum(sizes), usd=1.0, calls=len(sizes)))(home)
        call = f"model={route['model']} provider={route['billing_provider']}"
        for number, size in enumerate(sizes, 1):
            home.line(f"API call #{number}: {call} in={size} out=6 total={size + 6} latency=0.2s")

    return build


def mute(calls: int, elsewhere: int) -> Build:
    """Long prompts of a model that reports no hits, and a session that read so much from a cache."""

    def build(home: Home) -> None:
        prompts({"model": "mute", "billing_provider": "custom"}, *[9_000] * calls)(home)
        home.db.session("T", **OPUS, **bill(10, elsewhere))

    return build


def thinking(route: Columns, counted: int = 0, **columns: str) -> Build:
    def build(home: Home) -> None:
        spent(**route, **bill(50), reasoning_tokens=counted)(home)
        home.db.message("S", "user", "why")
        home.db.message("S", "assistant", "because", **columns)

    return build


ONE = {**OPUS, **bill(100, 10, 1, 5)}

MONEY = (
    Scene("F2", spent(2, **OPUS), spent(2, **OPUS, **bill(5))),
    Scene("F2", chained(ONE), chained(ONE, input_tokens=5)),
    Scene("F2", answered_by(None), answered_by("failed_turn"), release="0.22"),
    Scene("F3", spent(6, **OPUS, **bill(9, calls=4)), spent(6, **OPUS, **bill(9, calls=12))),
    Scene("F3", spent(6, **OPUS, **bill(9, calls=9)), spent(6, **OPUS, **bill(9, calls=10))),
    Scene(
        "F4",
        spent(model="x", billing_provider="nous", **bill(500, usd=0.0)),
        spent(model="x", billing_provider="nous", **bill(500, usd=0.002)),
    ),
    Scene(
        "F4",
        spent(model="x", **bill(500), estimated_cost_usd=0.0, cost_status="unknown"),
        spent(model="x", **bill(500), estimated_cost_usd=0.0, cost_status="included"),
    ),
    Scene("F5", spent(**OPUS, **bill(1_000_000, usd=1.0)), spent(**OPUS, **bill(1_000_000, usd=5.0))),
    Scene(
        "F5",
        spent(**OPUS, **bill(0, 0, 0, 100_000, usd=1.5)),
        spent(**OPUS, **bill(0, 0, 0, 100_000, usd=2.4)),
    ),
    Scene(
        "F6",
        spent(**OPUS, **bill(0, 0, 1_000_000, usd=6.25)),
        spent(**OPUS, **bill(0, 0, 1_000_000, usd=6.25)),
        hit_config=HOUR,
        miss_config=MINUTES,
    ),
    Scene(
        "F6",
        spent(**OPUS, **bill(10, 0, 50_000, usd=0.3)),
        spent(**OPUS, **bill(10, 50_000, 0, usd=0.3)),
        hit_config=HOUR,
        miss_config=HOUR,
    ),
    Scene("F7", prompts(GEMINI, 250_000), prompts(GEMINI, 150_000)),
    Scene("F7", prompts(GEMINI, 1_000, 210_000), prompts(OPUS, 1_000, 210_000)),
    Scene(
        "F8",
        spent(**CODEX, **bill(1_000_000), cost_status="included"),
        spent(**OPENAI, **bill(1_000_000, usd=1.75)),
    ),
    Scene(
        "F8",
        spent(**OPENAI, **bill(1_000_000), billing_mode="subscription_included", cost_status="included"),
        spent(**OPENAI, **bill(0), billing_mode="subscription_included", cost_status="included"),
    ),
    Scene("F9", helped("_delegate_from", **bill(40)), helped("_branched_from", **bill(40))),
    Scene("F9", helped("_delegate_from", **bill(0, 0, 0, 9)), helped("_delegate_from", **bill(0))),
    Scene("F10", used(("mini", "compression"), session=ONE), used(("mini", "vision"), session=ONE)),
    Scene("F10", used(session=ONE, compacted=True), used(session=ONE)),
    Scene(
        "F11",
        used(("claude-opus-4-5", ""), ("mini", ""), session=ONE),
        used(("claude-opus-4-5", ""), ("mini", "vision"), session=ONE),
    ),
    Scene("F11", used(("a", ""), ("b", ""), session=ONE), used(("a", ""), session=ONE)),
    Scene(
        "F12",
        chained(ONE, **bill(300, 30, 3, 15, calls=40)),
        chained(ONE, **bill(300, 30, 3, 15, calls=2)),
    ),
    Scene("F12", chained(ONE, **bill(100, 10, 1, 5, calls=9)), chained(ONE, **bill(100, 10, 1, 4, calls=9))),
    Scene("F14", mute(5, 5_000), mute(4, 5_000)),
    Scene("F14", mute(9, 100), mute(9, 0)),
    Scene("F15", thinking(OPENAI, reasoning="hm"), thinking(OPENAI, 7, reasoning="hm")),
    Scene("F15", thinking(OPENAI, reasoning_content="hm"), thinking(OPUS, reasoning_content="hm")),
    Scene(
        "F16",
        and_another({**OPUS, **bill(9, usd=1.0)}, source="cron", **bill(9, usd=3.0)),
        and_another({**OPUS, **bill(9, usd=1.0)}, source="cron", **bill(9, usd=0.2)),
    ),
    Scene(
        "F16",
        and_another({**OPUS, **bill(9, usd=1.0)}, source="webhook", **bill(9, usd=1.0)),
        and_another({**OPUS, **bill(9, usd=1.0)}, source="telegram", **bill(9, usd=1.0)),
    ),
)
