"""The what-if bar as a value: its settings, and what a key press does to them. Pure."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from core.errors import UsageError
from core.model.compaction.plan import Settings

Value = int | float | str | bool | None
_STEPS = tuple(round(step * 0.05, 2) for step in range(1, 20))
_WINDOWS = (
    *(64_000, 100_000, 128_000, 160_000, 200_000, 256_000, 272_000, 320_000, 400_000, 512_000),
    *(768_000, 1_000_000, 1_500_000, 2_000_000),
)
_NUMBER = re.compile(r"(\d[\d,_]*\.?\d*|\.\d+)\s*([kKmM%]?)")
_FACTOR = {"": 1.0, "k": 1_000.0, "m": 1_000_000.0, "%": 0.01}


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """The release and settings to plan with."""

    release: str
    settings: Settings


@dataclass(frozen=True, slots=True)
class BarSetting:
    """One setting on the bar.

    Attributes:
        key: Field of `Settings`, or `release`.
        label: Its name on the bar.
        choices: Values that the arrow keys step through, ascending; empty for the release, whose values the
            bar is given.
        show: How a value is written.
        unset: The text for None.
        settable_to_none: Stepping below the ladder unsets the value.
    """

    key: str
    label: str
    choices: tuple[int | float, ...]
    show: Callable[[Any], str]
    unset: str = "–"
    settable_to_none: bool = False


def _kilo(value: int) -> str:
    if value >= 1_000_000 and value % 100_000 == 0:
        return f"{value / 1_000_000:g}M"
    return f"{value / 1_000:g}K" if value >= 1_000 else str(value)


def _share(value: float) -> str:
    return f"{value:.2f}" if round(value, 2) == value else f"{value:g}"


BAR_SETTINGS = (
    BarSetting("window", "window", _WINDOWS, _kilo, unset="unknown"),
    BarSetting("threshold", "threshold", _STEPS, _share),
    BarSetting("target_ratio", "tail", _STEPS[:16], _share),
    BarSetting("protect_first", "first", tuple(range(21)), str),
    BarSetting("protect_last", "last", tuple(range(101)), str),
    BarSetting("release", "release", (), str),
    BarSetting("warm", "process", (False, True), lambda warm: "running" if warm else "fresh"),
    BarSetting(
        "max_output",
        "output reserve",
        (4_096, 8_192, 16_384, 32_768, 65_536, 131_072),
        _kilo,
        "none",
        True,
    ),
)


@dataclass(frozen=True, slots=True)
class WhatIf:
    """The bar: actual and what-if values, and the selected setting.

    Attributes:
        releases: Releases to choose from, oldest first.
    """

    actual: Hypothesis
    supposed: Hypothesis
    releases: tuple[str, ...]
    selected: int = 0

    @classmethod
    def of(cls, actual: Hypothesis, releases: Sequence[str]) -> WhatIf:
        """A bar with nothing changed."""
        return cls(actual, actual, tuple(releases))

    @property
    def setting(self) -> BarSetting:
        """The selected setting, which the arrow keys change."""
        return BAR_SETTINGS[self.selected]

    @property
    def changed(self) -> bool:
        """Whether any value differs from the actual one."""
        return self.supposed != self.actual

    def value(self, setting: BarSetting) -> Value:
        """The what-if value of a setting."""
        return _value(self.supposed, setting)

    def differs(self, setting: BarSetting) -> bool:
        """Whether a setting was changed."""
        return self.value(setting) != _value(self.actual, setting)

    def shown(self, setting: BarSetting) -> str:
        """The value of a setting in words."""
        value = self.value(setting)
        return setting.unset if value is None else setting.show(value)

    def select(self, step: int) -> WhatIf:
        """Select another setting, wrapping at the ends."""
        return replace(self, selected=(self.selected + step) % len(BAR_SETTINGS))

    def turn(self, step: int) -> WhatIf:
        """Move the selected setting one step up or down its ladder; it stops at the end."""
        choices: Sequence[Any] = self.releases if self.setting.key == "release" else self.setting.choices
        return self.with_value(_stepped(self.setting, choices, self.value(self.setting), step))

    def with_value(self, value: Value) -> WhatIf:
        """Set the what-if value of the selected setting."""
        if self.setting.key == "release":
            supposed = replace(self.supposed, release=str(value))
        else:
            changes: dict[str, Any] = {self.setting.key: value}
            supposed = replace(self.supposed, settings=replace(self.supposed.settings, **changes))
        return replace(self, supposed=supposed)

    def typed(self, text: str) -> WhatIf:
        """Set what the user typed for the selected setting.

        Raises:
            UsageError: The text is no value of this setting.
        """
        return self.with_value(_parsed(self.setting, self.releases, text.strip()))

    def supposing(self, supposed: Hypothesis | None) -> WhatIf:
        """The bar with other what-if values; None for the actual ones."""
        return replace(self, supposed=supposed or self.actual)

    def named(self) -> str:
        """The changed settings with their values, in words; empty without changes."""
        turned = [setting for setting in BAR_SETTINGS if self.differs(setting)]
        return ", ".join(f"{setting.label} {self.shown(setting)}".strip() for setting in turned)

    def reset(self) -> WhatIf:
        """Back to the actual values, with the same setting selected."""
        return replace(self, supposed=self.actual)


def _value(hypothesis: Hypothesis, setting: BarSetting) -> Value:
    if setting.key == "release":
        return hypothesis.release
    value: Value = getattr(hypothesis.settings, setting.key)
    return value


def _stepped(setting: BarSetting, choices: Sequence[Any], value: Value, step: int) -> Value:
    if value is None:
        return choices[0] if step > 0 else None
    if isinstance(value, str):
        place = choices.index(value) + step if value in choices else len(choices) - 1
        return str(choices[min(max(place, 0), len(choices) - 1)])
    place = bisect_right(choices, value) if step > 0 else bisect_left(choices, value) - 1
    if place < 0:
        return None if setting.settable_to_none else value
    return choices[place] if place < len(choices) else value


def _parsed(setting: BarSetting, releases: Sequence[str], text: str) -> Value:
    if setting.key == "release" and text in releases:
        return text
    if setting.key == "warm" and text in ("fresh", "running"):
        return text == "running"
    if setting.settable_to_none and text.lower() in ("", "none", setting.unset):
        return None
    match = _NUMBER.fullmatch(text) if setting.choices and setting.key != "warm" else None
    if match is None:
        raise UsageError(
            f"“{text}” is not a value for {setting.label or setting.key}", remedy=_example(setting, releases)
        )
    number = float(match[1].replace(",", "").replace("_", "")) * _FACTOR[match[2].lower()]
    return _checked(setting, number, text)


def _checked(setting: BarSetting, number: float, text: str) -> int | float:
    if isinstance(setting.choices[0], float):
        if 0 < number <= 1:
            return number
        raise UsageError(f"{setting.label} {text} is not between 0 and 1", remedy=_example(setting, ()))
    if number < min(1, setting.choices[0]) or number > 10**9:
        raise UsageError(f"{setting.label} {text} is out of range", remedy=_example(setting, ()))
    return int(number)


def _example(setting: BarSetting, releases: Sequence[str]) -> str:
    if setting.key == "release":
        return "One of " + ", ".join(releases)
    if setting.key == "warm":
        return "Type fresh or running"
    return f"For example {setting.show(setting.choices[len(setting.choices) // 2])}"
