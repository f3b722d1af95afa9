"""When the user is called, and how."""

from __future__ import annotations

import sys
from decimal import Decimal
from logging import getLogger
from types import ModuleType
from typing import Any

import pytest

from core.errors import ConfigError
from core.live.alerts import Limits
from core.live.event import LiveEvent, LiveKind
from inspector.settings.notifier import Notifier, limits_of, notification
from inspector.settings.settings import Alerts, Budgets, Settings

SECRET = "sk-ant-api03-" + "Ab3dE5gH7jK9" * 8


def event(kind: LiveKind, **facts: object) -> LiveEvent:
    return LiveEvent(kind, "key", "s1", None, facts)


def failure(text: str = "the summary fell back") -> LiveEvent:
    return event(LiveKind.FAILURE, what="summary", text=text)


@pytest.mark.parametrize(
    ("cost", "limit", "calls"),
    [("0.5", "0.4", True), ("0.4", "0.4", False), (None, "0", False), ("9", None, False)],
)
def test_a_cache_break_calls_when_its_known_price_is_over_the_limit(
    cost: str | None, limit: str | None, calls: bool
) -> None:
    limits = Limits(cache_break=None if limit is None else Decimal(limit))
    found = event(LiveKind.CACHE_BREAK, cost_usd=None if cost is None else Decimal(cost))
    assert limits.should_notify(found) is calls


def test_failures_shares_and_budgets_call_and_plain_events_do_not() -> None:
    called = [kind for kind in LiveKind if Limits().should_notify(event(kind, cost_usd=None))]
    assert called == [LiveKind.FAILURE, LiveKind.BUDGET, LiveKind.ALERT]


def test_an_option_goes_before_the_settings() -> None:
    own = Settings(alerts=Alerts(context=0.5, cache_break=Decimal(1)), budgets=Budgets(Decimal(3)))
    assert limits_of(own) == Limits(0.5, Decimal(3), Decimal(1))
    assert limits_of(own, share=0.9, budget=Decimal(7)) == Limits(0.9, Decimal(7), Decimal(1))


def test_the_bell_rings_once_for_many_events_and_not_at_all_where_it_is_off() -> None:
    rung: list[int] = []
    Notifier(Alerts(), lambda: rung.append(1)).tell([failure(), failure()])
    Notifier(Alerts(), lambda: rung.append(1)).tell([])
    Notifier(Alerts(bell=False), lambda: rung.append(1)).tell([failure()])
    assert rung == [1]


def test_the_desktop_without_its_package_is_stated_before_anything_happens(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("inspector.settings.notifier.find_spec", lambda name: None)
    with pytest.raises(ConfigError, match="not installed"):
        Notifier(Alerts(desktop=True), lambda: None)


def test_the_desktop_gets_the_sentence_and_a_desktop_that_fails_is_reported(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sent: list[dict[str, Any]] = []

    class Desktop:
        def __init__(self, app_name: str) -> None:
            self.name = app_name

        def send(self, **said: Any) -> None:
            sent.append(said)
            if len(sent) in (2, 3):
                raise OSError("no bus")
            if len(sent) == 4:
                getLogger("desktop_notifier.backends.base").warning("Notification failed")

    package, module = ModuleType("desktop_notifier"), ModuleType("desktop_notifier.sync")
    module.DesktopNotifierSync = Desktop  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "desktop_notifier", package)
    monkeypatch.setitem(sys.modules, "desktop_notifier.sync", module)
    monkeypatch.setattr("inspector.settings.notifier.find_spec", lambda name: object())
    rung: list[int] = []
    caller = Notifier(Alerts(bell=False, desktop=True), lambda: rung.append(len(sent)))
    assert caller.tell([failure()]) == ""
    assert sent[0]["message"] == "summary: the summary fell back"
    assert "OSError" in caller.tell([failure()])
    assert caller.tell([failure()]) == ""  # said once
    assert "Notification failed" in caller.tell([failure()])
    assert rung == [2, 3, 4]
    assert capsys.readouterr().err == ""


def test_a_notification_holds_neither_credentials_nor_markup_nor_control_signs() -> None:
    said = notification([failure(), failure(f"<b>401</b>\x1b[2J for {SECRET}")])
    assert SECRET not in said
    assert not set("<>&\x1b") & set(said)
    assert said.endswith("(and 1 more)")
