"""Which conversations need attention, from what a row of the list shows."""

from __future__ import annotations

from datetime import datetime

from core.model.finding import Severity
from core.model.transcript.session import Guards
from inspector.screens.sessions.columns import SessionLine
from inspector.terminal.glyphs import SEVERITY
from inspector.widgets.charts.pressure_bar import Pressure


def flags(line: SessionLine, pressure: Pressure, now: datetime) -> tuple[tuple[str, str], ...]:
    """Signs of what needs attention, as (theme token, text)."""
    worst = _severity(line, pressure, now)
    return ((f"severity-{worst}", SEVERITY[worst]),) if worst else ()


def _severity(line: SessionLine, pressure: Pressure, now: datetime) -> Severity | None:
    if pressure.past:
        return Severity.CRITICAL
    damaged = any(session.damage for session in line.row.sessions)
    return Severity.WARNING if pressure.near or damaged or _blocked(line.row.tip.guards, now) else None


def _blocked(guards: Guards, now: datetime) -> bool:
    """Automatic compression is held off, or has failed in a row."""
    cooling = guards.cooldown_until is not None and guards.cooldown_until > now
    return cooling or bool(guards.fallback_streak) or (guards.ineffective_count or 0) > 1
