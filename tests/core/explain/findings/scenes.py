"""For each rule a home that triggers it, and a twin that differs in the one thing that matters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.core.apply.material import compress_here
from tests.core.explain.home import CONFIG, Home

Build = Callable[[Home], None]
LONG = "## Goal\n" + "what was done and what is left, in many words. " * 40


@dataclass(frozen=True)
class Scene:
    """One rule, what sets it off, and its twin."""

    rule: str
    hit: Build
    miss: Build
    release: str = "0.19"
    hit_config: str = CONFIG
    miss_config: str = CONFIG


def base(home: Home) -> None:
    """A session with a few turns."""
    home.db.session("S")
    home.turn()
    home.talk(7)


def plain(home: Home) -> None:
    base(home)
    home.call(1, 20_000)


def compacted(
    home: Home, *, before: int = 60_000, after: int = 9_000, summary: str = LONG, tail: int = 4
) -> None:
    """One compaction with all its lines, a call before and a call after."""
    base(home)
    home.call(6, before)
    home.started(before, 28)
    home.compact(summary=summary, tail=tail)
    home.done(28, 8, after)
    home.call(7, after)


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


def hole(rows: int, *, counted: bool) -> Build:
    """Rows that went missing in the middle of a session, which still counts them or does not."""

    def build(home: Home) -> None:
        base(home)
        live = home.db.live("S")
        gone = live[8 : 8 + rows]
        home.db.connection.execute(f"DELETE FROM messages WHERE id BETWEEN {gone[0]} AND {gone[-1]}")
        count = len(live) if counted else len(live) - rows
        home.db.connection.execute("UPDATE sessions SET message_count = ? WHERE id = 'S'", (count,))

    return build


def twice(first: str, second: str, *, speak: bool) -> Build:
    """Two compactions with these summaries, with or without a person speaking in between."""

    def build(home: Home) -> None:
        base(home)
        home.compact(summary=first)
        if speak:
            home.talk(3)
        else:
            for number in range(6):
                home.db.message("S", "assistant", "", calls=[(f"n{number}", "terminal", "{}")])
                home.db.message("S", "tool", "out", tool_call_id=f"n{number}", tool_name="terminal")
        home.db.tick(600)
        home.compact(summary=second)

    return build


def line(message: str, **kwargs: str | None) -> Build:
    """A session with one more line in its log."""

    def build(home: Home) -> None:
        plain(home)
        home.line(message, **kwargs)  # type: ignore[arg-type]

    return build


def rows(*changes: Callable[[Home], object]) -> Build:
    """A session with more rows."""

    def build(home: Home) -> None:
        plain(home)
        for change in changes:
            change(home)

    return build


def guarded(**columns: object) -> Build:
    """A session with guards set."""

    def build(home: Home) -> None:
        home.db.session("S", **columns)
        home.turn()
        home.talk(2)

    return build


def config(section: str) -> str:
    return CONFIG + section


def refused(limit: int) -> Build:
    def build(home: Home) -> None:
        plain(home)
        home.refused(f"HTTP 400: This model's maximum context length is {limit} tokens.")

    return build


def stating(window: int, tag: str | None, *, late: bool = False) -> Build:
    """Another window stands in the log: in the conversation's time and words, or not."""
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


def used(*models: str) -> Build:
    def build(home: Home) -> None:
        plain(home)
        for model in models:
            home.db.connection.execute(
                "INSERT INTO session_model_usage (session_id, model, api_call_count) VALUES ('S', ?, 1)",
                (model,),
            )

    return build


def hygiene(messages: int, tokens: int, *, done: bool, times: int = 1) -> Build:
    def build(home: Home) -> None:
        plain(home)
        for _ in range(times):
            text = f"Session hygiene: {messages} messages, ~{tokens:,} tokens (actual) — auto-compressing"
            home.line(f"{text} (threshold: 85% of 64,000 = 54,400 tokens)", tag=None, logger="gateway.run")
            if done:
                text = f"Session hygiene: compressed {messages} → 9 msgs, ~{tokens:,} → ~900 tokens"
                home.line(text, tag=None, logger="gateway.run")

    return build


