"""Which conversations need attention."""

from __future__ import annotations

from datetime import datetime

from core.model.finding import Severity
from core.model.transcript.session import Guards
from inspector.screens.sessions.columns import SessionLine
from inspector.widgets.charts.pressure_bar import Pressure


def severity_of(line: SessionLine, pressure: Pressure, now: datetime) -> Severity | None:
    """How bad it is by its row and its size alone, before anybody reads what became of its compactions."""
    damaged = any(session.damage for session in line.row.sessions)
    return Severity.WARNING if pressure.near or damaged or _blocked(line.row.tip.guards, now) else None


def _blocked(guards: Guards, now: datetime) -> bool:
    """Automatic compression is held off, or has failed in a row."""
    cooling = guards.cooldown_until is not None and guards.cooldown_until > now
    return cooling or bool(guards.fallback_streak) or (guards.ineffective_count or 0) > 1
