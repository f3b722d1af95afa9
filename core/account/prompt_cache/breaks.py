"""Calls that missed the cache although the previous call had filled it, and what happened in between."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from itertools import pairwise
from operator import itemgetter
from pathlib import Path
from statistics import median

from core.account.pricing.price import rates_for, reread_cost, write_rate
from core.account.prompt_cache.calls import CallPrice, ToUtc, local_time
from core.hermes.log.read import Log
from core.hermes.log.record import Kind, LogRecord
from core.model.accounting.prompt_cache import CacheBreak, CacheCall
from core.model.accounting.usage import Origin
from core.model.finding import Evidence, Source
from core.support.formatting import moment

SECONDS = {"5m": 300.0, "1h": 3600.0}

_COMPACTED = frozenset({Kind.DONE, Kind.STARTED})
_REWRITTEN = frozenset({Kind.MICRO, Kind.TURN})
_PREFIX_CHANGES = _COMPACTED | _REWRITTEN | {Kind.PROMPT_REBUILT}
_CHANGED_NOTHING = {Kind.STARTED, Kind.NO_PROGRESS}
_MIN_SCHEMA_TOKENS = 256
_SHARE = 0.02
"""Relative tolerance between the weight of messages read from the store and of those sent."""
_EVER = datetime.max.replace(tzinfo=UTC)

Cause = tuple[str, tuple[Evidence, ...]]
SHARE = 0.4
"""A break loses at least this share of what the previous call left in the cache."""
MIN_CACHED_TOKENS = 1024
"""... and at least this many tokens: providers cache nothing shorter."""


def _nothing_asked(_since: datetime, _until: datetime) -> int:
    return 0


@dataclass(frozen=True, slots=True)
class BreakContext:
    """What may have broken the cache between two calls.

    Attributes:
        log: The log lines of the conversation's sessions.
        sessions: The conversation's session ids.
        remembers: Whether the program keeps the messages when it creates a new agent, as the terminal does; a
            gateway reads them from the store again.
        asked: Returns the tokens the user wrote after one moment and up to another.
        tools: Hash of the tool schemas by session, if the store has one.
        identity: When the start of the system prompt began to differ from the stored prompt's, which matters
            if its static start is sent separately (0.22).
        ttl: Lifetime of the cache.
        pruned: Times of prunings, each that of the last row before it, with the rows that show it.
    """

    log: Log
    sessions: frozenset[str]
    remembers: bool = False
    asked: Callable[[datetime, datetime], int] = _nothing_asked
    tools: Mapping[str, str] | None = None
    identity: datetime | None = None
    ttl: str = "5m"
    to_utc: ToUtc = local_time
    pruned: Sequence[tuple[datetime, str]] = ()


class Causes:
    """Finds the causes of a conversation's breaks."""

    def __init__(self, context: BreakContext, calls: Sequence[CacheCall]) -> None:
        self._context = context
        self._lines = sorted(_relevant_lines(context), key=itemgetter(0))
        self._turns = [
            context.to_utc(record.at)
            for record in context.log.records
            if record.kind is Kind.TURN and record.session in context.sessions
        ]
        self._starts = sorted(map(context.to_utc, context.log.starts))
        self._front = min((call.prompt for call in calls if call.prompt), default=0)

    def of(self, before: CacheCall, call: CacheCall) -> Cause:
        """The first cause that fits, in an order in which each cause rules out the later ones."""
        context, between = self._context, self._between(before, call)
        compacted = [line for line in between if line.kind in _COMPACTED]
        kinds = {line.kind for line in between}
        if compacted and (Kind.DONE in kinds or not kinds >= _CHANGED_NOTHING):
            return "compaction", tuple(line.evidence for line in compacted)
        if before.route != call.route:
            text = f"{before.provider}/{before.model} before, {call.provider}/{call.model} now"
            return "model_changed", (Evidence(Source.LOG, call.where, text),)
        if rewritten := [line for line in between if line.kind in _REWRITTEN]:
            return "messages_rewritten", tuple(line.evidence for line in rewritten)
        if shortened := [where for at, where in context.pruned if before.at <= at <= call.at]:
            text = "old tool results were shortened (compression.proactive_prune_tokens)"
            return "messages_rewritten", tuple(Evidence(Source.DATABASE, where, text) for where in shortened)
        if rebuilt := [line for line in between if line.kind is Kind.PROMPT_REBUILT]:
            return "system_prompt_changed", tuple(line.evidence for line in rebuilt)
        limit = SECONDS.get(context.ttl, SECONDS["5m"])
        if (gap := call.since(before)) > limit:
            text = f"{gap:,.0f} s since the previous call; the cache is kept for {limit:,.0f} s"
            return "ttl_expired", (Evidence(Source.DERIVED, call.where, text),)
        tools = context.tools or {}
        if (one := tools.get(before.session)) and (other := tools.get(call.session)) and one != other:
            text = f"tool schemas {one[:12]} before, {other[:12]} now"
            return "tools_changed", (Evidence(Source.DATABASE, f"session {call.session}", text),)
        # An agent counts its calls, so the count starts again with a new agent.
        return self._set_up_anew(before, call) if call.number == 1 else ("unknown", ())

    def undisturbed(self, before: CacheCall, call: CacheCall) -> bool:
        """Whether the same agent asked again, with nothing rewritten in between."""
        return call.number != 1 and before.route == call.route and not self._between(before, call)

    def _between(self, before: CacheCall, call: CacheCall) -> list[LogRecord]:
        start = bisect_left(self._lines, before.at, key=itemgetter(0))
        end = bisect_right(self._lines, call.at, lo=start, key=itemgetter(0))
        return [line for _, line in self._lines[start:end]]

    def _set_up_anew(self, before: CacheCall, call: CacheCall) -> Cause:
        """What a new agent sends differently: other tools, messages read from the store, or a system prompt.

        It reuses the stored system prompt; another log line shows if it does not.
        """
        started = next((at for at in self._starts if before.at < at <= call.at), None)
        if started is None:
            restarted = Evidence(
                Source.LOG, call.where, "calls are counted from 1 again: the agent was set up again"
            )
            if not self._context.remembers:
                return "resume", (restarted,)
            text = "the running program kept the messages; what comes before them differs"
            return "system_prompt_changed", (restarted, Evidence(Source.DERIVED, call.where, text))
        restarted = Evidence(Source.LOG, call.where, f"Hermes was started at {moment(started)}")
        grown = self._grown(before, call)
        if not grown or (call.cache_read or 0) >= self._front:
            return self._reloaded(before, call, restarted)
        if whole := self._sent_whole(before, grown):
            return "resume", (restarted, *whole)
        more = f"{abs(grown):,} tokens {'more' if grown > 0 else 'fewer'} than before and what was said since"
        text = f"the prompt holds {more}, and nothing after the tool schemas came from the cache"
        return "tools_changed", (restarted, Evidence(Source.DERIVED, call.where, text))

    def _sent_whole(self, before: CacheCall, grown: int) -> tuple[Evidence, ...]:
        """The lines of results that became files, but are sent whole again, if that explains a growth."""
        moved: list[LogRecord] = []
        for record in self._context.log.records:
            if record.session in self._context.sessions and self._context.to_utc(record.at) <= before.at:
                if record.kind is Kind.DONE:
                    moved.clear()  # it stores again what the process held
                elif record.kind is Kind.RESULT_MOVED:
                    moved.append(record)
        characters = sum(record.number or 0 for record in moved)
        return tuple(record.evidence for record in moved) if 0 < grown <= characters else ()

    def _reloaded(self, before: CacheCall, call: CacheCall, restarted: Evidence) -> Cause:
        changed = self._context.identity
        if changed is None or not before.at < changed <= call.at:
            return "resume", (restarted,)
        text = f"changed at {moment(changed)}; the stored system prompt begins otherwise, so it "
        text += "is no longer sent in two parts"
        return "system_prompt_changed", (restarted, Evidence(Source.CONFIG, "SOUL.md", text))

    def _grown(self, before: CacheCall, call: CacheCall) -> int:
        """Tokens by which the prompt grew beyond what was said, or shrank; 0 if less than a tool schema."""
        then, now = before.prompt or 0, call.prompt or 0
        until = next((at for at in self._turns if at > call.at), _EVER)
        asked = self._context.asked(before.at, until)
        more = now - then - asked - (before.output or 0)
        slack = _MIN_SCHEMA_TOKENS + int(_SHARE * then) + asked // 2
        if more > slack:
            return more
        return now - then if now - then < -slack else 0


