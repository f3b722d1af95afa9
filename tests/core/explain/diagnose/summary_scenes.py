"""Scenes of the rules about summaries."""

from __future__ import annotations

from tests.core.explain.diagnose.scene import LONG, Build, Scene, base, compacted, guarded, plain, twice
from tests.core.explain.home import Home

DECLINED = "I'm sorry, but I can't help with that."
SWAPPED = "Summary model 'small' timed out (x). Falling back to main model 'm' for compression."


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


def succeeded(home: Home) -> None:
    home.turn(history=28)
    home.pre_api(54_900)
    home.started(54_900, 28)
    home.compact(summary=LONG)
    home.done(28, 8, 9_000)


def swapped(summary: str) -> Build:
    """The summary model failed, and the main model wrote the summary or failed as well."""

    def build(home: Home) -> None:
        base(home)
        home.pre_api(54_828)
        home.started(54_828, 28)
        home.line(SWAPPED, level="WARNING")
        home.compact(summary=summary)
        home.done(28, 8, 9_000)

    return build


def given_up(error: str = "Error code: 401 - refused.", then: Build = lambda home: None) -> Build:
    """An attempt that failed, and what came after it."""

    def build(home: Home) -> None:
        base(home)
        home.pre_api(54_828)
        home.started(54_828, 28)
        paused = "Further summary attempts paused for 60 seconds."
        home.line(f"Failed to generate context summary: {error} {paused}", level="WARNING")
        home.line("Summary generation failed — aborting compression", level="WARNING")
        then(home)

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


SUMMARY = (
    Scene(
        "C1",
        lambda home: compacted(
            home, summary="Summary generation was unavailable. 21 message(s) were removed"
        ),
        compacted,
    ),
    Scene("C12", given_up(), given_up(then=succeeded)),
    Scene("C12", given_up("Request timed out."), given_up("Request timed out.", succeeded)),
    Scene("C2", guarded(compression_fallback_streak=2), guarded(compression_fallback_streak=1)),
    Scene(
        "C2", guarded(compression_failure_cooldown_until=4e9), guarded(compression_failure_cooldown_until=1.0)
    ),
    Scene("C3", swapped(LONG), swapped("Summary generation was unavailable. 21 message(s) were removed")),
    Scene("C4", lambda home: _big_middle(home, "short"), lambda home: _big_middle(home, LONG * 3)),
    Scene("C4", said("## Goal\nship"), said(LONG)),
    Scene("C4", said(LONG.replace("## ", "")), said(LONG)),
    Scene("C4", said(f"{LONG}\n{DECLINED}"), said(f"{LONG}\n- “{DECLINED}”")),
    Scene("C5", lambda home: _growing(home, 400), lambda home: _growing(home, 0)),
    Scene("C6", stacked, compacted),
    Scene("C7", last_word(f"[CONTEXT SUMMARY]: {LONG}"), last_word("a real request")),
    Scene("C7", last_word(f"[CONTEXT SUMMARY]: {LONG}"), said("")),
    Scene("C8", twice(LONG, LONG * 2, speak=True), compacted),
    Scene("C9", said(LONG), said("Never delete the production database without asking me first.")),
    Scene("C10", said(LONG), plain),
    Scene("C13", said(f"{LONG}\nThe ghost is in /srv/other/ghost.py, see ENT-991."), said(LONG)),
    Scene("C11", failing("[probe] (40 chars result)"), failing("[probe] FAILED: no such host")),
    Scene("C11", failing("[probe] (40 chars result)"), failing("[probe] `rm -r x` BLOCKED, not run")),
)
