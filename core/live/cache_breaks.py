"""Cache breaks as they happen: a call that looks like one is looked at with all that surrounds it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from core.account.prompt_cache.breaks import LEAST, SHARE
from core.errors import InspectorError
from core.explain.prompt_cache import conversation_cache
from core.live.event import LiveEvent, LiveKind
from core.store.store import Store

_SESSIONS = 200


@dataclass(slots=True)
class CacheWatch:
    """The last prompt of each session, by which the next call's cache is judged.

    Attributes:
        prompts: By session, tokens.
    """

    prompts: dict[str, int] = field(default_factory=dict)

    def breaks(self, store: Store, calls: Sequence[LiveEvent]) -> Iterator[LiveEvent]:
        """The breaks among new calls, each with its cause and price."""
        suspected: dict[str, list[LiveEvent]] = {}
        for call in calls:
            if call.session and self._looks_broken(call):
                suspected.setdefault(call.session, []).append(call)
        for session, some in suspected.items():
            yield from _proved(store, session, some)

    def _looks_broken(self, call: LiveEvent) -> bool:
        session = call.session or ""
        prompt: int | None = call.facts["prompt"]
        cached: int | None = call.facts["cache_read"]
        before = self.prompts.pop(session, None)
        if prompt is None or cached is None:
            return False
        self.prompts[session] = prompt
        while len(self.prompts) > _SESSIONS:
            del self.prompts[next(iter(self.prompts))]
        if before is None:
            return True  # nobody knows what came before, so it is looked up
        expected = min(before, prompt)
        return expected - cached >= max(LEAST, SHARE * expected)


def _proved(store: Store, session: str, calls: Sequence[LiveEvent]) -> Iterator[LiveEvent]:
    try:
        found = conversation_cache(store, session, results=False, markers=False)
    except InspectorError:  # no such session (yet), or settings that cannot be read: nothing is proved
        return
    asked = {(call.at, call.facts["prompt"], call.facts["cache_read"]): call for call in calls}
    for one in found.breaks:
        at = found.calls[one.call]
        call = asked.get((at.at, at.prompt, at.cache_read))
        if call is not None:
            facts = {"cause": one.cause, "tokens_lost": one.tokens_lost, "cost_usd": one.usd}
            yield LiveEvent(LiveKind.CACHE_BREAK, f"break:{call.key}", session, one.at, facts)
