"""What `plugin status` says: what is there, and what the installed release withholds."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from core.compress.engines.host.install import HermesInstall
from core.recordings.read import Extent
from inspector.hermes_plugin import status as status_module
from inspector.hermes_plugin.status import Status, status
from inspector.hermes_plugin.stub.settings import Settings
from tests.core.compress.engines.builders import FIRST_TWO, engine


def lines(release: str, *, recorder: bool = True, dashboard: bool | None = True) -> str:
    settings = Settings("home", "python", "root", "state", engine=False, recorder=recorder, summariser={})
    return "\n".join(
        Status(settings, True, "compressor", release, True, Extent(), dashboard).lines("hermes-inspector")
    )


@pytest.mark.parametrize(
    ("release", "messages", "tools"),
    [
        ("0.13.0", "no messages", "does not show its tools"),
        ("0.15.2", "", "does not show its tools"),
        ("0.16.0", "", "cut short"),
        ("0.17.0", "", ""),
        ("0.22.2", "", ""),
    ],
)
def test_what_a_release_hides_from_a_recorder_is_stated(release: str, messages: str, tools: str) -> None:
    told = lines(release)
    assert ("does not show a recorder its messages" in told) == bool(messages)
    assert [one for one in ("does not show its tools", "cut short") if one in told] == (
        [tools] if tools else []
    )


def test_without_a_recorder_nothing_is_hidden_from_it() -> None:
    assert "recorder" not in lines("0.13.0", recorder=False)


@pytest.mark.parametrize(("dashboard", "said"), [(False, True), (True, False), (None, False)])
def test_a_hermes_without_the_pages_of_its_dashboard_has_no_tab(dashboard: bool | None, said: bool) -> None:
    assert ("no dashboard tab" in lines("0.22.2", dashboard=dashboard)) == said


def test_one_of_what_was_recorded_is_told_as_one() -> None:
    settings = Settings("home", "python", "root", "state", engine=True, recorder=True, summariser={})
    told = list(Status(settings, True, "inspector", None, True, Extent(1, 1, 1, 9)).lines("hermes-inspector"))
    assert told[-2:] == ["recorded: 1 request, 1 compaction, 9 bytes", "not recorded: 1 request"]


def test_a_home_is_told_to_have_no_plugin(tmp_path: Path) -> None:
    status = Status(None, False, "compressor", None, False, Extent())
    advised = "not installed; run `hermes-inspector --home X plugin install`"
    assert next(status.lines("hermes-inspector --home X")) == advised


@pytest.mark.parametrize(
    ("release", "other", "ahead"),
    [("0.19.0", "aaa", ("aaa",)), ("0.19.0", "zzz", ()), ("0.22.2", "aaa", ())],
)
def test_an_engine_that_is_loaded_before_ours_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, release: str, other: str, ahead: tuple[str, ...]
) -> None:
    for name in (other, "inspector"):
        engine(tmp_path / "plugins", FIRST_TWO, name=name)
    (tmp_path / "config.yaml").write_text(
        f"context: {{engine: inspector}}\nplugins: {{enabled: [inspector, {other}]}}\n"
    )
    install = HermesInstall(Path(sys.executable), release, (), ())
    monkeypatch.setattr(status_module, "find_install", lambda python: install)
    assert status(tmp_path).ahead == ahead


def test_what_is_loaded_first_is_a_line_where_ours_is_chosen() -> None:
    settings = Settings("home", "python", "root", "state", engine=True, recorder=False, summariser={})
    chosen = Status(settings, True, "inspector", "0.19.0", True, Extent(), True, ("lcm",))
    assert "may not be the engine: lcm is loaded first, and Hermes 0.19.0" in "\n".join(
        chosen.lines("hermes-inspector")
    )
