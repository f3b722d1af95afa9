"""Several previews of one middle, side by side."""

from __future__ import annotations

from dataclasses import dataclass

from core.model.preview import AnchorCount, Preview


@dataclass(frozen=True, slots=True)
class SectionRow:
    """One section of the summaries compared.

    Attributes:
        heading: As the release writes it; "" for text before the first heading.
        texts: What each summary says there, in the order of the previews; None where it has no such section.
        tokens: Estimates of those texts; 0 where there is none.
    """

    heading: str
    texts: tuple[str | None, ...]
    tokens: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TopicShare:
    """How a topic fares in each of the summaries.

    Attributes:
        topic: One of the focuses compared.
        tokens: Share of each summary's tokens spent on lines about it, 0 to 1; None for an empty summary.
        survival: Its anchors in each summary.
    """

    topic: str
    tokens: tuple[float | None, ...]
    survival: tuple[AnchorCount, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """An anchor that not every summary keeps.

    Attributes:
        fates: `kept`, `paraphrased` or `lost`, in the order of the previews.
        messages: Indexes of the messages that hold it.
    """

    category: str
    value: str
    fates: tuple[str, ...]
    messages: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class FocusComparison:
    """What another focus would have kept.

    Attributes:
        sections: Aligned by heading, in the release's order.
        topics: One for each focus compared.
        differences: Anchors whose fate depends on the focus, in order of appearance.
    """

    previews: tuple[Preview, ...]
    sections: tuple[SectionRow, ...]
    topics: tuple[TopicShare, ...]
    differences: tuple[Difference, ...]
