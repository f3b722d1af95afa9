"""What somebody pastes is no reason to wait: a picture in base64 is one word of 30,000 letters."""

from __future__ import annotations

import re
from functools import partial

import pytest

from core.compress.facts.importance import WeighedFacts
from core.compress.facts.lexicon import lexicon
from core.compress.retention.claims.standing import strange_figures
from core.compress.retention.ground.evidence import Evidence
from tests.timing import assert_linear

NOTHING = WeighedFacts((), {}, frozenset(), ())


@pytest.mark.parametrize("unit", ["a", "a.", "a-"])
def test_file_names_are_found_in_linear_time(unit: str) -> None:
    assert_linear(partial(_read, lexicon().file_name), unit)


@pytest.mark.parametrize("unit", ["a", "a-", "abc-bb", "abc-4o", "abc-1."])
def test_names_of_models_are_found_in_linear_time(unit: str) -> None:
    assert_linear(lambda text: list(strange_figures(text, (), Evidence((), (), NOTHING))), unit)


def _read(pattern: re.Pattern[str], text: str) -> list[str]:
    return [match.group() for match in pattern.finditer(text)]
