"""One event as one line for people."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from inspector.terminal import formatting as fmt

if TYPE_CHECKING:
    from core.live.event import LiveEvent

Facts = Mapping[str, Any]


def text(event: LiveEvent) -> str:
    """The time of day, the kind, the session, and what there is to say."""
    kind = event.kind.value.replace("_", " ")
    return f"{fmt.clock(event.at)}  {kind:<11} {event.session or '–'}  {sentence(event)}"


def sentence(event: LiveEvent) -> str:
    """What there is to say of it."""
    return " ".join(_WORDS[event.kind.value](event.facts).split())


def _message(facts: Facts) -> str:
    tool = f" of {facts['tool']}" if facts["tool"] else ""
    return f"{facts['role']}{tool}, {fmt.count(facts['bytes'])} bytes"


def _call(facts: Facts) -> str:
    sizes = f"{fmt.short(facts['prompt'])} prompt, {fmt.short(facts['output'])} output tokens"
    return f"{facts['model']}: {sizes}, cache {fmt.percent(facts['hit_rate'])}"


def _compaction(facts: Facts) -> str:
    if headline := facts.get("headline"):
        return str(headline)
    return f"{fmt.count(facts.get('messages_before'))} → {fmt.count(facts.get('messages_after'))} messages"


def _failure(facts: Facts) -> str:
    return f"{facts['what']}: {facts['text']}"


def _cache_break(facts: Facts) -> str:
    cause = str(facts["cause"]).replace("_", " ")
    cost = fmt.money(facts["cost_usd"])
    return f"{cause}: {fmt.short(facts['tokens_lost'])} tokens read again, {cost}"


def _budget(facts: Facts) -> str:
    sign = fmt.LOWER_BOUND if facts["at_least"] else ""
    spent, budget = fmt.money(facts["spent_usd"], mark=sign), fmt.money(facts["budget_usd"])
    return f"{spent} spent today, past {budget}"


def _alert(facts: Facts) -> str:
    used = f"{fmt.short(facts['tokens'])} of {fmt.short(facts['threshold'])} tokens"
    return f"{fmt.percent(facts['share'])} of the context used: {used}"


_WORDS: Mapping[str, Callable[[Facts], str]] = {
    "message": _message,
    "call": _call,
    "compaction": _compaction,
    "failure": _failure,
    "cache_break": _cache_break,
    "budget": _budget,
    "alert": _alert,
}
