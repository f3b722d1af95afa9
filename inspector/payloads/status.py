"""Where a conversation stands, as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspector.payloads import values as jsonio

if TYPE_CHECKING:
    from core.live.status import Status
    from core.model.finding import Finding


def payload(found: Status) -> dict[str, Any]:
    """A status as the command line promises it."""
    return {
        **jsonio.fields(found, "session title tokens verdict threshold share"),
        "today_usd": jsonio.money(found.today.usd),
        "today_at_least": found.today.at_least,
        "hit_rate": found.hit_rate,
        "worst": None if found.worst is None else _worst(found.worst),
    }


def _worst(found: Finding) -> dict[str, Any]:
    return {"rule": found.rule, "severity": found.severity.value, "headline": found.sentence}
