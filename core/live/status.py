"""The present state of a conversation and its pace: next compaction and costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from core.account.pricing.price import price
from core.account.pricing.price_book import PriceBook
from core.account.prompt_cache.routes import open_book_for
from core.account.spending.budget import Today, spent_today
from core.explain.context.context import ConversationContext
from core.explain.diagnose.case import Case
from core.explain.diagnose.diagnose import examine_case
from core.explain.events import explain
from core.explain.explanation import Explanation
from core.hermes.log.record import Kind, LogRecord
from core.model.accounting.amounts import Buckets
from core.model.finding import Finding, Headline, Verdict
from core.model.transcript.session import Session
from core.store.store import Store

HOUR = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Status:
    """The state of a conversation at a moment.

    Attributes:
        session: Its newest session.
        tokens: Size of the next request; None if unknown.
        verdict: How sure `tokens` is.
        threshold: Where compression starts; None without a window, or if another engine named none.
        today: The cost of all conversations today.
        hit_rate: Share of its prompts that came from the cache, 0 to 1.
        worst: The worst diagnosis from rows, log and configuration, without reading every call.
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
        """Share of the threshold in use; above 1 if a compaction is due."""
        return None if self.tokens is None or not self.threshold else self.tokens / self.threshold


def status_of(store: Store, session_id: str, stores: Sequence[Store] = ()) -> Status:
    """Determine the state of a conversation; the costs of `stores` count, by default of its own only.

    Raises:
        NotFoundError: There is no such session.
        ConfigError: config.yaml or the price overrides are invalid.
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
        threshold=explanation.now.limit,
        today=spent_today(stores or (store,), now=moment),
        hit_rate=conversation.tokens.hit_rate,
        worst=found[0] if found else None,
    )


@dataclass(frozen=True, slots=True)
class Spent:
    """The cost of calls by the list price.

    Attributes:
        calls: How many calls the log shows.
        usd: US dollars; 0 without calls, None if no call has a price.
        at_least: Whether it was more: some calls have no price or reported no usage.
    """

    calls: int
    usd: Decimal | None
    at_least: bool


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast a conversation grows, and how long it can continue.

    Attributes:
        session: Its newest session.
        standing: How far off the next automatic compaction is, in calls at the newest ones' pace.
        tokens, threshold: None if unknown.
        hour: The cost of the last hour's calls; None without a log.
    """

    session: str
    title: str
    standing: Headline
    tokens: int | None
    threshold: int | None
    hour: Spent | None


def pace_of(explanation: Explanation, *, now: datetime | None = None) -> Pace:
    """Determine a conversation's pace.

    Raises:
        ConfigError: The price overrides are invalid.
    """
    context, conversation = explanation.context, explanation.context.conversation
    return Pace(
        session=conversation.tip.id,
        title=conversation.name,
        standing=explanation.now.headline,
        tokens=explanation.now.tokens,
        threshold=explanation.now.limit,
        hour=None if context.log.empty else _spent(context, now or datetime.now(UTC)),
    )


def _spent(context: ConversationContext, now: datetime) -> Spent:
    tip = context.conversation.tip
    book = open_book_for(context.config, tip, context.release.release)
    calls, known, total = 0, 0, Decimal(0)
    for record in context.log.records:
        if record.kind is not Kind.CALL:
            continue
        at = context.clock.utc(record.at)
        if timedelta(0) <= now - at < HOUR:
            calls += 1
            usd = _cost(book, record, tip, at)
            if usd is not None:
                known, total = known + 1, total + usd
    return Spent(calls, total if known or not calls else None, at_least=known < calls)


def _cost(book: PriceBook, call: LogRecord, tip: Session, at: datetime) -> Decimal | None:
    """The list price of a call at its time; tokens not logged as written to the cache are fresh input."""
    if call.input is None:
        return None
    read, written = call.cached or 0, call.written or 0
    tokens = Buckets(max(0, call.input - read - written), read, written, call.output)
    entry = book.entry_of(tip, at=at, model=call.model or "", provider=call.provider or "")
    if entry is None or entry.billing == "included":
        return None
    return price(entry, tokens, one_hour=book.one_hour)
