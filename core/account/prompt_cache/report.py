"""The prompt cache report of a conversation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING

from core.account.pricing.price import is_local_only
from core.account.prompt_cache.breakpoints import STRATEGY, SYSTEM, place, with_prefix_tokens
from core.account.prompt_cache.breaks import BreakContext, find_breaks, identity_changed
from core.account.prompt_cache.calls import SummaryCost, ToUtc, local_time, paybacks, read_calls
from core.account.prompt_cache.message_notes import MessageNotes
from core.account.prompt_cache.result_costs import most_expensive, result_costs
from core.account.prompt_cache.routes import Route, advise, cache_route, lifetime_in_force, placing
from core.compress.sizing.estimate import Size, message_size, text_tokens, tool_tokens, total_tokens
from core.hermes.config.config import HermesConfig
from core.hermes.log.read import Log
from core.hermes.policy.policy import load_policy, newest_release
from core.model.accounting.amounts import Buckets
from core.model.accounting.prompt_cache import (
    Breakpoint,
    CacheBreak,
    CacheCall,
    CacheReport,
    CacheRoute,
    ResultCost,
)
from core.model.transcript.message import Message
from core.support.formatting import plural

if TYPE_CHECKING:
    from core.account.pricing.price_book import PriceBook
    from core.model.accounting.ledger import PriceRow
    from core.model.transcript.conversation import Conversation
    from core.model.transcript.session import Session
    from core.model.transcript.storage import UsageRow
    from core.store.store import Store


@dataclass(frozen=True)
class CacheInputs:
    """A conversation and what is known about it.

    Attributes:
        log: The log lines of its sessions; without them only the sum of hits is known.
        config: The home's config.yaml; Hermes' defaults without one.
        prices: The price book; amounts stay unknown without it.
        to_utc: Converts the log's times to UTC; from this machine's zone by default.
        pruned: When old results were shortened without a summary, with the rows that show it.
    """

    store: Store
    conversation: Conversation
    messages: Callable[[Sequence[int]], Iterable[Message]]
    log: Log = field(default_factory=Log)
    release: str = field(default_factory=newest_release)
    config: HermesConfig = field(default_factory=HermesConfig)
    prices: PriceBook | None = None
    to_utc: ToUtc = local_time
    notes: MessageNotes = field(default_factory=MessageNotes)
    pruned: Sequence[tuple[datetime, str]] = ()

    @property
    def tip(self) -> Session:
        """The session that continues the conversation."""
        return self.conversation.tip

    @cached_property
    def sessions(self) -> frozenset[str]:
        """Ids of its sessions."""
        return frozenset(session.id for session in self.conversation.sessions)

    @cached_property
    def route(self) -> Route:
        """The route of its requests."""
        return Route.of(self.tip)

    @cached_property
    def lifetime(self) -> str | None:
        """How long its cache lives: `5m`, `1h`, or None if it is switched off."""
        return lifetime_in_force(self.config, self.tip, self.release)

    def entry(self, at: datetime | None, model: str = "", provider: str = "") -> PriceRow | None:
        """The price entry of a call."""
        if self.prices is None:
            return None
        return self.prices.entry_of(self.tip, at=at, model=model, provider=provider)

    def asked(self, since: datetime, until: datetime) -> int:
        """The tokens the user wrote in between."""
        rules = load_policy(self.release).estimate
        return total_tokens([size for at, size in self._user_messages if since < at <= until], rules)

    @cached_property
    def _user_messages(self) -> tuple[tuple[datetime, Size], ...]:
        """The times of the user's messages, and their sizes."""
        rules = load_policy(self.release).estimate
        return tuple(
            (message.row.timestamp, message_size(message.wire, rules))
            for generation in self.conversation.generations
            for message in self.messages(generation.row_ids)
            if message.role == "user" and message.row and message.row.timestamp
        )

    def call_entry(self, call: CacheCall) -> PriceRow | None:
        """The price entry of a call in the log."""
        return self.entry(call.at, call.model, call.provider)


def cache_report(case: CacheInputs, *, results: bool = True, markers: bool = True) -> CacheReport:
    """Breakpoints, calls, breaks, advice and costs of a conversation.

    `results` costs the tool results too, which reads every message; `markers` places the next request's
    markers, which weighs every message in it.
    """
    ttl, one_hour = case.lifetime, case.lifetime == "1h"
    off = CacheRoute("none", "prompt_caching.cache_ttl is off")
    route = cache_route(case.route, case.release) if ttl else off
    calls = case.notes.calls = read_calls(case.log, case.sessions, case.to_utc, case.notes.calls)
    explicit = route.layout != "none"
    breaks = _breaks(case, calls, ttl or "5m", explicit=explicit)
    price = case.call_entry
    tokens = case.conversation.tokens
    report = CacheReport(
        strategy=STRATEGY if explicit else "none",
        layout=route.layout,
        ttl=ttl or "off",
        route=route,
        breakpoints=_breakpoints(case, route, ttl or "5m") if markers else (),
        calls=calls,
        breaks=breaks,
        advice=advise(calls, breaks, ttl or "5m", price) if explicit else None,
        paybacks=paybacks(
            calls, case.log, case.sessions, _summaries(case), price, case.to_utc, one_hour=one_hour
        ),
        results=_results(case, tokens) if results else (),
        tokens=tokens,
        log=bool(calls),
        notes=tuple(_notes(case, calls, marked=explicit)),
        local=is_local_only(case.conversation.sessions),
    )
    if case.prices is not None:
        case.prices.save()
    return report