def often(gap: float) -> Build:
    def build(home: Home) -> None:
        base(home)
        for number in range(4):
            home.talk(4)
            home.call(6, 60_000 + number)
            home.started(60_000 + number, 28)
            home.compact(summary=LONG + str(number) * (500 * number))
            home.done(28, 8, 9_000)
            home.db.tick(gap)

    return build


def passes(count: int) -> Build:
    def build(home: Home) -> None:
        plain(home)
        for number in range(count):
            home.refused("HTTP 413: Request Entity Too Large")
            home.started(40_000 + number, 28 - number)
            home.line("Compression made no difference")

    return build


def rereads(again: bool) -> Build:
    def build(home: Home) -> None:
        home.db.session("S")
        home.turn()
        for number in range(7):
            _read(home, f"a{number}", f"file{number}")
        home.compact(summary=LONG)
        for number in range(6):
            _read(home, f"b{number}", f"file{number}" if again else f"other{number}")

    return build


def _read(home: Home, call: str, path: str) -> None:
    home.db.message("S", "user", f"read {path}")
    home.db.message("S", "assistant", "", calls=[(call, "read_file", f'{{"path": "{path}"}}')])
    home.db.message("S", "tool", "text", tool_call_id=call, tool_name="read_file")
    home.db.message("S", "assistant", "read")


def took(seconds: float) -> Build:
    def build(home: Home) -> None:
        base(home)
        home.call(6, 60_000)
        home.started(60_000, 28)
        home.db.tick(seconds)
        home.compact(summary=LONG)
        home.done(28, 8, 9_000)

    return build


def results(size: int, count: int = 1) -> Build:
    """A last turn whose results have a size, behind enough turns to leave a middle."""

    def build(home: Home) -> None:
        home.db.session("S")
        home.turn()
        home.talk(12, size=4_000)
        home.db.message("S", "user", "the last request")
        for number in range(count):
            home.db.message("S", "assistant", "", calls=[(f"z{number}", "terminal", "{}")])
            home.db.message("S", "tool", "r" * size, tool_call_id=f"z{number}", tool_name="terminal")
        home.db.message("S", "assistant", "done")

    return build


def short(tokens: int) -> Build:
    def build(home: Home) -> None:
        home.db.session("S")
        home.turn()
        home.talk(1)
        home.call(1, tokens)

    return build


def head(count: int) -> Build:
    def build(home: Home) -> None:
        base(home)
        home.compact(head=count, summary=LONG)

    return build


def middle(turns: int) -> Build:
    def build(home: Home) -> None:
        home.db.session("S")
        home.turn()
        for number in range(turns):
            home.db.message("S", "user", f"ask {number} " + "w" * 4_000)
            home.db.message("S", "assistant", f"answer {number} " + "w" * 4_000)

    return build


def pictures(count: int) -> Build:
    part = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}

    def add(home: Home) -> None:
        for _ in range(count):
            home.db.message("S", "user", [{"type": "text", "text": "see"}, part])
            home.db.message("S", "assistant", "seen")

    return rows(add)


def thoughts(size: int) -> Build:
    return rows(lambda home: home.db.message("S", "assistant", "yes", reasoning="t" * size))


def cut(tail: int) -> Build:
    def build(home: Home) -> None:
        base(home)
        home.compact(tail=tail, summary=LONG)

    return build


def ended(reason: str) -> Build:
    def build(home: Home) -> None:
        home.db.session("S", end_reason=reason, ended_at=home.db.tick())
        home.talk(2)

    return build


def children(count: int) -> Build:
    def build(home: Home) -> None:
        home.db.session("S")
        home.talk(4)
        home.db.rotate("S", "C0", 3, 4, LONG)
        for number in range(1, count):
            home.db.session(f"C{number}", parent_session_id="S")
            home.db.message(f"C{number}", "user", "hello")

    return build


def child(cwd: str | None) -> Build:
    def build(home: Home) -> None:
        home.db.session("S", cwd="/srv/app")
        home.talk(4)
        home.db.rotate("S", "C", 3, 4, LONG)
        home.db.connection.execute("UPDATE sessions SET cwd = ? WHERE id = 'C'", (cwd,))

    return build


def rotated(home: Home) -> None:
    children(1)(home)