def _relevant_lines(context: BreakContext) -> Iterator[tuple[datetime, LogRecord]]:
    """Lines that may explain a break; of turns only those with fewer messages than the previous one."""
    history = 0
    for record in context.log.records:
        if record.session not in context.sessions and record.kind is not Kind.MICRO:
            continue
        if record.kind is Kind.TURN:
            shrunk, history = (record.before or 0) < history, record.before or 0
            if not shrunk:
                continue
        elif record.kind is Kind.DONE:
            history = 0
        if record.kind in _PREFIX_CHANGES | _CHANGED_NOTHING:
            yield context.to_utc(record.at), record


def identity_changed(home: Path | None, system_prompt: str | None) -> datetime | None:
    """When SOUL.md, with which a system prompt begins, was changed so that the stored prompt differs from it.

    None if the stored prompt contains it or this is unknown. A file shows only its last change.
    """
    if home is None or not system_prompt:
        return None
    path = home / "SOUL.md"
    try:
        content = path.read_text("utf-8", "replace").strip() if path.is_file() else ""
        changed = path.stat().st_mtime
    except OSError:
        return None
    return datetime.fromtimestamp(changed, UTC) if content and content not in system_prompt else None


def find_breaks(
    calls: Sequence[CacheCall], context: BreakContext, price: CallPrice, *, one_hour: bool = False
) -> tuple[CacheBreak, ...]:
    """Find all breaks, each with cause and cost.

    Providers regularly find a little less than the whole previous prompt; this usual shortfall is the median
    over the calls that nothing disturbed, and only what is missing beyond it counts. Where `price` returns no
    entry for a call, amounts stay unknown.
    """
    causes = Causes(context, calls)
    usual = _usual_shortfall(calls, causes)
    caching = {call.route for call in calls if call.cache_read}
    found: list[CacheBreak] = []
    for place, (before, call) in enumerate(pairwise(calls), start=1):
        lost = _lost(before, call, usual)
        # On a route that never hits there is no cache to break; after a change of route both are checked.
        if lost is None or not {before.route, call.route} & caching:
            continue
        cause, evidence = causes.of(before, call)
        usd, origin = _bill(lost, call, price, one_hour) or (None, None)
        found.append(
            CacheBreak(
                at=call.at,
                call=place,
                cause=cause,
                tokens_lost=lost,
                usd=usd,
                before=before.hit_rate,
                after=call.hit_rate,
                evidence=(_miss(call, lost), *evidence),
                origin=origin,
            )
        )
    return tuple(found)


