"""Cutting a text the way Hermes 0.22 marks a cut."""

from __future__ import annotations

_OPENER, _CLOSER = "⟪HERMES-CONTEXT-COMPRESSION:", "⟫"
_OMITTED = f"{_OPENER} {{omitted:,}} of {{total:,}} chars omitted here by Hermes's context compressor."
_WARNING = (
    " This is NOT part of the original tool call and must never be reproduced in new output"
    " — always write full, untruncated content."
)


def elide(text: str, limit: int) -> str:
    """The start of a text and a mark of what is gone, `limit` characters at most.

    A limit too small for the mark gives the mark alone.
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
    """Both ends of a text and a mark of what is gone between them."""
    if len(text) <= head + tail:
        return text
    return text[:head] + mark(len(text) - head - tail, len(text)) + text[len(text) - tail :]


def mark(omitted: int, total: int) -> str:
    """The mark of a cut."""
    return _OMITTED.format(omitted=omitted, total=total) + _CLOSER


def warning_mark(omitted: int, total: int) -> str:
    """The same in the arguments of a call, where 0.21 warns the model not to repeat it."""
    return _OMITTED.format(omitted=omitted, total=total) + _WARNING + _CLOSER


def is_warned(text: str, kept: int) -> bool:
    """Whether a text is cut so already, behind the characters kept."""
    return text.startswith(_OPENER, kept) and text.endswith(_CLOSER)
