"""How numbers of things are put into words, for whoever writes a sentence."""

from __future__ import annotations


def plural(number: int, noun: str, many: str | None = None) -> str:
    """`1 message`, `1,240 messages`; `many` is the plural where it takes more than an s."""
    return f"{number:,} {noun if number == 1 else many or noun + 's'}"