def _breaks(
    case: CacheInputs, calls: Sequence[CacheCall], ttl: str, *, explicit: bool
) -> tuple[CacheBreak, ...]:
    tools = {session.id: session.tools_hash for session in case.conversation.sessions if session.tools_hash}
    home = case.store.location.home
    split = explicit and placing(case.release).prefix
    identity = identity_changed(home, case.store.system_prompt(case.tip)) if split else None
    about = case.log, case.sessions, case.tip.source == "cli", case.asked
    context = BreakContext(*about, tools, identity, ttl, case.to_utc, case.pruned)
    return find_breaks(calls, context, case.call_entry, one_hour=ttl == "1h")


def _breakpoints(case: CacheInputs, route: CacheRoute, ttl: str) -> tuple[Breakpoint, ...]:
    """Where the next request would carry markers, as indexes of the live messages."""
    if not case.conversation.generations or route.layout == "none":
        return ()
    rules = load_policy(case.release).estimate
    noted = case.notes.of(case.conversation.generations[-1], case.messages, rules)
    system = case.store.system_prompt(case.tip)
    before = (Message({"role": "system", "content": system}),) if system else ()
    static = _static(case, system)
    points = place(
        (*before, *noted.outlines),
        case.release,
        route.layout,
        ttl,
        system_prefix=static,
        tool_parts=route.tool_parts,
        tool_schemas=route.tool_schemas,
    )
    shifted = [replace(point, index=_shifted(point.index, len(before))) for point in points]
    pin = case.store.tools(case.tip)
    tools = tool_tokens(pin.tools, schema=True) if pin else None
    base = text_tokens(system or "", rules.unit) + (tools or 0)
    before_messages = {("tools", "last schema"): tools}
    if static is not None:
        before_messages["system", "part 0"] = None  # the length of the static start is not stored
    return tuple(
        replace(one, prefix_tokens=before_messages.get((one.role, one.where), one.prefix_tokens))
        for one in with_prefix_tokens(shifted, noted.weights, base)
    )


def _static(case: CacheInputs, system: str | None) -> str | None:
    """A stand-in for the static start of the system prompt, of which only the presence matters.

    0.22 sends it separately unless SOUL.md was changed after the prompt was stored.
    """
    if not system or not placing(case.release).prefix or identity_changed(case.store.location.home, system):
        return None
    return system[:1]


def _shifted(index: int, system: int) -> int:
    """An index in the request as an index in the messages; the system prompt comes before them."""
    if index < 0:
        return index
    return index - system if index >= system else SYSTEM


def _summaries(case: CacheInputs) -> dict[str, SummaryCost]:
    """The summariser's cost in each session that recorded its calls."""
    found: dict[str, SummaryCost] = {}
    for row in case.store.model_usage(sorted(case.sessions)):
        if row.task == "compression":  # one row for each model that was asked
            before, usd = found.get(row.session_id, SummaryCost(Decimal(0), 0)), _usd(case, row)
            both = None if before.usd is None or usd is None else before.usd + usd
            found[row.session_id] = SummaryCost(both, before.calls + (row.calls or 1))
    return found


def _usd(case: CacheInputs, row: UsageRow) -> Decimal | None:
    if case.prices is None:
        return row.recorded_cost.usd
    # Auxiliary rows may name the route `auto`, which has no price.
    provider = case.route.provider if row.provider == "auto" else row.provider
    book, at = case.prices, row.last_seen
    return book.price(row.tokens, row.model, provider, row.base_url, at=at, calls=row.calls or 1)


def _results(case: CacheInputs, tokens: Buckets) -> tuple[ResultCost, ...]:
    rules = load_policy(case.release).estimate
    noted = (case.notes.of(one, case.messages, rules).results for one in case.conversation.generations)
    one_hour = case.lifetime == "1h"
    return most_expensive(result_costs(noted, case.entry, hit_rate=tokens.hit_rate, one_hour=one_hour))


def _notes(case: CacheInputs, calls: Sequence[CacheCall], *, marked: bool) -> Iterator[str]:
    if not marked:
        yield "even without cache markers, the provider may cache on its own"
    if not calls:
        yield "no log line of these calls is left: the cache hits are known as one sum, the breaks not at all"
    unreported = sum(call.prompt is None for call in calls)
    if unreported:
        yield f"{plural(unreported, 'call')} reported no usage"
    recorded = sum(session.api_calls or 0 for session in case.conversation.sessions)
    if calls and len(calls) < recorded:
        yield f"the log still holds {len(calls):,} of {recorded:,} calls"