def link(calls: int) -> Build:
    def build(home: Home) -> None:
        home.db.session("S", api_call_count=calls)
        home.db.message("S", "user", "hello")

    return build


def copied(stamp: bool) -> Build:
    def build(home: Home) -> None:
        plain(home)
        row = home.db.message("S", "user", "twice")
        copy = home.db.copy(row)
        if not stamp:
            home.db.mark([copy], timestamp=home.db.tick())
        home.db.message("S", "assistant", "ok")

    return build


def locked(left: float) -> Build:
    def build(home: Home) -> None:
        plain(home)
        now = home.db.tick(0)
        home.db.connection.execute(
            "INSERT INTO compression_locks VALUES ('S', 'pid=1', ?, ?)", (now, now + left)
        )

    return build


def late(seconds: float) -> Build:
    def build(home: Home) -> None:
        home.db.session("S")
        home.talk(4)
        home.db.rotate("S", "C", 3, 4, LONG)
        home.db.tick(seconds)
        home.db.message("S", "user", "still here")

    return build


def next_turn(history: int) -> Build:
    def build(home: Home) -> None:
        compacted(home)
        home.turn_ended()
        home.turn(history=history)

    return build


def said(text: str) -> Build:
    """A user's instruction in the middle of what the compaction summarised."""

    def build(home: Home) -> None:
        home.db.session("S")
        home.talk(2)
        home.db.message("S", "user", "Never delete the production database without asking me first.")
        home.db.message("S", "assistant", "understood")
        home.talk(4)
        home.compact(summary=text)

    return build


def failing(stub: str) -> Build:
    def build(home: Home) -> None:
        home.db.session("S")
        home.talk(5)
        home.db.message("S", "user", "run it")
        home.db.message("S", "assistant", "", calls=[("f", "probe", "{}")])
        home.db.message(
            "S", "tool", '{"error": "no such host", "exit_code": 1}', tool_call_id="f", tool_name="probe"
        )
        home.db.message("S", "assistant", "hm")
        rows = home.db.compact("S", 3, 4, LONG)
        home.stamp(rows)
        home.db.mark([rows[-2]], content=stub)

    return build


def stacked(home: Home) -> None:
    """A second compaction copies the first summary with the head, as one that does not know it would."""
    compacted(home)
    home.talk(4)
    home.compact(head=4, summary=LONG * 2)


def last_word(text: str) -> Build:
    def build(home: Home) -> None:
        home.db.session("S")
        home.db.message("S", "user", text)
        home.db.message("S", "assistant", "ok")

    return build


AUX = "auxiliary:\n  compression:\n    context_length: {}\n"
SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
ENGINE = "context:\n  engine: lcm\n"
THRASH = "Compression skipped — repeated compaction attempts did not restore healthy context."
EXHAUSTED = "Context length exceeded: 70,000 tokens. Cannot compress further."
SWAPPED = "Summary model 'small' timed out (x). Falling back to main model 'm' for compression."

