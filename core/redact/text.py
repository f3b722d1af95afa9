"""Finding and masking the credentials of one text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from core.redact.assigned_values import named
from core.redact.known_formats import known
from core.redact.known_values import KNOWN
from core.redact.protocol_fields import headers
from core.redact.spans import MASKED, Hit, cut, merge, tally
from core.redact.unlisted_issuers import unlisted

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
    hits = merge((*known(text), *headers(text), *named(text), *KNOWN.hits(text), *unlisted(text)))
    return merge(_outside(hits, text)) if hits and "[redacted:" in text else hits


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


def _outside(hits: Iterable[Hit], text: str) -> Iterator[Hit]:
    """Drop what is masked already; a hit that is more than a mask takes the masks it touches along."""
    done = [match.span() for match in MASKED.finditer(text)]
    for hit in hits:
        touched = [span for span in done if span[0] < hit.end and hit.start < span[1]]
        start = min((hit.start, *(span[0] for span in touched)))
        end = max((hit.end, *(span[1] for span in touched)))
        if not touched or any(map(str.isalnum, MASKED.sub("", text[start:end]))):
            yield Hit(start, end, hit.kind)
