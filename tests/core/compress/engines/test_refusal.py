"""Which releases take an engine, and why the others run on their own."""

from __future__ import annotations

from pathlib import Path

from core.compress.engines.host.found_engine import EngineKind, FoundEngine, LoadedEngine, refusal
from core.hermes.policy.policy import load_policy, releases


def accepted(found: FoundEngine, loaded: LoadedEngine) -> list[str]:
    return [name for name in releases() if refusal(found, loaded, load_policy(name)) is None]


def found(folder: str = "small", *, enabled: bool = True) -> FoundEngine:
    return FoundEngine("small", EngineKind.PLUGIN, folder, path=Path(folder), enabled=enabled)


def loaded(*, is_abc: bool = True, copy_error: str | None = None, clones: bool = False) -> LoadedEngine:
    return LoadedEngine("small", is_abc, copy_error, clones, ())


def test_an_ordinary_engine_is_taken_by_every_release() -> None:
    assert accepted(found(), loaded()) == list(releases())


def test_one_that_cannot_be_copied_is_refused_from_0_18_on_unless_its_folder_has_its_name() -> None:
    shared = ["0.13", "0.14", "0.15", "0.16", "0.17"]
    assert accepted(found("other"), loaded(copy_error="TypeError")) == shared
    assert accepted(found(), loaded(copy_error="TypeError")) == [*shared, "0.22"]
    assert accepted(found("other"), loaded(copy_error="TypeError", clones=True)) == [*shared, "0.22"]


def test_a_class_of_its_own_is_taken_only_by_folder() -> None:
    assert accepted(found(), loaded(is_abc=False)) == ["0.22"]
    assert accepted(found("other"), loaded(is_abc=False)) == []


def test_one_that_is_not_enabled_is_taken_only_by_folder() -> None:
    assert accepted(found(enabled=False), loaded()) == ["0.22"]
    assert accepted(found("other", enabled=False), loaded()) == []
