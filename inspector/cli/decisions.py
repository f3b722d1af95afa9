"""What the release checked in the newest turn of a conversation: needed, had, passed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from core.explain.replay import Check, Decision, Turn
    from core.store.store import Store

_PASSED = {True: "yes", False: "no", None: "not known"}


def newest_turn(store: Store, session_id: str, release: str | None) -> Turn | None:
    """The last turn of the newest generation with its decisions; None where nobody asked anything."""
    from core.explain.events import explained
    from core.explain.replay import replay_turns

    frame, _ = explained(store, session_id, release=release)
    generations = frame.conversation.generations
    turns = replay_turns(frame, generations[-1]) if generations else ()
    return turns[-1] if turns else None


def payload(turn: Turn | None) -> dict[str, Any] | None:
    """A turn's decisions for scripts."""
    if turn is None:
        return None
    return {
        "turn": turn.index,
        "generation": turn.generation,
        "message": turn.request,
        "decisions": [_decision(one) for one in turn.decisions],
    }


def lines(turn: Turn | None) -> Iterator[str]:
    """A turn's decisions for people, one table each."""
    from inspector import format
    from inspector.cli.table import Column
    from inspector.cli.table import lines as table

    yield ""
    if turn is None:
        yield "nothing was decided: nobody asked anything in the newest generation"
        return
    count = format.plural(len(turn.decisions), "decision")
    yield f"turn {turn.index} of generation {turn.generation}: {count}"
    columns = (Column("check"), Column("needed"), Column("had", right=True), Column("passed"))
    for one in turn.decisions:
        counted = "counted by the provider" if one.real else "estimated"
        words = {True: "it would fire", False: "it does not fire", None: "not all is on record"}[one.fires]
        yield ""
        yield f"{one.trigger.value} after message {one.row}: {one.tokens:,} tokens, {counted}: {words}"
        yield from (f"  {line}" for line in table(columns, map(_cells, one.checks)))


def _cells(check: Check) -> list[str]:
    return [check.name, check.needed, check.had, _PASSED[check.passed]]


def _decision(one: Decision) -> dict[str, Any]:
    return {
        "trigger": one.trigger.value,
        "message": one.row,
        "tokens": one.tokens,
        "counted": one.real,
        "fires": one.fires,
        "checks": [
            {"name": check.name, "needed": check.needed, "had": check.had, "passed": check.passed}
            for check in one.checks
        ],
    }
