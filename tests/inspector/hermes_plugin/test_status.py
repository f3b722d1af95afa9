"""What `plugin status` says: what is there, and what the installed release withholds."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.recordings.read import Extent
from inspector.hermes_plugin.status import Status
from inspector.hermes_plugin.stub.settings import Settings


def lines(release: str, *, recorder: bool = True, dashboard: bool | None = True) -> str:
    settings = Settings("home", "python", "root", "state", engine=False, recorder=recorder, summariser={})
    return "\n".join(Status(settings, True, "compressor", release, True, Extent(), dashboard).lines())


@pytest.mark.parametrize(
    ("release", "messages", "tools"),
    [
        ("0.13.0", "no messages", "no tools"),
        ("0.15.2", "", "no tools"),
        ("0.16.0", "", "the tools cut"),
        ("0.17.0", "", ""),
        ("0.22.2", "", ""),
    ],
)
def test_what_a_release_hides_from_a_recorder_is_said(release: str, messages: str, tools: str) -> None:
    told = lines(release)
    assert ("shows a recorder no messages" in told) == bool(messages)
    assert [one for one in ("no tools", "the tools cut") if one in told] == ([tools] if tools else [])


def test_without_a_recorder_nothing_is_hidden_from_it() -> None:
    assert "recorder" not in lines("0.13.0", recorder=False)


@pytest.mark.parametrize(("dashboard", "said"), [(False, True), (True, False), (None, False)])
def test_a_hermes_without_the_pages_of_its_dashboard_has_no_tab(dashboard: bool | None, said: bool) -> None:
    assert ("no tab in the dashboard" in lines("0.22.2", dashboard=dashboard)) == said


def test_a_home_is_told_to_have_no_plugin(tmp_path: Path) -> None:
    assert "not installed" in next(Status(None, False, "compressor", None, False, Extent()).lines())
