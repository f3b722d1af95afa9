"""Masking many texts at once is masking each of them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.terminal.masking import mask, mask_all

SECRET = "ghp_" + "a1B2" * 9
PIECES = [
    "token",
    "password",
    "=",
    ": ",
    " ",
    "\n",
    "Bearer ",
    SECRET,
    SECRET[:9],
    "hunter22!x",
    "title",
    "é",
]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(st.sampled_from(PIECES), max_size=5).map("".join), max_size=6))
def test_a_text_is_masked_among_others_as_it_is_alone(texts: list[str]) -> None:
    assert list(mask_all(texts)) == [mask(text) for text in texts]


@pytest.mark.parametrize("texts", [[], [""], ["Refactor the auth module", "Port the parser"]])
def test_harmless_texts_stay(texts: list[str]) -> None:
    assert list(mask_all(texts)) == texts
