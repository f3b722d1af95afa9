"""A second cause for rules about cuts, chains and secrets that have but one scene elsewhere."""

from __future__ import annotations

from tests.core.explain.diagnose.other_scenes import LOWERED
from tests.core.explain.diagnose.partition_scenes import middle
from tests.core.explain.diagnose.scene import LONG, Build, Scene, children, plain, rows
from tests.core.explain.diagnose.structure_scenes import SECRET, begun_anew, late, next_turn
from tests.core.explain.home import Home


def long_turn(size: int) -> Build:
    """One request and many answers, of which all belong to it."""

    def build(home: Home) -> None:
        home.db.session("S")
        home.talk(12, size=4_000)
        home.db.message("S", "user", "the last request")
        for number in range(8):
            home.db.message("S", "assistant", "w" * size, calls=[(f"z{number}", "terminal", "{}")])
            home.db.message("S", "tool", "ok", tool_call_id=f"z{number}", tool_name="terminal")
        home.db.message("S", "assistant", "done")

    return build


def lowered(turns: int) -> Build:
    """A middle, and a summary model of which the log says how much it holds."""

    def build(home: Home) -> None:
        middle(turns)(home)
        home.line(LOWERED, tag=None)

    return build


def sidecar(size: int) -> Build:
    items = '[{"encrypted_content": "' + "c" * size + '"}]'
    return rows(lambda home: home.db.message("S", "assistant", "yes", codex_reasoning_items=items))


def second_link(reason: str | None) -> Build:
    """A chain whose newest session ended so."""

    def build(home: Home) -> None:
        children(1)(home)
        home.db.connection.execute("UPDATE sessions SET end_reason = ? WHERE id = 'C0'", (reason,))

    return build


def sibling(**columns: str) -> Build:
    """Another child of a compressed session."""

    def build(home: Home) -> None:
        children(1)(home)
        home.db.session("D", parent_session_id="S", **columns)
        home.db.message("D", "user", "hello")

    return build


def repeated(text: str) -> Build:
    """An answer that was stored twice at the same moment, word for word or not."""

    def build(home: Home) -> None:
        plain(home)
        home.db.message("S", "user", "go")
        row = home.db.message("S", "assistant", "done")
        home.db.mark([home.db.copy(row)], content=text)

    return build


def pruned(lost: int) -> Build:
    """`/compress here` with the kept turns archived, of which so many came back."""

    def build(home: Home) -> None:
        home.db.session("S")
        home.talk(6)
        old = home.db.live("S")
        home.db.mark(old, active=0, compacted=1)
        for row in old[:4]:
            home.db.copy(row)
        home.db.message("S", "user", "[CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns.\n## Goal\nship")
        for row in old[12:16] if lost else old[12:]:
            home.db.copy(row)

    return build


def prompt(text: str) -> Build:
    def build(home: Home) -> None:
        home.db.session("S", system_prompt=f"You are careful. {text}")
        home.talk(2)

    return build


def result(text: str) -> Build:
    return rows(
        lambda home: home.db.message("S", "assistant", "", calls=[("q", "t", "{}")]),
        lambda home: home.db.message("S", "tool", text, tool_call_id="q", tool_name="t"),
    )


def summary_only(kept: int, *, left: int = 8, turns: int = 0) -> Build:
    """A rotation that left some messages, of which so many were stored behind the summary."""

    def build(home: Home) -> None:
        home.db.session("S")
        home.turn()
        home.talk(7)
        home.started(60_000, 28)
        home.db.rotate("S", "C", 0, kept, LONG)
        home.done(28, left, 9_000, session="C", tag="C")
        home.talk(turns, "C")

    return build


def by_time(seconds: float, tail: int = 4) -> Build:
    """A rotation whose summary is so much newer than the messages behind it."""

    def build(home: Home) -> None:
        home.db.session("S")
        home.talk(7)
        _, *behind = home.db.rotate("S", "C", 0, tail, LONG)
        for row in behind:
            home.db.mark([row], timestamp=home.db.tick(0) - seconds + row / 1_000)

    return build


def moved(stored: int, size: int = 40_000) -> Build:
    """A result that became a file, of which so much is stored."""

    def build(home: Home) -> None:
        plain(home)
        home.db.message("S", "assistant", "", calls=[("q", "t", "{}")])
        home.line(
            f"Budget enforcement: persisted tool result q ({size} chars)", logger="tools.tool_result_storage"
        )
        home.db.message("S", "tool", "w" * stored, tool_call_id="q", tool_name="t")

    return build


def unsaid(home: Home) -> None:
    """A session in which nothing was said."""
    home.db.session("S")


OTHER_STRUCTURE = (
    Scene("D1", long_turn(14_000), long_turn(1_000)),
    Scene("D4", lowered(30), lowered(3)),
    Scene("D6", sidecar(60_000), sidecar(100)),
    Scene("E1", second_link("compression"), second_link(None)),
    Scene("E2", sibling(), sibling(model_config='{"_branched_from": "S"}')),
    Scene("E7", repeated("done"), repeated("done, and more")),
    Scene("E12", late(40), late(20)),
    Scene("E13", next_turn(28), next_turn(27)),
    Scene("E14", pruned(12), pruned(0)),
    Scene("E15", begun_anew(None), begun_anew(9), release="0.16"),
    Scene("E16", summary_only(0), summary_only(7), release="0.18"),
    Scene("E16", summary_only(0, turns=2), summary_only(0, left=1), release="0.18"),
    Scene("E17", by_time(60), by_time(-60), release="0.17"),
    Scene("E17", by_time(60, tail=1), unsaid, release="0.17"),
    Scene("E18", moved(40_000), moved(2_000), release="0.22"),
    Scene("E18", moved(60_000, 60_000), moved(60_000, 90_000), release="0.18"),
    Scene("I1", prompt(SECRET), prompt("ghp_ is how a token begins.")),
    Scene("I3", result("Authorization: Bearer ***"), result("---\n*** a heading ***\n---")),
)
