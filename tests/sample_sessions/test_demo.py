"""The sample home in the user's cache: made once, completely or not at all."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from sample_sessions import demo
from sample_sessions.demo import demo_home


@pytest.fixture(autouse=True)
def small_build(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Building is tested elsewhere; here it leaves two files and a note."""
    built: list[Path] = []

    def build(target: Path) -> Path:
        (target / "state.db").write_bytes(b"")
        built.append(target)
        return target

    monkeypatch.setattr(demo, "build", build)
    return built


def test_it_is_built_on_first_use_only(tmp_path: Path, small_build: list[Path]) -> None:
    home = demo_home(tmp_path)
    assert demo_home(tmp_path) == home
    assert len(small_build) == 1
    assert (home / "state.db").exists()
    assert home.name.startswith("demo-")


def test_nothing_half_made_is_ever_visible(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(target: Path) -> Path:
        (target / "state.db").write_bytes(b"half")
        raise KeyboardInterrupt

    monkeypatch.setattr(demo, "build", fail)
    with pytest.raises(KeyboardInterrupt):
        demo_home(tmp_path)
    assert list(tmp_path.glob("demo-*")) == []


def test_who_comes_second_uses_what_the_first_one_made(tmp_path: Path) -> None:
    first = demo_home(tmp_path)
    workshop = tmp_path / ".demo-late"
    workshop.mkdir()
    (workshop / "state.db").write_bytes(b"late")
    assert demo._publish(workshop, first) == first
    assert (first / "state.db").read_bytes() == b""
    assert not workshop.exists()


def test_a_cache_that_cannot_be_written_is_done_without(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    home = demo_home(blocked / "cache")
    assert (home / "state.db").exists()


def test_homes_of_earlier_weeks_are_swept_away(tmp_path: Path) -> None:
    now = time.time()
    made = {"demo-a": 0, "demo-b": demo.DAY / 2, "demo-c": 2 * demo.DAY, ".demo-half": 2 * demo.DAY}
    for name, age in made.items():
        (tmp_path / name).mkdir()
        os.utime(tmp_path / name, (now - age,) * 2)
    home = demo_home(tmp_path)
    assert {folder.name for folder in tmp_path.iterdir()} == {home.name, "demo-a", "demo-b"}


def test_the_home_before_this_one_stays_for_two_weeks(tmp_path: Path) -> None:
    folder = tmp_path / "demo-a"
    folder.mkdir()
    os.utime(folder, (time.time() - demo.KEPT + 60,) * 2)
    home = demo_home(tmp_path)
    assert folder.exists()
    os.utime(folder, (time.time() - demo.KEPT - 60,) * 2)
    demo._sweep(home)
    assert not folder.exists()


def test_it_lives_in_the_users_cache_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert demo_home().parent == tmp_path / "hermes-inspector"
