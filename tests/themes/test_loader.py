from __future__ import annotations

from importlib.resources import files

import pytest
import yaml
from rich._palettes import EIGHT_BIT_PALETTE, STANDARD_PALETTE
from rich.color import Color, ColorSystem

from core.support.program_files import load_table
from themes.loader import BASE, DEFAULT, DEPTHS, TOKENS, ThemeFile, load_all

WHOLE = load_all(load_table)
SHIPPED = [theme.at(depth) for depth in (None, *DEPTHS) for theme in WHOLE]
ids = [f"{theme.name}-{depth or 'true'}" for depth in (None, *DEPTHS) for theme in WHOLE]
SYSTEMS = {None: None, 256: ColorSystem.EIGHT_BIT, 16: ColorSystem.STANDARD}
SHOWN = [(theme.at(depth), system) for depth, system in SYSTEMS.items() for theme in WHOLE]
"""Each theme with what a terminal of a depth makes of its colours."""
TEXT = [token for token in TOKENS if token not in ("rule", "cursor")]
FAMILIES = ("part-", "severity-", "bucket-", "cause-")
OKABE_ITO = {"#0072b2", "#e69f00", "#009e73", "#d55e00", "#56b4e9", "#cc79a7", "#f0e442"}


def drawn(colour: str, system: ColorSystem | None) -> str:
    """A colour as the terminal shows it: the nearest of those it has."""
    if system is None:
        return colour
    known = STANDARD_PALETTE if system is ColorSystem.STANDARD else EIGHT_BIT_PALETTE
    number = Color.parse(colour).downgrade(system).number
    assert number is not None
    return "#{:02x}{:02x}{:02x}".format(*known[number])


def source(name: str = "dark.yaml") -> str:
    return files("themes").joinpath(name).read_text("utf-8")


def luminance(colour: str) -> float:
    """Relative luminance as WCAG 2 defines it."""
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_at_most_six_themes_ship_with_every_need_and_the_default_comes_first() -> None:
    names = [theme.name for theme in WHOLE]
    assert names[0] == DEFAULT
    assert {theme.dark for theme in WHOLE} == {True, False}
    assert {"hermes-safe", "hermes-contrast", "hermes-light"} <= set(names)
    assert len(names) <= 6


@pytest.mark.parametrize(("theme", "system"), SHOWN, ids=ids)
def test_text_can_be_read_at_every_depth(theme: ThemeFile, system: ColorSystem | None) -> None:
    for token in TEXT:
        ink = drawn(theme.tokens[token], system)
        for ground in (theme.base["background"], theme.base["surface"]):
            assert contrast(ink, drawn(ground, system)) >= 4.5, (token, ink, ground)
        for ground in (theme.base["panel"], theme.tokens["cursor"]):
            assert contrast(ink, drawn(ground, system)) >= 3, (token, ink, ground)


@pytest.mark.parametrize(("theme", "system"), SHOWN, ids=ids)
def test_what_must_be_distinguished_has_colours_of_its_own_at_every_depth(
    theme: ThemeFile, system: ColorSystem | None
) -> None:
    for family in FAMILIES:
        mine = [drawn(colour, system) for token, colour in theme.tokens.items() if token.startswith(family)]
        assert len(mine) == len(set(mine)), (family, mine)
    for speaker in ("role-user", "role-assistant", "role-tool", "role-summary"):
        others = {"role-user", "role-assistant", "role-tool", "role-summary"} - {speaker}
        assert drawn(theme.tokens[speaker], system) not in {
            drawn(theme.tokens[one], system) for one in others
        }


@pytest.mark.parametrize(("theme", "system"), SHOWN, ids=ids)
def test_a_break_of_the_cache_with_a_cause_has_no_colour_of_what_the_cache_served(
    theme: ThemeFile, system: ColorSystem | None
) -> None:
    causes = {token for token in TOKENS if token.startswith("cause-")} - {"cause-other"}
    cached = drawn(theme.tokens["bucket-read"], system)
    assert cached not in {drawn(theme.tokens[cause], system) for cause in causes}


@pytest.mark.parametrize(("theme", "system"), SHOWN, ids=ids)
def test_the_row_under_the_cursor_stands_out_at_every_depth(
    theme: ThemeFile, system: ColorSystem | None
) -> None:
    cursor = drawn(theme.tokens["cursor"], system)
    assert cursor != drawn(theme.base["background"], system)


XTERM = {"#0000aa": "#0000ee", "#aa0000": "#cd0000", "#ff5555": "#ff0000", "#55ffff": "#00ffff"}
"""Of the sixteen colours those that xterm draws otherwise than the palette the depths are written for."""


@pytest.mark.parametrize("theme", WHOLE, ids=[theme.name for theme in WHOLE])
def test_a_failure_under_the_cursor_can_be_read_in_sixteen_colours_of_xterm(theme: ThemeFile) -> None:
    shown = [drawn(theme.at(16).tokens[one], ColorSystem.STANDARD) for one in ("cursor-critical", "cursor")]
    assert contrast(*(XTERM.get(one, one) for one in shown)) >= 4.5


@pytest.mark.parametrize(("theme", "system"), SHOWN, ids=ids)
def test_threshold_money_and_match_are_no_colour_of_a_failure(
    theme: ThemeFile, system: ColorSystem | None
) -> None:
    alone = {drawn(theme.tokens[token], system) for token in ("threshold", "money", "match")}
    assert not alone & {drawn(theme.tokens[f"severity-{one}"], system) for one in ("critical", "warning")}


@pytest.mark.parametrize("theme", WHOLE, ids=[theme.name for theme in WHOLE])
def test_in_full_colour_threshold_money_and_match_are_no_colour_of_a_severity(theme: ThemeFile) -> None:
    alone = [theme.tokens[token] for token in ("threshold", "money", "match")]
    severities = [colour for token, colour in theme.tokens.items() if token.startswith("severity-")]
    assert len({*alone, *severities}) == len(alone) + len(severities)


def test_text_of_the_high_contrast_theme_is_seven_to_one() -> None:
    high = next(theme for theme in WHOLE if theme.name == "hermes-contrast")
    for token in TEXT:
        assert contrast(high.tokens[token], high.base["background"]) >= 7, token


def test_a_depth_names_only_what_it_changes() -> None:
    data = yaml.safe_load(source())
    data["16"]["tokens"]["monye"] = "#d3c59a"
    with pytest.raises(ValueError, match="16: tokens: unknown monye"):
        load_all(lambda _: data)


def test_the_safe_theme_distinguishes_partitions_and_severities_by_okabe_and_ito() -> None:
    safe = next(theme for theme in WHOLE if theme.name == "hermes-safe")
    for token, colour in safe.tokens.items():
        if token.startswith(FAMILIES) and token not in ("part-outside", "cause-other"):
            assert colour in OKABE_ITO, token


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ('  money: "#d3c59a"\n', "", "missing money"),
        ('  money: "#d3c59a"', '  money: "gold"', "not #rrggbb: money"),
        ('  money: "#d3c59a"', '  money: "#d3c59a"\n  monye: "#d3c59a"', "unknown monye"),
        ('  primary: "#7aa7f0"\n', "", "missing primary"),
    ],
)
def test_a_theme_that_is_incomplete_is_refused(old: str, new: str, complaint: str) -> None:
    assert old in source()
    broken = yaml.safe_load(source().replace(old, new))
    with pytest.raises(ValueError, match=complaint):
        load_all(lambda _: broken)


def test_every_colour_is_named_once() -> None:
    assert not set(BASE) & set(TOKENS)
