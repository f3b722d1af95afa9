"""The quick tokenizer counts what tiktoken counts."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.account.tokenizers.vocabularies import SHA256, encoding
from core.trajectory.tokenizer import open_tokenizer, quick_count

AROUND = ("a{0}B {0}{0}", "1{0}'s", ".{0}\n\u0301{0}")
LETTERS = 0x33500
"""No letter lies behind it; what does was compared once, and takes ten times as long."""
ODD = st.text(
    st.sampled_from("aB'sStT \t\r\n\u3000\x85.=/<|>19\u0301\u01c5\u00aa\u0e01\u5b57\U0001f9e0\ud800\u088f")
)


def exactly(text: str, name: str = "o200k_base") -> int:
    return len(encoding(name).encode_ordinary(text))


def quickly(text: str, name: str = "o200k_base") -> int:
    pytest.importorskip("toktok")
    count = quick_count(name, lambda text: exactly(text, name))
    assert count is not None
    return count(text)


@pytest.mark.parametrize("name", SHA256)
def test_every_character_counts_alike_wherever_it_is(name: str) -> None:
    for start in range(0, LETTERS, 64):
        block = [chr(code) for code in range(start, start + 64) if not 0xD800 <= code < 0xE000]
        text = "\n\nx".join(around.format(one) for one in block for around in AROUND)
        assert quickly(text, name) == exactly(text, name), hex(start)


@given(st.text() | ODD)
def test_any_text_counts_alike(text: str) -> None:
    assert quickly(text) == exactly(text)


@pytest.mark.parametrize(
    "run", ["a", " ", "=", "\n", "\u5b57", "\U0001f9e0", "ab", "\r\n", "a\u0301", "<|endoftext|>"]
)
def test_long_runs_count_alike(run: str) -> None:
    assert quickly(run * 5_000) == exactly(run * 5_000)


def test_the_vocabulary_is_the_published_one() -> None:
    toktok = pytest.importorskip("toktok")
    for name in SHA256:
        ours, theirs = encoding(name), toktok._encoding(name)
        assert sorted(theirs.token_byte_values()) == sorted(ours.token_byte_values())


@pytest.mark.parametrize("found", [None, ModuleType("toktok")], ids=["missing", "of another release"])
def test_without_it_tiktoken_counts(monkeypatch: pytest.MonkeyPatch, found: ModuleType | None) -> None:
    monkeypatch.setitem(sys.modules, "toktok", found)
    assert quick_count("o200k_base", exactly) is None
    assert open_tokenizer("o200k_base", lambda: None)("plain words\ud800") == exactly("plain words\ud800")
