"""Where a conversation stands, in what fits on one line: for prompts, status bars and scripts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import reduce
from operator import add

from core.account.spending.budget import Today, spent_today
from core.explain.diagnose.case import Case
from core.explain.diagnose.diagnose import examine_case
from core.explain.events import explain
from core.model.evidence import Verdict
from core.model.finding import Finding
from core.store.database.open_database import OpenDatabase
from core.store.store import Store


@dataclass(frozen=True, slots=True)
class Status:
    """One conversation at one moment.

    Attributes:
        session: Its newest session.
        tokens: Size of the next request; None when nothing says.
        verdict: How sure `tokens` is.
        threshold: Where compression fires; None without a window.
        today: What all conversations cost today.
        hit_rate: Share of its prompts that came from the cache, 0 to 1.
        worst: The worst diagnosis that rows, log and configuration give without looking at every call.
    """

    session: str
    title: str
    tokens: int | None
    verdict: Verdict
    threshold: int | None
    today: Today
    hit_rate: float | None
    worst: Finding | None

    @property
    def share(self) -> float | None:
        """Context used of the threshold; above 1 when a compaction is due."""
        return None if self.tokens is None or not self.threshold else self.tokens / self.threshold


def status_of(store: Store, session_id: str, stores: Sequence[OpenDatabase] = ()) -> Status:
    """Say where a conversation stands.

    Args:
        store: The database it is in.
        session_id: Any session of it.
        stores: The databases whose money counts; only this one by default.

    Raises:
        NotFoundError: There is no such session.
        ConfigError: config.yaml or the price overrides cannot be used.
    """
    moment = datetime.now(UTC)
    explanation = explain(store, session_id)
    context, conversation = explanation.context, explanation.context.conversation
    found = examine_case(Case(context, explanation.events, moment)).findings
    return Status(
        session=conversation.tip.id,
        title=conversation.name,
        tokens=explanation.now.tokens,
        verdict=explanation.now.verdict,
        threshold=explanation.now.threshold,
        today=spent_today(stores or (store,), now=moment),
        hit_rate=reduce(add, (one.tokens for one in conversation.sessions)).hit_rate,
        worst=found[0] if found else None,
    )
