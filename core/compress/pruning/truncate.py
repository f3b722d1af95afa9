"""Cutting a text the way Hermes 0.22 marks a cut."""

from __future__ import annotations

_MARK = (
    "⟪HERMES-CONTEXT-COMPRESSION: {omitted:,} of {total:,} chars omitted here "
    "by Hermes's context compressor.⟫"
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
    return _MARK.format(omitted=omitted, total=total)
