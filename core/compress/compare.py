"""Previews of one middle under different focuses, set side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from core.compress.anchors import collect, topic_of, views
from core.compress.retention.index import KEPT, LOST, PARAPHRASED, SummaryIndex
from core.compress.summarise.base import sections
from core.compress.topic import Topic
from core.errors import UsageError
from core.model.comparison import Difference, FocusComparison, SectionRow, TopicShare
from core.model.message import Message
from core.model.preview import AnchorCount, Preview

Estimate = Callable[[str], int]
"""Tokens of a text, as the release counts them."""


def compare(previews: Sequence[Preview], estimate: Estimate) -> FocusComparison:
    """Align previews by section and tell what each keeps of every focus.

    Args:
        previews: Of the same messages with the same middle, each with its own focus or none.
        estimate: Tokens of a text.

    Raises:
        UsageError: The previews are not of the same middle.
    """
    if len({(preview.plan.middle, len(preview.before)) for preview in previews}) > 1:
        raise UsageError("the previews compared are of different middles")
    bodies = [preview.summary or "" for preview in previews]
    middle = _middle(previews)
    focuses = dict.fromkeys(preview.focus for preview in previews if preview.focus)
    indexes = [SummaryIndex(body) for body in bodies]
    return FocusComparison(
        previews=tuple(previews),
        sections=tuple(_rows(bodies, estimate)),
        topics=tuple(_share(focus, middle, bodies, indexes, estimate) for focus in focuses),
        differences=tuple(_differences(middle, indexes, previews)),
    )


def _middle(previews: Sequence[Preview]) -> Sequence[Message]:
    if not previews:
        return ()
    start, end = previews[0].plan.middle
    return previews[0].before[start:end]


def _rows(bodies: Sequence[str], estimate: Estimate) -> Iterable[SectionRow]:
    """Sections aligned by heading; one only some summaries have stands where the first of them has it."""
    parts = [sections(body) for body in bodies]
    for heading in _merged_order([list(part) for part in parts]):
        texts = tuple(part.get(heading) for part in parts)
        yield SectionRow(heading, texts, tuple(estimate(text) if text else 0 for text in texts))


def _merged_order(orders: Sequence[Sequence[str]]) -> list[str]:
    merged: list[str] = []
    for order in orders:
        at = 0
        for heading in order:
            if heading in merged:
                at = merged.index(heading) + 1
            else:
                merged.insert(at, heading)
                at += 1
    return merged


def _share(
    focus: str,
    middle: Sequence[Message],
    bodies: Sequence[str],
    indexes: Sequence[SummaryIndex],
    estimate: Estimate,
) -> TopicShare:
    read = views(middle)
    topic = topic_of(focus, read)
    found = [anchor for anchor in collect(read, topic) if anchor.in_focus] if topic is not None else []
    counts = (Counter(index.fate(anchor.category, anchor.value) for anchor in found) for index in indexes)
    return TopicShare(
        topic=focus,
        tokens=tuple(_token_share(body, topic, estimate) for body in bodies),
        survival=tuple(AnchorCount(count[KEPT], count[PARAPHRASED], count[LOST]) for count in counts),
    )


def _token_share(body: str, topic: Topic | None, estimate: Estimate) -> float | None:
    lines = [line for line in body.splitlines() if line.strip() and not line.startswith("## ")]
    whole = sum(map(estimate, lines))
    if not whole or topic is None:
        return None
    return sum(estimate(line) for line in lines if topic.covers(line)) / whole


def _differences(
    middle: Sequence[Message], indexes: Sequence[SummaryIndex], previews: Sequence[Preview]
) -> Iterable[Difference]:
    offset = previews[0].plan.middle.start if previews else 0
    for anchor in collect(views(middle, offset)):
        fates = tuple(index.fate(anchor.category, anchor.value) for index in indexes)
        if len(set(fates)) > 1:
            yield Difference(anchor.category, anchor.value, fates, tuple(anchor.messages))
