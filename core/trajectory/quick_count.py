"""Counting with toktok where it is installed: ten times as fast as tiktoken, and the same counts."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

_LATER = re.compile(
    "[\u088f\u0c5c\u0cdc\u1acf-\u1aeb\ua7ce-\ua7f1\ud800-\udfff"
    "\U00010940-\U00010959\U00010ec5-\U00010efb\U00011b60-\U00011de9\U00016ea0-\U00016ff6\U000187f8-\U00018df2"
    "\U0001e6c0-\U0001e6ff\U0002b73a-\U0002b73f\U0002cea2-\U0002cead\U000323b0-\U00033479]"
)
"""Around the letters of Unicode 17, which tiktoken does not take for letters; and halves of characters."""


def quick_count(name: str, otherwise: Callable[[str], int]) -> Callable[[str], int] | None:
    """The function that counts the tokens of a text with toktok; None without the extra `fast`.

    Args:
        name: A vocabulary that ships.
        otherwise: Counts the texts that toktok would count differently.
    """
    tokenizer = _opened(name)
    if tokenizer is None:
        return None
    quick: Callable[[str], int] = tokenizer.count
    later = _LATER.search

    def count(text: str) -> int:
        return quick(text) if text.isascii() or later(text) is None else otherwise(text)

    return count


def _opened(name: str) -> Any:
    try:
        import toktok
    except ImportError:
        return None
    by_name = getattr(toktok, "_encoding", None)  # a release that no longer has it counts with tiktoken
    return None if by_name is None else by_name(name)
