"""What a release checked turn by turn (required, actual, passed): why it compressed, and why it did not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Any

from core.errors import NotFoundError
from core.support import formatting as fmt
from inspector.cli import output
from inspector.cli.arguments import parsers
from inspector.payloads import values as jsonio

if TYPE_CHECKING:
    from core.explain.compactions.refusals import FailedCall
    from core.explain.turns.checks import Check, Decision, PromptPoint, Turn
    from core.store.store import Store

At = int | datetime


def at(text: str) -> At:
    """Parse a turn: its number, or a time within it.

    Raises:
        argparse.ArgumentTypeError: The text is neither.
    """
    return int(text) if text.isdecimal() and len(text) < 8 else parsers.moment(text)


def all_turns(store: Store, session_id: str, release: str | None) -> tuple[Turn, ...]:
    """Every turn of a conversation, with its decisions."""
    from core.explain.events import explain
    from core.explain.turns.replay import replay_turns

    found = explain(store, session_id, release=release)
    return replay_turns(found.context, found.events)


def chosen(turns: Sequence[Turn], place: At | None) -> Turn | None:
    """The turn to show: by number, the one running at a time, else the newest.

    Raises:
        NotFoundError: There is no such turn.
    """
    if place is None:
        return turns[-1] if turns else None
    if isinstance(place, int):
        found = [turn for turn in turns if turn.index == place]
    else:
        found = [turn for turn in turns if turn.at is not None and turn.at <= place][-1:]
    if not found:
        count = f"The conversation has {len(turns)}; see `why --turns`"
        where = str(place) if isinstance(place, int) else fmt.moment(place)
        raise NotFoundError("no turn", where=where, remedy=count)
    return found[0]


def payload(turn: Turn | None) -> dict[str, Any] | None:
    """A turn with its decisions, as JSON."""
    if turn is None:
        return None
    return {
        **turn_payload(turn),
        "decisions": [_decision(decision) for decision in turn.decisions],
        "calls": [_call(call) for call in turn.calls],
    }


def turn_payload(turn: Turn) -> dict[str, Any]:
    """A turn without its decisions, as JSON."""
    from core.explain.turns.sentences import turn_sentence

    return {
        "turn": turn.index,
        "generation": turn.generation,
        "message": turn.request,
        "at": jsonio.time(turn.at),
        "standing": turn.standing.value,
        "sentence": turn_sentence(turn),
        "events": list(turn.events),
        "attempts": [asdict(attempt) for attempt in turn.attempts],
        "failure": _failure(turn.unanswered),
    }


def _failure(one: FailedCall | None) -> dict[str, Any] | None:
    if one is None:
        return None
    return {
        "where": one.line.where,
        "text": jsonio.masked(one.text),
        "means": one.means,
        "headline": one.says,
        "remedy": one.helps,
    }


def turn_lines(turns: Iterable[Turn]) -> Iterator[str]:
    """Every turn as a table row."""
    from core.explain.turns.sentences import turn_sentence
    from inspector.cli import table

    columns = (
        table.Column("turn", right=True),
        table.Column("generation", right=True, varies=True, rank=3),
        table.Column("at", rank=1),
        table.Column("outcome", shrinks=True, least=30, wraps=True),
        table.Column("your message", shrinks=True, least=20, rank=2),
    )
    yield ""
    yield from table.lines(
        columns,
        (
            [str(turn.index), str(turn.generation), fmt.moment(turn.at), turn_sentence(turn), turn.text]
            for turn in turns
        ),
    )


def lines(turn: Turn | None) -> Iterator[str]:
    """A turn's decisions as printed tables."""
    from core.explain.turns.sentences import call_sentence, decision_sentence, turn_sentence
    from inspector.cli import table

    yield ""
    if turn is None:
        yield "nothing was decided: there is no message from you yet"
        return
    count = fmt.plural(len(turn.decisions), "decision")
    yield f"turn {turn.index}, in generation {turn.generation}, {fmt.moment(turn.at)}: {count}"
    yield turn_sentence(turn)
    if turn.unanswered is not None:
        yield f"{turn.unanswered.says} {turn.unanswered.helps}"
    columns = (
        table.Column("check", wraps=True, shrinks=True),
        table.Column("required", wraps=True, shrinks=True),
        table.Column("actual", right=True, wraps=True, shrinks=True),
        table.Column("passed"),
    )
    for decision in turn.decisions:
        yield ""
        yield decision_sentence(decision)
        yield from table.lines(columns, map(_cells, decision.checks))
    yield from (output.muted(f"  {call_sentence(call)}") for call in turn.calls)


def _cells(check: Check) -> list[str]:
    from core.explain.turns.sentences import PASSED

    return [check.name, check.needed, check.had, PASSED[check.passed]]


def _decision(one: Decision) -> dict[str, Any]:
    return {
        "trigger": one.trigger.value,
        "message": one.row,
        **jsonio.fields(one, "generation at tokens"),
        "counted": one.real,
        **jsonio.fields(one, "where estimate fires event"),
        "checks": [jsonio.fields(check, "name needed had passed") for check in one.checks],
    }


def _call(one: PromptPoint) -> dict[str, Any]:
    return {
        "at": jsonio.time(one.at),
        "where": one.where,
        "counted": one.real,
        **jsonio.fields(one, "cached estimate system tools messages"),
    }
