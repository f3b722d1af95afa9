"""Scenes of the rules about compaction in vain."""

from __future__ import annotations

from tests.core.explain.diagnose.scene import (
    LONG,
    Build,
    Scene,
    base,
    compacted,
    guarded,
    hygiene,
    line,
    plain,
    twice,
)
from tests.core.explain.home import Home

GAVE_UP = "Compression skipped — repeated compaction attempts did not restore healthy context."
EXHAUSTED = "Context length exceeded: 70,000 tokens. Cannot compress further."


def often(gap: float, turns: int = 4) -> Build:
    def build(home: Home) -> None:
        base(home)
        for number in range(4):
            home.talk(turns)
            home.call(6, 60_000 + number)
            home.started(60_000 + number, 28)
            home.compact(summary=LONG + str(number) * (500 * number))
            home.done(28, 8, 9_000)
            home.db.tick(gap)

    return build


def again_by_hand(home: Home) -> None:
    """`/compress` typed twice, the second time with a topic, and nothing said in between."""
    base(home)
    by_hand(None, "the topic")(home)


def by_hand(*topics: str | None) -> Build:
    """`/compress` typed with each of these topics."""

    def build(home: Home) -> None:
        for topic in topics:
            home.started(60_000, 28, focus=topic)
            home.compact(summary=LONG)
            home.done(28, 8, 9_000)
            home.db.tick(60)

    return build


def three_by_hand(home: Home) -> None:
    """`/compress` typed three times after one turn."""
    plain(home)
    by_hand("a", "b", "c")(home)


def passes(count: int, turns: int = 1, *, done: bool = True) -> Build:
    def build(home: Home) -> None:
        plain(home)
        for turn in range(turns):
            home.turn(history=28 + turn)
            for number in range(count):
                home.refused("HTTP 413: Request Entity Too Large")
                home.started(40_000 + number, 28 - number)
                if done:
                    home.done(28 - number, 27 - number, 39_000)

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


def stored_again(home: Home) -> None:
    """The whole list once more, as 0.19 does with `/new` right after `/compress`."""
    home.db.session("S")
    home.turn()
    for number in range(7):
        _read(home, f"a{number}", f"file{number}")
    home.compact(summary=LONG, tail=24)
    for row in home.db.live("S"):
        home.db.copy(row)


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


def gave_up_until(deadline: float) -> Build:
    """Automatic compression was switched off until a time, as its line and its columns say."""

    def build(home: Home) -> None:
        guarded(compression_ineffective_count=2, compression_recovery_deadline=deadline)(home)
        home.line(GAVE_UP)

    return build


THRASH = (
    Scene("B1", lambda home: compacted(home, after=56_000), compacted),
    Scene("B2", line(GAVE_UP), line("Compression skipped — nothing to do")),
    Scene(
        "B2",
        guarded(compression_ineffective_count=2),
        guarded(compression_ineffective_count=1),
        release="0.22",
    ),
    Scene(
        "B2",
        gave_up_until(4e9),
        gave_up_until(1.0),
        release="0.22",
    ),
    Scene("B3", often(60), often(3_000, turns=6)),
    Scene("B3", often(20_000, turns=3), often(20_000, turns=6)),
    Scene("B4", twice(LONG, LONG + "x", speak=False), twice(LONG, LONG + "x", speak=True)),
    Scene("B4", twice(LONG, LONG, speak=False), twice(LONG, LONG * 2, speak=False)),
    Scene("B4", twice(LONG, LONG, speak=False), again_by_hand),
    Scene("B5", lambda home: compacted(home, after=58_000), compacted),
    Scene("B6", line(EXHAUSTED, level="ERROR"), line(EXHAUSTED, tag="T")),
    Scene("B6", line(EXHAUSTED, level="ERROR"), plain),
    Scene("B6", passes(3), passes(2)),
    Scene("B6", passes(3), passes(3, done=False)),
    Scene("B6", passes(3), three_by_hand),
    Scene("B7", hygiene(5_100, 40_000, done=False, times=2), hygiene(5_100, 60_000, done=False, times=2)),
    Scene("B8", rereads(True), rereads(False)),
    Scene("B8", rereads(True), stored_again),
    Scene("B9", took(90), took(10)),
)
