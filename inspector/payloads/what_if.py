"""What other settings would have done to a conversation, as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspector.payloads import values as jsonio

if TYPE_CHECKING:
    from core.explain.what_if.scenarios import Scenario


def payload(one: Scenario) -> dict[str, Any]:
    """One scenario as the command line promises it."""
    found = one.outcome
    return {
        "changes": None if one.actual else one.name,
        "actual": one.actual,
        "best": one.best,
        "release": found.release,
        "window": found.settings.window,
        "threshold_percent": found.settings.threshold,
        "target_ratio": found.settings.target_ratio,
        "threshold": found.threshold,
        "compactions": [
            {"after_row": firing.row, "turn": firing.turn, "tokens": firing.tokens}
            | {"summarised_tokens": firing.summarised, "attempt": firing.attempt or None}
            | {"trigger": "hygiene" if firing.by_gateway else "overflow" if firing.attempt else "threshold"}
            for firing in found.firings
        ],
        "refused": [
            {"after_row": one.row, "turn": one.turn, "tokens": one.tokens}
            | {"attempts": one.attempts, "end": one.end.value}
            for one in found.refused
        ],
        **jsonio.fields(found, "calls prompt_tokens summarised_tokens peak loops usd"),
    }
