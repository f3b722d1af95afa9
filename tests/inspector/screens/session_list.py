"""What the list of sessions shows, as tests ask for it."""

from __future__ import annotations

from inspector.app import InspectorApp
from inspector.screens.sessions.screen import SessionsScreen
from inspector.widgets.bars.status_line import StatusLine
from tests.inspector.driving import front


def screen(app: InspectorApp) -> SessionsScreen:
    return front(app, SessionsScreen)


def titles(app: InspectorApp) -> list[str | None]:
    rows = screen(app).listing.rows
    return [row.title if row else None for row in (rows.row(index) for index in range(rows.count))]


def drawn(app: InspectorApp) -> list[str]:
    listing = screen(app).listing
    return [listing.render_line(y).text.rstrip() for y in range(listing.size.height)]


def head_right(app: InspectorApp) -> str:
    return "".join(text for _, text in screen(app).query_one("#head", StatusLine).right)
