"""Turns, decisions and calls in words."""

from __future__ import annotations

from core.explain.compactions.causes import trigger_in_short
from core.explain.turns.checks import SIZE, Check, Decision, PromptPoint, Standing, Turn
from core.redact.quick_check import masked_line

PASSED = {True: "yes", False: "no", None: "not known"}
_AT_LEAST = ">= "
_ABSENT = "no"
_MAX_QUOTE_CHARS = 80
"""The longest quotation of a provider, in characters."""
_FIRES = {True: "it would fire", False: "it does not fire", None: "not everything is on record"}


def turn_sentence(turn: Turn) -> str:
    """Why a turn compressed or did not, with figures, attempts used up, and the failure that ended it."""
    return f"{_answer(turn)}{_attempts(turn)}{_unanswered(turn)}"


def _unanswered(turn: Turn) -> str:
    """The failed call that ended it."""
    if turn.unanswered is None or _given_up(turn):
        return ""
    text = masked_line(turn.unanswered.text, _MAX_QUOTE_CHARS)
    return f"; no answer came, as the last call failed: {text}"


def _answer(turn: Turn) -> str:
    """The decisive check of the turn."""
    decision = turn.deciding
    if turn.events:
        figures = f", {_size(decision)}" if decision is not None and decision.event is not None else ""
        return f"{_outcome(turn)}{figures} ({_events(turn)})"
    if decision is None:
        return _unchecked(turn)
    size = _size(decision)
    if turn.standing is Standing.BELOW:
        return f"not large enough: {size}"
    if turn.standing is Standing.HELD:
        return f"large enough, {size}, but blocked: {_failed(decision)}"
    if turn.standing is Standing.DUE:
        return (
            f"large enough by the estimate, {size}, and nothing on record blocked it, but it did not fire: "
            "another window or threshold may have been in force"
        )
    if SIZE in decision.open:
        return f"may have been large enough: {size}"
    return f"large enough, {size}; whether this blocked it is not on record: {', '.join(decision.open)}"


def _unchecked(turn: Turn) -> str:
    return "nothing was checked" if turn.request else "its rows are gone, so it is unknown"


def _events(turn: Turn) -> str:
    """The numbers of its events, and which of several failed."""
    word = "event" if len(turn.events) == 1 else "events"
    numbers = ", ".join(str(number + 1) for number in turn.events)
    failed = ", ".join(str(number + 1) for number in turn.failed)
    some = turn.standing is Standing.FIRED and failed
    return f"{word} {numbers}; {failed} failed" if some else f"{word} {numbers}"


def _attempts(turn: Turn) -> str:
    """Which attempts of the turn refused requests used up."""
    if not turn.attempts:
        return ""
    last = turn.attempts[-1]
    given_up = ", then given up" if _given_up(turn) else ""
    if last.output is not None:
        lowered = f"the output asked for was refused and lowered to at most {last.output:,} tokens"
        return f"; {lowered}, attempt {last.number} of {last.most}{given_up}"
    return f"; attempt {last.number} of at most {last.most}{given_up}"


def outcome(turn: Turn) -> str:
    """The same in a few words, for a list that shows the figures in a column."""
    alone = turn.unanswered is None or _given_up(turn)
    return _outcome(turn) if alone else f"no answer: the call failed; {_outcome(turn)}"


def _given_up(turn: Turn) -> bool:
    """Whether its last attempt to shrink the request gave up, which already says that no answer came."""
    return bool(turn.attempts) and turn.attempts[-1].gives_up


def _outcome(turn: Turn) -> str:
    check = turn.deciding
    if turn.events:
        when = trigger_in_short(check.trigger) if check is not None and check.event is not None else ""
        if turn.standing is Standing.FIRED:
            return f"compressed {when}".rstrip()
        return f"failed ({when})" if when else "failed"
    if check is None:
        return _unchecked(turn)
    if turn.standing is Standing.HELD:
        return f"blocked: {', '.join(check.blocked_by)}"
    if turn.standing is Standing.OPEN and SIZE not in check.open:
        return f"not on record: {', '.join(check.open)}"
    words = {
        Standing.BELOW: "not large enough",
        Standing.OPEN: "may have been large enough",
        Standing.DUE: "due, but it did not fire",
    }
    return words[turn.standing]


def decision_sentence(decision: Decision) -> str:
    """Which check it was, where, what it compared, and the result."""
    counted = "counted by the provider" if decision.real else "estimated"
    if decision.where is not None:
        counted = f"{counted} ({decision.where}"
        counted += f", ~{decision.estimate:,} by its rows)" if decision.estimate is not None else ")"
    words = _FIRES[decision.fires] if decision.event is None else f"it fired (event {decision.event + 1})"
    when = trigger_in_short(decision.trigger)
    return f"checked {when} (row {decision.row}): {decision.tokens:,} tokens, {counted}: {words}"


def call_sentence(call: PromptPoint) -> str:
    """What the provider counted, what Hermes would have estimated, and the parts of the estimate."""
    parts = (("system prompt", call.system), ("tools", call.tools), ("messages", call.messages))
    formula = " + ".join(f"{name} {'–' if part is None else f'{part:,}'}" for name, part in parts)
    gap = call.real - call.estimate
    rest = f"{abs(gap):,} too {'few' if gap >= 0 else 'many'}"
    rest += ", the tools among them" if call.tools is None and gap >= 0 else ""
    counted = f"{call.where}: the provider counted {call.real:,}"
    return f"{counted}; estimated ~{call.estimate:,} = {formula}; {rest}"


def _size(decision: Decision) -> str:
    size = next(check for check in decision.checks if check.name == SIZE)
    if "tokens" in size.had:  # there is no limit, or rows count as well
        return f"{size.had}; required: {size.needed}"
    return f"{size.had} of {size.needed.removeprefix(_AT_LEAST)}"


def _failed(decision: Decision) -> str:
    return "; ".join(_refusal(check) for check in decision.checks if check.passed is False)


def _refusal(check: Check) -> str:
    """`messages 20 (required: > 23)`; for something that must be absent, only what was there."""
    required = "" if check.needed.startswith(_ABSENT) else f" (required: {check.needed})"
    return f"{check.name} {check.had}{required}"
