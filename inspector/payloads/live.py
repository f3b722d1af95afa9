"""What happened in a store, as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspector.payloads import values as jsonio

if TYPE_CHECKING:
    from core.live.event import LiveEvent


def payload(event: LiveEvent, profile: str | None = None) -> dict[str, Any]:
    """An event as the command line promises it."""
    return {
        **jsonio.fields(event, "at kind session key"),
        "profile": profile,
        **event.facts,
    }