def _usual_shortfall(calls: Sequence[CacheCall], causes: Causes) -> int:
    """How much of the previous prompt is typically not found in the cache, in tokens.

    Where most calls follow a compaction, the median of all would make the loss itself the usual case.
    """
    comparable = [
        (before, call)
        for before, call in pairwise(calls)
        if before.prompt and call.prompt and call.cache_read and before.prompt <= call.prompt
    ]
    quiet = [pair for pair in comparable if causes.undisturbed(*pair)] or comparable
    gaps = [max(0, (before.prompt or 0) - (call.cache_read or 0)) for before, call in quiet]
    return int(median(gaps)) if gaps else 0


def _lost(before: CacheCall, call: CacheCall, usual: int) -> int | None:
    """Tokens that should have come from the cache and did not; None for an ordinary call."""
    if before.prompt is None or call.prompt is None or call.cache_read is None:
        return None
    expected = min(before.prompt, call.prompt) - usual
    lost = expected - call.cache_read
    return lost if lost >= MIN_CACHED_TOKENS and lost >= SHARE * expected else None


def _miss(call: CacheCall, lost: int) -> Evidence:
    found = f"{call.cache_read or 0:,} of {call.prompt or 0:,} prompt tokens came from the cache"
    text = f"{found}, {lost:,} fewer than usual"
    return Evidence(Source.LOG, call.where, text)


def _bill(lost: int, call: CacheCall, price: CallPrice, one_hour: bool) -> tuple[Decimal, Origin] | None:
    """What rereading the lost tokens cost above reading them from the cache, with its origin."""
    entry = price(call)
    if entry is None:
        return None
    rates = rates_for(entry, call.prompt or 0)
    fresh = write_rate(rates, one_hour=one_hour)
    if fresh is None or rates.cache_read is None:
        return None
    return reread_cost("cost", lost, fresh, rates.cache_read, entry)
