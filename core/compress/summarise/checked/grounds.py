"""The messages of a request, asked what of a summary they bear out and what of them it leaves out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from core.compress.facts.collect import Found, topic_of
from core.compress.facts.importance import weigh
from core.compress.facts.readable import View, ends, views
from core.compress.retention.ground.evidence import Evidence
from core.compress.retention.unsupported import check
from core.compress.summarise.base import SummaryRequest
from core.compress.summarise.faithful.missing import lost
from core.compress.summarise.faithful.recall import RecallIndex
from core.model.compaction.preview import SUSPECTED, Unsupported
from core.redact.text import redact_bulk, redact_text


class Grounds:
    """What a model was given to summarise, in full.

    Args:
        request: What it was asked; with a focus only the facts of that count.
    """

    def __init__(self, request: SummaryRequest) -> None:
        self._messages = request.originals or request.turns
        earlier = redact_text(request.previous_summary or "")
        read = views(self._messages, clean=redact_bulk)
        before = [View(0, "assistant", ends(earlier))] if earlier.strip() else []
        topic = topic_of(request.focus, [*before, *read])
        weighed = weigh([*before, *read], topic)
        self._facts = [fact for fact in weighed.facts if topic is None or fact[0].in_focus]
        also = [text for text in (earlier, redact_text(request.asked_before)) if text.strip()]
        self._evidence = Evidence(read, self._messages, weighed, also)

    def unsupported(self, text: str) -> tuple[Unsupported, ...]:
        """The claims of a text that nothing bears out; what is only suspected is left in."""
        claims = check(text, self._evidence).unsupported
        return tuple(claim for claim in claims if claim.category != SUSPECTED)

    def lost(self, body: str) -> list[Found]:
        """The facts a body does not tell, heaviest first."""
        return lost(self._facts, body)

    def kept(self, body: str) -> float:
        """The weight of the facts a body tells, each by its square as the retention report counts it."""
        gone = {id(one) for one in self.lost(body)}
        return sum(weight**2 for one, weight in self._facts if id(one) not in gone)

    def passages(self, claims: Sequence[Unsupported]) -> Iterator[str]:
        """The line of the messages that comes nearest to each claim, where one does."""
        for claim in claims:
            yield from (hit.excerpt for hit in self._index.find(claim.where, 1))

    @cached_property
    def _index(self) -> RecallIndex:
        return RecallIndex(self._messages)
