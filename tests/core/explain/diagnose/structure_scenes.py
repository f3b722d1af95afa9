"""Scenes of the rules about how sessions hang together, and secrets."""

from __future__ import annotations

import os
import time

from tests.core.apply.material import compress_here
from tests.core.explain.diagnose.scene import (
    LONG,
    Build,
    Scene,
    base,
    children,
    compacted,
    plain,
    rotated,
    rows,
)
from tests.core.explain.home import Home

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"


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


def ended(reason: str) -> Build:
    def build(home: Home) -> None:
        home.db.session("S", end_reason=reason, ended_at=home.db.tick())
        home.talk(2)

    return build


def child(column: str, value: str | None) -> Build:
    """A continuation that holds something else than its parent in one column."""

    def build(home: Home) -> None:
        home.db.session("S", **{column: "/srv/app"})
        home.talk(4)
        home.db.rotate("S", "C", 3, 4, LONG)
        home.db.connection.execute(f"UPDATE sessions SET {column} = ? WHERE id = 'C'", (value,))

    return build


def link(calls: int, rows: int = 0) -> Build:
    """A chain whose newest session made some calls and holds some rows."""

    def build(home: Home) -> None:
        ended("compression")(home)
        home.db.session("C", parent_session_id="S", api_call_count=calls)
        for number in range(rows):
            home.db.message("C", "user", f"hello {number}")

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


def locked(acquired: float, expires: float, pid: int = os.getpid()) -> Build:
    """A lock acquired and expiring so many seconds from now."""

    def build(home: Home) -> None:
        plain(home)
        now = time.time()
        home.db.connection.execute(
            "INSERT INTO compression_locks VALUES ('S', ?, ?, ?)",
            (f"pid={pid}:tid=1:agent=a:nonce=b", now + acquired, now + expires),
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


def after_here(history: int) -> Build:
    """`/compress here` whose kept turns are lost from the rows, and the next turn of the same process."""

    def build(home: Home) -> None:
        home.started(20_000, before=16)
        compress_here(home.db, "S")
        home.done(16, 9, 4_000)
        home.turn_ended()
        home.turn(history=history)

    return build


def begun_anew(history: int | None, *, summary: bool = False) -> Build:
    """A process killed right after a rotation, and the next turn with so many messages (None: no log)."""

    def build(home: Home) -> None:
        home.db.session("S")
        home.talk(4)
        home.db.rotate("S", "C", 3, 4, LONG)
        if not summary:
            home.db.connection.execute("DELETE FROM messages WHERE session_id = 'C'")
        if history is not None:
            home.turn("C", history=history)
        home.db.message("C", "user", "go on")
        home.db.message("C", "assistant", "with what?")

    return build


def digested(home: Home) -> None:
    """What another engine left, of which config.yaml no longer tells: rows of its own, and copies."""
    begun_anew(None)(home)
    (last,) = home.db.connection.execute("SELECT max(id) FROM messages WHERE session_id = 'S'").fetchone()
    home.db.copy(last, "C")


GONE = 4_200_000
"""Beyond the highest process id there can be."""


def compressed_again(*, loses: bool) -> Build:
    """`/compress here`, some turns, and another compaction."""

    def build(home: Home) -> None:
        compress_here(home.db, "S", loses=loses)
        home.talk(3)
        home.compact()

    return build


STRUCTURE = (
    Scene("E1", ended("compression"), ended("cli_close"), release="0.17"),
    Scene("E2", children(2), children(1)),
    Scene("E3", child("cwd", None), child("cwd", "/srv/app")),
    Scene("E3", child("user_id", None), child("user_id", "u7")),
    Scene("E4", rotated, ended("compression")),
    Scene("E4", plain, rotated),
    Scene("E5", link(3), link(0)),
    Scene("E5", link(3), link(3, rows=2)),
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
    Scene("E11", locked(-900, -600), locked(-30, 270)),
    Scene("E11", locked(-30, 270, pid=GONE), locked(-30, 270)),
    Scene("E11", locked(-30, 270, pid=10**15), locked(-30, 270, pid=10**4_000)),
    Scene("E11", locked(-3_600, 270), locked(-400, 270)),
    Scene("E12", late(3_600), rotated),
    Scene("E13", next_turn(30), next_turn(9)),
    Scene("E13", after_here(24), after_here(17)),
    Scene("E15", begun_anew(0), begun_anew(9, summary=True), release="0.17"),
    Scene("E15", begun_anew(None), digested, release="0.17"),
    Scene(
        "E14",
        lambda home: compress_here(home.db, "S"),
        lambda home: compress_here(home.db, "S", loses=False),
    ),
    Scene(
        "E14",
        compressed_again(loses=True),
        compressed_again(loses=False),
    ),
    Scene("I1", rows(lambda home: home.db.message("S", "user", f"use {SECRET}")), plain),
    Scene(
        "I3",
        rows(lambda home: home.db.message("S", "tool", "key=***", tool_call_id="q", tool_name="t")),
        plain,
    ),
)
