"""For each rule a home that triggers it, and a twin that differs in the one thing that matters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.core.explain.home import CONFIG, Home

Build = Callable[[Home], None]


@dataclass(frozen=True)
class Scene:
    """One rule, what sets it off, and its twin: the same but for the one thing that decides.

    Where a rule speaks of everything, the twin makes it say something else.
    """

    rule: str
    hit: Build
    miss: Build
    release: str = "0.19"
    hit_config: str = CONFIG
    miss_config: str = CONFIG


AUX = "auxiliary:\n  compression:\n    context_length: {}\n"
LONG = "## Goal\n" + "what was done and what is left, in many words. " * 40


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


def children(count: int) -> Build:
    def build(home: Home) -> None:
        home.db.session("S")
        home.talk(4)
        home.db.rotate("S", "C0", 3, 4, LONG)
        for number in range(1, count):
            home.db.session(f"C{number}", parent_session_id="S")
            home.db.message(f"C{number}", "user", "hello")

    return build


def rotated(home: Home) -> None:
    children(1)(home)
