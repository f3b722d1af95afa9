"""Finding and masking the credentials of one text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from core.compress.redact.headers import headers
from core.compress.redact.known import known
from core.compress.redact.named import named
from core.compress.redact.spans import MASKED, Hit, cut, merge, tally

_SEAM = "\n\x00\n"
"""Stands between texts redacted together: no rule reads across a NUL in a line of its own."""


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text without its credentials.

    Attributes:
        counts: How many credentials of each kind were taken out.
    """

    text: str
    counts: Mapping[str, int] = field(default_factory=dict)


def find(text: str) -> list[Hit]:
    """Where the credentials of a text stand, in order and disjoint."""
    hits = merge((*known(text), *headers(text), *named(text)))
    return list(_outside(hits, text)) if hits and "[redacted:" in text else hits


def redact(text: str) -> Redacted:
    """Mask every credential of a text.

    Linear in the length of the text; running it on its own result changes nothing.
    """
    hits = find(text)
    return Redacted(cut(text, hits), tally(hits)) if hits else Redacted(text)


def redact_text(text: str) -> str:
    """The text with every credential masked."""
    return redact(text).text


def redact_all(texts: Sequence[str]) -> list[str]:
    """Many texts, each with every credential masked: one pass over all of them, so short ones cost little."""
    joined = redact_text(_SEAM.join(texts))
    parts = joined.split(_SEAM)
    # A text that holds the seam itself would shift the rest.
    return parts if len(parts) == len(texts) else [redact_text(text) for text in texts]


def _outside(hits: Iterable[Hit], text: str) -> Iterable[Hit]:
    """Drop what is already masked."""
    done = [match.span() for match in MASKED.finditer(text)]
    for hit in hits:
        if not any(start <= hit.start < end or hit.start <= start < hit.end for start, end in done):
            yield hit
