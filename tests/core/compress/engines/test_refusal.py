"""Which releases take an engine, and why the others run on their own."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from core.compress.engines.host.found_engine import EngineKind, FoundEngine, LoadedEngine, refusal
from core.hermes.policy.policy import load_policy, releases


def accepted(found: FoundEngine, loaded: LoadedEngine, selected: str | None = None) -> list[str]:
    def taken(release: str) -> bool:
        return refusal(found, loaded, load_policy(release), selected=selected) is None

    return list(filter(taken, releases()))


def found(folder: str = "small", *, enabled: bool = True) -> FoundEngine:
    return FoundEngine("small", EngineKind.PLUGIN, folder, path=Path(folder), enabled=enabled)


def loaded(*, is_abc: bool = True, copy_error: str | None = None, clones: bool = False) -> LoadedEngine:
    return LoadedEngine("small", is_abc, copy_error, clones, (), handed=("small",))


def test_an_ordinary_engine_is_taken_by_every_release() -> None:
    assert accepted(found(), loaded()) == list(releases())


def test_one_that_cannot_be_copied_is_refused_from_0_18_on_unless_it_is_selected_by_its_folder() -> None:
    shared = ["0.13", "0.14", "0.15", "0.16", "0.17"]
    assert accepted(found("other"), loaded(copy_error="TypeError"), "small") == shared
    assert accepted(found(), loaded(copy_error="TypeError")) == [*shared, "0.22"]
    assert accepted(found("other"), loaded(copy_error="TypeError", clones=True), "small") == [*shared, "0.22"]


def test_a_class_of_its_own_is_taken_only_by_folder() -> None:
    assert accepted(found(), loaded(is_abc=False)) == ["0.22"]
    assert accepted(found("other"), loaded(is_abc=False), "small") == []


def test_one_that_is_not_enabled_is_taken_only_by_folder() -> None:
    assert accepted(found(enabled=False), loaded()) == ["0.22"]
    assert accepted(found("other", enabled=False), loaded(), "small") == []


def test_a_folder_is_found_only_where_the_beginning_of_its_source_mentions_engines() -> None:
    assert accepted(replace(found(enabled=False), hinted=False), loaded()) == []
    assert accepted(replace(found(), hinted=False), loaded()) == list(releases())


def test_the_name_that_selects_it_is_its_folder_s_or_its_own() -> None:
    assert accepted(found("folder"), loaded(), "folder") == ["0.22"]
    assert accepted(found("folder"), loaded(), "small") == list(releases())


def test_only_the_first_of_two_is_registered() -> None:
    refused = refusal(found(), loaded(), load_policy("0.19"), first="other")
    assert refused == "'other' is registered before it, and only the first is used"
    assert refusal(found(), loaded(), load_policy("0.22"), first="other") is None


def test_an_entry_point_that_names_a_function_is_taken_from_0_22_on() -> None:
    point = FoundEngine("small", EngineKind.ENTRY_POINT, "here", module="small.plugin:register")
    assert accepted(point, loaded()) == ["0.22"]
    assert accepted(replace(point, module="small.plugin"), loaded()) == list(releases())


def test_a_source_that_mentions_memory_is_read_in_folders_and_from_0_22_on_in_entry_points() -> None:
    point = FoundEngine("small", EngineKind.ENTRY_POINT, "here", module="small", start="class MemoryProvider")
    assert accepted(point, loaded()) == [release for release in releases() if release != "0.22"]
    assert accepted(replace(found("other"), start="kind: exclusive"), loaded(), "small") == []


def test_an_engine_s_place_decides_which_of_two_is_meant() -> None:
    both = replace(loaded(), handed=("small", "second"))
    refused = refusal(found("other"), both, load_policy("0.22"), selected="second")
    assert refused == "'small' is registered before it, and only the first is used"
