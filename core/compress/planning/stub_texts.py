"""What pruning would leave of messages, in one piece."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass, field

from core.compress.sizing.estimate import numbers


@dataclass(frozen=True, slots=True)
class StubTexts:
    """Texts by position in one piece: each on its own, thousands take three times as much.

    Attributes:
        places: Their positions, ascending.
        ends: Where each ends.
    """

    places: array[int] = field(default_factory=numbers)
    ends: array[int] = field(default_factory=numbers)
    texts: bytes = b""

    def at(self, place: int) -> str | None:
        """The text of a position."""
        found = bisect_left(self.places, place)
        if self.places[found : found + 1] != numbers([place]):
            return None
        start = self.ends[found - 1] if found else 0
        return self.texts[start : self.ends[found]].decode("utf-8", "surrogatepass")

    def with_(self, added: Iterable[tuple[int, str]]) -> StubTexts:
        """These, and those of positions that follow."""
        places, ends, texts = self.places[:], self.ends[:], bytearray(self.texts)
        for place, text in added:
            texts += text.encode("utf-8", "surrogatepass")
            places.append(place)
            ends.append(len(texts))
        return StubTexts(places, ends, bytes(texts))
