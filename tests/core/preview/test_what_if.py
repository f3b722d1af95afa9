"""Turning the settings of the what-if bar."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import UsageError
from core.model.compaction.plan import Settings
from core.preview.what_if import BAR_SETTINGS, BarSetting, Hypothesis, WhatIf

RELEASES = ("0.13", "0.16", "0.19", "0.22")


def bar(release: str = "0.19", **values: object) -> WhatIf:
    known = replace(Settings(window=200_000), **values)  # type: ignore[arg-type]
    return WhatIf.of(Hypothesis(release, known), RELEASES)


def at(key: str, what_if: WhatIf) -> WhatIf:
    return replace(what_if, selected=next(i for i, setting in enumerate(BAR_SETTINGS) if setting.key == key))


def test_turning_a_setting_moves_to_the_next_rung_and_marks_it() -> None:
    turned = at("threshold", bar()).turn(+1)
    assert turned.supposed.settings.threshold == 0.55
    assert turned.differs(turned.setting)
    assert turned.changed


def test_a_value_between_two_rungs_moves_to_its_neighbours() -> None:
    odd = at("threshold", bar(threshold=0.52))
    assert odd.turn(+1).supposed.settings.threshold == 0.55
    assert odd.turn(-1).supposed.settings.threshold == 0.50


@pytest.mark.parametrize("setting", BAR_SETTINGS, ids=lambda setting: setting.key)
@pytest.mark.parametrize("step", [-1, 1])
def test_every_setting_stops_at_the_end_of_its_ladder(setting: BarSetting, step: int) -> None:
    what_if = replace(bar(), selected=BAR_SETTINGS.index(setting))
    for _ in range(150):
        what_if = what_if.turn(step)
    assert what_if.turn(step) == what_if


def test_an_unknown_window_can_be_set_and_is_called_unknown() -> None:
    unknown = at("window", bar(window=None))
    assert unknown.shown(unknown.setting) == "unknown"
    assert unknown.turn(-1) == unknown
    assert unknown.turn(+1).supposed.settings.window == 64_000


def test_output_reservation_can_be_taken_away() -> None:
    reserved = at("max_output", bar(max_output=4_096))
    assert reserved.turn(-1).supposed.settings.max_output is None


def test_release_steps_through_the_releases_given() -> None:
    assert at("release", bar()).turn(+1).supposed.release == "0.22"
    assert at("release", bar()).turn(-1).supposed.release == "0.16"
    assert at("release", bar("0.99")).turn(-1).supposed.release == "0.22"


@given(st.lists(st.tuples(st.sampled_from(["turn", "select"]), st.sampled_from([-1, 1])), max_size=60))
@settings(max_examples=60, deadline=None)
def test_reset_undoes_any_number_of_keys(keys: list[tuple[str, int]]) -> None:
    what_if = bar()
    for method, step in keys:
        what_if = getattr(what_if, method)(step)
    assert what_if.reset().supposed == bar().actual
    assert not what_if.reset().changed


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("window", "200K", 200_000),
        ("window", "1.5m", 1_500_000),
        ("window", "131,072", 131_072),
        ("threshold", "0.6", 0.6),
        ("threshold", "85%", 0.85),
        ("protect_last", "7", 7),
        ("max_output", "none", None),
    ],
)
def test_values_can_be_typed(key: str, text: str, value: object) -> None:
    typed = at(key, bar()).typed(text)
    assert getattr(typed.supposed.settings, key) == pytest.approx(value)


@pytest.mark.parametrize(
    ("key", "text"),
    [
        *[("window", text) for text in ("", "0", "lots")],
        *[("threshold", text) for text in ("1.5", "0")],
        ("release", "9"),
        ("warm", "1"),
    ],
)
def test_a_typed_value_that_means_nothing_is_refused_with_an_example(key: str, text: str) -> None:
    with pytest.raises(UsageError) as refusal:
        at(key, bar()).typed(text)
    assert refusal.value.remedy


def test_temperature_is_a_word() -> None:
    warmth = at("warm", bar())
    assert warmth.shown(warmth.setting) == "fresh"
    assert warmth.turn(+1).shown(warmth.setting) == "running"
    assert warmth.typed("running").supposed.settings.warm is True
