"""What a turn came to, in one sentence."""

from __future__ import annotations

from core.explain.decision import SIZE, Decision, Standing, Turn


def turn_sentence(turn: Turn) -> str:
    """Why it compressed or did not: the check that answers for the turn, and its figures."""
    telling = turn.telling
    if turn.standing is Standing.FIRED:
        numbers = ", ".join(str(number + 1) for number in turn.events)
        return f"compressed: event {numbers}"
    if telling is None:
        return "nothing was checked"
    size = _size(telling)
    if turn.standing is Standing.BELOW:
        return f"not large enough: {size}"
    if turn.standing is Standing.HELD:
        return f"large enough, {size}, but held back: {_failed(telling)}"
    if turn.standing is Standing.DUE:
        return f"large enough by the estimate, {size}, and nothing on record held it back; it did not fire"
    if SIZE in telling.open:
        return f"perhaps large enough: {size}"
    return f"large enough, {size}; not on record: {', '.join(telling.open)}"


def _size(decision: Decision) -> str:
    size = next(check for check in decision.checks if check.name == SIZE)
    return f"{size.had} where {size.needed} is needed"


def _failed(decision: Decision) -> str:
    failed = (check for check in decision.checks if check.passed is False)
    return "; ".join(f"{check.name} {check.had} (needed {check.needed})" for check in failed)
