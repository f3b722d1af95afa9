"""The dialog that writes a report."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from core.store.database.locate import Location
from inspector.app import InspectorApp
from inspector.report import document
from inspector.report.document import report_text
from inspector.screens.dialogs.save_report import ReportScreen
from tests.conftest import NOW
from tests.inspector.screens.conftest import drawn, press
from tests.inspector.screens.findings.test_findings_keys import findings_of


async def test_enter_pressed_twice_writes_one_report_and_a_name_that_exists_is_asked_for_again(
    samples: Location, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slow(*told: Any) -> str:
        time.sleep(0.5)
        return report_text(*told)

    monkeypatch.setattr(document, "report_text", slow)
    monkeypatch.chdir(tmp_path)
    app = InspectorApp([samples], view="findings", now=lambda: NOW)
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        await findings_of(pilot)
        await press(pilot, "e")
        await pilot.press("enter", "enter")
        await press(pilot)
        assert not isinstance(app.screen, ReportScreen)
        assert len(list(tmp_path.iterdir())) == 1
        assert "Written to" in drawn(pilot)
        assert "already exists" not in drawn(pilot)
        await press(pilot, "e")
        await press(pilot, "enter")
        assert "already exists" in drawn(pilot)
        assert isinstance(app.screen, ReportScreen)
        assert app.screen.prompt.asking
