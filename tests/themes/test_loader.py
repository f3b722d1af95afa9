from __future__ import annotations

from importlib.resources import files

import pytest
import yaml

from core.support.yaml_tables import load_table
from themes.loader import BASE, DEFAULT, TOKENS, ThemeFile, load_all

SHIPPED = load_all(load_table)
ids = [theme.name for theme in SHIPPED]
TEXT = [token for token in TOKENS if token not in ("rule", "cursor")]
OKABE_ITO = {"#0072b2", "#e69f00", "#009e73", "#d55e00", "#56b4e9", "#cc79a7", "#f0e442"}


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


def test_dark_light_and_safe_themes_ship_and_the_default_comes_first() -> None:
    assert ids[0] == DEFAULT
    assert {theme.dark for theme in SHIPPED} == {True, False}
    assert "hermes-safe" in ids


@pytest.mark.parametrize("theme", SHIPPED, ids=ids)
def test_text_can_be_read(theme: ThemeFile) -> None:
    for token in TEXT:
        for ground in (theme.base["background"], theme.base["surface"]):
            assert contrast(theme.tokens[token], ground) >= 4.5, (token, theme.tokens[token], ground)


@pytest.mark.parametrize("theme", SHIPPED, ids=ids)
def test_partitions_severities_and_buckets_have_colours_of_their_own(theme: ThemeFile) -> None:
    for family in ("part-", "severity-", "bucket-"):
        colours = [colour for token, colour in theme.tokens.items() if token.startswith(family)]
        assert len(colours) == len(set(colours)), family


@pytest.mark.parametrize("theme", SHIPPED, ids=ids)
def test_threshold_money_and_match_are_no_colour_of_a_severity(theme: ThemeFile) -> None:
    alone = [theme.tokens[token] for token in ("threshold", "money", "match")]
    severities = [colour for token, colour in theme.tokens.items() if token.startswith("severity-")]
    assert len({*alone, *severities}) == len(alone) + len(severities)


def test_the_safe_theme_tells_partitions_and_severities_apart_by_okabe_and_ito() -> None:
    safe = next(theme for theme in SHIPPED if theme.name == "hermes-safe")
    for token, colour in safe.tokens.items():
        if token.startswith(("part-", "severity-", "bucket-")):
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
def test_a_theme_that_is_not_whole_is_refused(old: str, new: str, complaint: str) -> None:
    assert old in source()
    broken = yaml.safe_load(source().replace(old, new))
    with pytest.raises(ValueError, match=complaint):
        load_all(lambda _: broken)


def test_every_colour_is_named_once() -> None:
    assert not set(BASE) & set(TOKENS)
