"""Cuts a text and marks the cut as Hermes 0.22 does."""

from __future__ import annotations

_OPENER, _CLOSER = "⟪HERMES-CONTEXT-COMPRESSION:", "⟫"
_OMITTED = f"{_OPENER} {{omitted:,}} of {{total:,}} chars omitted here by Hermes's context compressor."
_WARNING = (
    " This is NOT part of the original tool call and must never be reproduced in new output"
    " — always write full, untruncated content."
)


def elide(text: str, limit: int) -> str:
    """The start of a text and a mark for what was cut, `limit` characters at most.

    If the limit is too small for the mark, only the mark is returned.
    """
    total = len(text)
    if total <= limit:
        return text
    room = limit - len(mark(total, total))
    if room <= 0:
        return mark(total, total)
    kept = text[:room].rstrip()
    return kept + mark(total - len(kept), total)


def elide_middle(text: str, head: int, tail: int) -> str:
    """Both ends of a text with a mark for what was cut between them."""
    if len(text) <= head + tail:
        return text
    return text[:head] + mark(len(text) - head - tail, len(text)) + text[len(text) - tail :]


def mark(omitted: int, total: int) -> str:
    """The mark of a cut."""
    return _OMITTED.format(omitted=omitted, total=total) + _CLOSER


def warning_mark(omitted: int, total: int) -> str:
    """The mark of a cut in call arguments, where 0.21 warns the model not to repeat it."""
    return _OMITTED.format(omitted=omitted, total=total) + _WARNING + _CLOSER


def is_warned(text: str, kept: int) -> bool:
    """Whether a text already has such a mark after the kept characters."""
    return text.startswith(_OPENER, kept) and text.endswith(_CLOSER)
