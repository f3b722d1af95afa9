"""Scenes of the rules about where a compaction cuts."""

from __future__ import annotations

from tests.core.explain.diagnose.scene import (
    AUX,
    LONG,
    Build,
    Scene,
    base,
    children,
    config,
    line,
    plain,
    rows,
)
from tests.core.explain.home import Home


def results(size: int, count: int = 1) -> Build:
    """A last turn whose results have a size, after enough turns to leave a middle."""

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


def pictures(count: int, size: int = 4) -> Build:
    part = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * size}}

    def add(home: Home) -> None:
        for _ in range(count):
            home.db.message("S", "user", [{"type": "text", "text": "see"}, part])
            home.db.message("S", "assistant", "seen")

    return rows(add)


def thoughts(size: int) -> Build:
    return rows(lambda home: home.db.message("S", "assistant", "yes", reasoning="t" * size))


def cut(tail: int, head: int = 3) -> Build:
    def build(home: Home) -> None:
        base(home)
        home.compact(head=head, tail=tail, summary=LONG)

    return build


CANNOT = "Cannot compress: only 5 messages (need > 7)"

PARTITION = (
    Scene("D1", results(60_000), results(200)),
    Scene("D2", short(60_000), results(200)),
    Scene("D2", line(CANNOT, level="WARNING"), plain),
    Scene("D3", head(3), head(0)),
    Scene("D3", head(3), children(2)),
    Scene(
        "D4",
        middle(30),
        middle(4),
        hit_config=config(AUX.format(4_000)),
        miss_config=config(AUX.format(60_000)),
    ),
    Scene("D5", pictures(3), pictures(2)),
    Scene("D5", pictures(1, size=120_000), pictures(1, size=1_000)),
    Scene("D6", thoughts(60_000), thoughts(100)),
    Scene("D7", cut(2), cut(4)),
    Scene("D7", cut(4, head=2), cut(4, head=0)),
)
