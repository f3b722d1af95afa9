"""The sizes of thousands of messages, as columns: a tenth of what as many tuples take."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from core.compress.sizing.estimate import Size


def numbers(*parts: Iterable[int]) -> array[int]:
    """Whole numbers one after another, four bytes each: what is counted of a message fits into them."""
    found = array("i")
    for part in parts:
        found.extend(part)
    return found


@dataclass(frozen=True, slots=True)
class Sizes:
    """One size a message; see `Size` for what the columns hold."""

    text: array[int] = field(default_factory=numbers)
    images: array[int] = field(default_factory=numbers)
    bare: array[int] = field(default_factory=numbers)

    def __len__(self) -> int:
        return len(self.text)

    def __getitem__(self, place: int) -> Size:
        return Size(self.text[place], self.images[place], self.bare[place])

    def __iter__(self) -> Iterator[Size]:
        return map(Size, self.text, self.images, self.bare)

    def with_(self, added: Iterable[Size]) -> Sizes:
        """These, and those of messages that follow."""
        text, images, bare = self.text[:], self.images[:], self.bare[:]
        for size in added:
            text.append(size.text)
            images.append(size.images)
            bare.append(size.bare)
        return Sizes(text, images, bare)