SCENES = (
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
    Scene("A4", refused(40_000), refused(64_000)),
    Scene("A4", stating(200_000, "S"), stating(200_000, "T")),
    Scene("A4", stating(200_000, None), stating(200_000, None, late=True)),
    Scene("A5", preflight_after(20_000, 60_000), preflight_after(55_000, 60_000)),
    Scene("A7", plain, plain, hit_config=config(AUX.format(20_000)), miss_config=config(AUX.format(200_000))),
    Scene("A8", called(40_000, 41_000), called(9_000, 10_000)),
    Scene("A9", used("one", "two"), used("mock-model")),
    Scene("A10", hygiene(90, 60_000, done=False), hygiene(90, 60_000, done=True)),
    Scene("N1", plain, plain, hit_config=config(ENGINE)),
    Scene("B1", lambda home: compacted(home, after=56_000), compacted),
    Scene("B2", line(THRASH), line("Compression skipped — nothing to do")),
    Scene(
        "B2",
        guarded(compression_ineffective_count=2),
        guarded(compression_ineffective_count=1),
        release="0.22",
    ),
    Scene("B3", often(60), often(3_000)),
    Scene("B4", twice(LONG, LONG + "x", speak=False), twice(LONG, LONG + "x", speak=True)),
    Scene("B4", twice(LONG, LONG, speak=False), twice(LONG, LONG * 2, speak=False)),
    Scene("B5", lambda home: compacted(home, after=58_000), compacted),
    Scene("B6", line(EXHAUSTED, level="ERROR"), plain),
    Scene("B6", passes(3), passes(2)),
    Scene("B7", hygiene(5_100, 40_000, done=False, times=2), hygiene(5_100, 60_000, done=False, times=2)),
    Scene("B8", rereads(True), rereads(False)),
    Scene("B9", took(90), took(10)),
    Scene(
        "C1",
        lambda home: compacted(
            home, summary="Summary generation was unavailable. 21 message(s) were removed"
        ),
        compacted,
    ),
    Scene("C2", guarded(compression_fallback_streak=2), guarded(compression_fallback_streak=1)),
    Scene(
        "C2", guarded(compression_failure_cooldown_until=4e9), guarded(compression_failure_cooldown_until=1.0)
    ),
    Scene("C3", line(SWAPPED, level="WARNING"), plain),
    Scene("C4", lambda home: _big_middle(home, "short"), lambda home: _big_middle(home, LONG * 3)),
    Scene("C5", lambda home: _growing(home, 400), lambda home: _growing(home, 0)),
    Scene("C6", stacked, compacted),
    Scene("C7", last_word(f"[CONTEXT SUMMARY]: {LONG}"), last_word("a real request")),
    Scene("C8", twice(LONG, LONG * 2, speak=True), compacted),
    Scene("C9", said(LONG), said("Never delete the production database without asking me first.")),
    Scene("C10", said(LONG), plain),
    Scene("C11", failing("[probe] (40 chars result)"), failing("[probe] FAILED: no such host")),
    Scene("D1", results(60_000), results(200)),
    Scene("D2", short(60_000), short(3_000)),
    Scene("D3", head(3), head(0)),
    Scene(
        "D4",
        middle(30),
        middle(4),
        hit_config=config(AUX.format(4_000)),
        miss_config=config(AUX.format(60_000)),
    ),
    Scene("D5", pictures(3), pictures(2)),
    Scene("D6", thoughts(60_000), thoughts(100)),
    Scene("D7", cut(2), cut(4)),
    Scene("E1", ended("compression"), ended("cli_close"), release="0.17"),
    Scene("E2", children(2), children(1)),
    Scene("E3", child(None), child("/srv/app")),
    Scene("E4", rotated, plain),
    Scene("E5", link(3), link(0)),
    Scene(
        "E6",
        rows(lambda home: home.db.message("S", "tool", "x", tool_call_id="nobody", tool_name="t")),
        plain,
    ),
    Scene(
        "E6",
        rows(
            lambda home: home.db.message("S", "assistant", "", calls=[("open", "t", "{}")]),
            lambda home: home.db.message("S", "user", "never mind"),
        ),
        rows(lambda home: home.db.message("S", "assistant", "", calls=[("running", "t", "{}")])),
    ),
    Scene("E7", copied(True), copied(False)),
    Scene("E9", hole(8, counted=True), hole(8, counted=False)),
    Scene("E9", hole(8, counted=True), hole(2, counted=True)),
    Scene("E11", locked(10), locked(4e9)),
    Scene("E12", late(3_600), rotated),
    Scene("E13", next_turn(30), next_turn(9)),
    Scene(
        "E14",
        lambda home: compress_here(home.db, "S"),
        lambda home: compress_here(home.db, "S", loses=False),
    ),
    Scene("I1", rows(lambda home: home.db.message("S", "user", f"use {SECRET}")), plain),
    Scene(
        "I3",
        rows(lambda home: home.db.message("S", "tool", "key=***", tool_call_id="q", tool_name="t")),
        plain,
    ),
)


def _big_middle(home: Home, summary: str) -> None:
    home.db.session("S")
    home.talk(10, size=30_000)
    home.compact(summary=summary)


def _growing(home: Home, step: int) -> None:
    home.db.session("S")
    home.talk(6)
    for number in range(5):
        home.compact(summary=LONG + "y" * (step * number))
        home.talk(4)
        home.db.tick(3_600)
