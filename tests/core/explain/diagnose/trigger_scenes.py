"""Scenes of the rules about when compression fires."""

from __future__ import annotations

import os

from tests.core.explain.diagnose.scene import AUX, Build, Scene, config, hygiene, plain
from tests.core.explain.home import CONFIG, Home


def wide(section: str) -> str:
    """A model with a window of 200,000 tokens."""
    return config(section).replace("64000", "200000")


ENGINE = "context:\n  engine: lcm\n"


def reading(cached: int, largest: int) -> Build:
    """A priced session that read this much from its cache, with a largest prompt."""

    def build(home: Home) -> None:
        tokens = {"input_tokens": 50_000, "output_tokens": 20_000, "cache_read_tokens": cached}
        route = {"model": "claude-opus-4-5", "billing_provider": "anthropic"}
        home.db.session("S", **tokens, **route, cache_write_tokens=20_000)
        home.turn()
        home.talk(2)
        call = f"API call #1: model=claude-opus-4-5 provider=anthropic in={largest} out=60"
        home.line(f"{call} total={largest + 60} latency=0.2s")

    return build


def refused(limit: int) -> Build:
    def build(home: Home) -> None:
        plain(home)
        home.refused(f"HTTP 400: This model's maximum context length is {limit} tokens.")

    return build


def unanswered(said: str, *, ended: bool) -> Build:
    """A call fails, and the next try is answered or there is none."""

    def build(home: Home) -> None:
        plain(home)
        home.turn(history=28)
        home.refused(said)
        if ended:
            home.call(2, 20_500)

    return build


def answered_beyond(limit: int) -> Build:
    """A provider that names a limit and answers a longer prompt all the same."""

    def build(home: Home) -> None:
        refused(limit)(home)
        home.call(2, limit + 1_000)

    return build


def edited_since(build: Build) -> Build:
    """The same, and config.yaml is edited an hour after the last line of the log."""

    def edited(home: Home) -> None:
        build(home)
        later = (home.path / "logs" / "agent.log").stat().st_mtime + 3600
        os.utime(home.path / "config.yaml", (later, later))

    return edited


def before_a_call(estimate: int, result: int) -> Build:
    """An estimate right after a result of a size, and a call of 20,000 tokens before it."""

    def build(home: Home) -> None:
        plain(home)
        home.db.message("S", "user", "go on")
        home.call(2, 20_000)
        home.db.message("S", "assistant", "", calls=[("long", "terminal", "{}")])
        home.db.message("S", "tool", "r" * result, tool_call_id="long", tool_name="terminal")
        home.pre_api(estimate)

    return build


def stating(window: int, tag: str | None, *, late: bool = False) -> Build:
    """The log states another window: in the conversation's time and words, or not."""
    words = (
        f"Pre-API compression: ~90,000 request tokens >= 80,000 threshold (context={window:,}, attempt=1/3)"
    )

    def build(home: Home) -> None:
        plain(home)
        home.line(words, tag=tag)
        if not late:
            home.call(2, 21_000)

    return build


def called(*sizes: int) -> Build:
    def build(home: Home) -> None:
        home.db.session("S")
        home.turn()
        for number, size in enumerate(sizes, 1):
            home.call(number, size)
        home.talk(3)

    return build


def preflight_after(real: int, estimate: int) -> Build:
    def build(home: Home) -> None:
        plain(home)
        home.call(2, real)
        home.turn_ended()
        home.turn(history=28)
        home.preflight(estimate)

    return build


def preflight_of_another(*, process: bool = False, lost: bool = False) -> Build:
    """An estimate of what grew by a turn of another process, or by what a lost compaction had removed."""

    def build(home: Home) -> None:
        plain(home)
        if lost:
            home.started(60_000, 30)
            home.done(30, 6, 9_000)
        home.call(2, 20_000)
        home.turn_ended()
        if process:
            home.turn_ended()
        home.turn(history=28)
        home.preflight(60_000)

    return build


def skipped_then(estimate: int, real: int) -> Build:
    """An estimate that did not compress, far above what was sent before, and its request's count."""

    def build(home: Home) -> None:
        plain(home)
        home.call(2, 20_000)
        home.turn_ended()
        home.turn(history=28)
        home.line(
            f"Skipping preflight compression: rough estimate ~{estimate:,} >= 50,000 is not anchored on "
            "real usage (last real provider prompt 0); deferring to the next response"
        )
        home.call(1, real)

    return build


def used(*models: str) -> Build:
    def build(home: Home) -> None:
        plain(home)
        for model in models:
            home.db.connection.execute(
                "INSERT INTO session_model_usage (session_id, model, api_call_count) VALUES ('S', ?, 1)",
                (model,),
            )

    return build


TRIGGER = (
    Scene("A1", plain, plain, miss_config=config("compression:\n  threshold: 0.9\n")),
    Scene("A2", refused(40_000), plain),
    Scene("A2", plain, plain, release="0.13", miss_config=CONFIG.replace("64000", "200000")),
    Scene(
        "A3",
        reading(9_000_000, 300_000),
        reading(100_000, 300_000),
        hit_config=CONFIG.replace("64000", "1000000"),
        miss_config=CONFIG.replace("64000", "1000000"),
    ),
    Scene(
        "A3",
        reading(9_000_000, 300_000),
        reading(9_000_000, 800_000),
        hit_config=CONFIG.replace("64000", "1000000"),
        miss_config=CONFIG.replace("64000", "1000000"),
    ),
    Scene("A2", refused(40_000), answered_beyond(40_000)),
    Scene("B10", unanswered("HTTP 400: error", ended=False), unanswered("HTTP 400: error", ended=True)),
    Scene("B10", unanswered("Connection error.", ended=False), unanswered("Connection error.", ended=True)),
    Scene("A4", refused(40_000), refused(64_000)),
    Scene("A4", refused(40_000), answered_beyond(40_000)),
    Scene("A4", stating(200_000, "S"), stating(200_000, "T")),
    Scene("A4", stating(200_000, None), stating(200_000, None, late=True)),
    Scene("A4", stating(200_000, "S"), edited_since(stating(200_000, "S"))),
    Scene("A5", preflight_after(20_000, 60_000), preflight_after(55_000, 60_000)),
    Scene("A5", preflight_of_another(), preflight_of_another(process=True)),
    Scene("A5", preflight_of_another(), preflight_of_another(lost=True)),
    Scene("A5", skipped_then(60_000, 30_000), skipped_then(60_000, 59_000)),
    Scene("A5", before_a_call(60_000, 400), before_a_call(60_000, 160_000)),
    Scene("A7", plain, plain, hit_config=config(AUX.format(20_000)), miss_config=config(AUX.format(200_000))),
    Scene("A7", plain, plain, hit_config=wide(AUX.format(70_000)), miss_config=wide(AUX.format(150_000))),
    Scene("A8", called(40_000, 41_000), called(9_000, 10_000)),
    Scene("A9", used("one", "two"), used("mock-model")),
    Scene("A10", hygiene(90, 60_000, done=False), hygiene(90, 60_000, done=True)),
)
