"""What somebody pastes is no reason to wait: a picture in base64 is one word of 30,000 letters."""

from __future__ import annotations

import re
from functools import partial

import pytest

from core.compress.facts.lexicon import lexicon
from tests.timing import assert_linear


@pytest.mark.parametrize("unit", ["a", "a.", "a-"])
def test_file_names_are_found_in_linear_time(unit: str) -> None:
    assert_linear(partial(_read, lexicon().file_name), unit)


def _read(pattern: re.Pattern[str], text: str) -> list[str]:
    return [match.group() for match in pattern.finditer(text)]
