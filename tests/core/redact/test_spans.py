"""An expression is compiled when it is asked for, and then does what the compiled one does."""

from __future__ import annotations

import re

import pytest

from core.redact.spans import pattern


def test_a_pattern_finds_what_the_compiled_one_finds() -> None:
    lazy, text = pattern(r"(?P<word>[a-z]+)\d", re.IGNORECASE), "a1 B2 c"
    assert [match["word"] for match in lazy.finditer(text)] == ["a", "B"]
    assert lazy.sub("-", text) == "- - c"
    assert (lazy.pattern, lazy.search("none")) == (r"(?P<word>[a-z]+)\d", None)


def test_nothing_is_compiled_until_the_pattern_is_used() -> None:
    broken = pattern("(")
    with pytest.raises(re.error):
        broken.search("")
