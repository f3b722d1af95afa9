"""Alerts a user who is busy elsewhere: the terminal's bell, and a desktop notification."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from importlib.util import find_spec
from logging import Handler, LogRecord, getLogger

from core.errors import ConfigError
from core.live.alerts import Limits
from core.live.event import LiveEvent
from inspector.base.event_words import sentence
from inspector.settings.settings import Alerts, Settings
from inspector.terminal.text import clean_line

_MAX_CHARS = 200
"""Most characters of a notification."""
_TITLE = "Hermes Inspector"
_PACKAGE = "desktop_notifier"


def limits_of(own: Settings, *, share: float | None = None, budget: Decimal | None = None) -> Limits:
    """The limits to alert at: command-line options override the user's settings."""
    return Limits(
        own.alerts.context if share is None else share,
        own.budgets.today if budget is None else budget,
        own.alerts.cache_break,
    )


class _Complaints(Handler):
    """Collects what the package logs when it fails; otherwise it would be written across the screen."""

    def __init__(self) -> None:
        super().__init__()
        self.heard: list[str] = []

    def emit(self, record: LogRecord) -> None:
        """Keep the type of the error, or else the message."""
        kind = record.exc_info[0] if record.exc_info else None
        self.heard.append(kind.__name__ if kind is not None else record.getMessage())


class Notifier:
    """Alerts the user, as they set it, once for everything since the last check; `ring` rings the bell.

    Raises:
        ConfigError: Desktop notifications are on, but their package is not installed.
    """

    def __init__(self, how: Alerts, ring: Callable[[], object]) -> None:
        if how.desktop and find_spec(_PACKAGE) is None:
            raise ConfigError(
                "needs a package that is not installed",
                where="alerts.desktop",
                remedy="pip install 'hermes-inspector[notify]', or set it to false",
            )
        self._how, self._ring = how, ring
        self._failed = ""

    def tell(self, events: Sequence[LiveEvent]) -> str:
        """Alert for some events; blocks while the desktop does. If the desktop fails, ring the bell instead.

        Returns why the desktop failed, once per reason.
        """
        if not events:
            return ""
        if self._how.bell:
            self._ring()
        before, self._failed = self._failed, self._show(events) if self._how.desktop else ""
        if self._failed and not self._how.bell:
            self._ring()
        return self._failed if self._failed != before else ""

    def _show(self, events: Sequence[LiveEvent]) -> str:
        from desktop_notifier.sync import DesktopNotifierSync

        log, complaints = getLogger(_PACKAGE), _Complaints()
        log.propagate = False
        log.addHandler(complaints)
        try:
            DesktopNotifierSync(app_name=_TITLE).send(title=_TITLE, message=notification(events))
        except Exception as error:  # noqa: BLE001 - whatever the desktop's own service raises
            complaints.heard.append(type(error).__name__)
        finally:
            log.removeHandler(complaints)
        if not complaints.heard:
            return ""
        return f"The desktop notification failed, so the bell rings instead: {complaints.heard[0]}."


def notification(events: Sequence[LiveEvent]) -> str:
    """The newest event as a sentence without credentials and markup, and how many more there are."""
    said = clean_line(sentence(events[-1]))[:_MAX_CHARS]
    plain = said.translate({ord(sign): " " for sign in "<>&"})
    return f"{plain} (and {len(events) - 1} more)" if len(events) > 1 else plain
