"""The prompt cache of a conversation, explained with its log, config and release."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from functools import partial

from core.account.prompt_cache.message_notes import MessageNotes
from core.account.prompt_cache.report import CacheInputs, cache_report
from core.account.prompt_cache.routes import open_book_for
from core.explain.context.context import ConversationContext, open_context, passing
from core.explain.recorded import with_recording
from core.hermes.policy.policy import nearest_release
from core.model.accounting.prompt_cache import CacheReport
from core.model.transcript.message import Message
from core.store.store import Store
from core.support.formatting import message_rows


def conversation_cache(
    store: Store,
    session_id: str,
    *,
    release: str | None = None,
    prices: bool = True,
    results: bool = True,
    markers: bool = True,
    notes: MessageNotes | None = None,
) -> CacheReport:
    """Markers, calls, breaks and their cost.

    `results` adds the cost of tool results, which reads every message; `markers` places the markers of the
    next request, which measures every message it holds except those already in `notes`.

    Raises:
        NotFoundError: There is no such session.
        ConfigError: config.yaml or the price overrides cannot be used.
    """
    context = open_context(store, session_id, release=release)
    read = partial(passing, context)
    return cache_of(context, read, notes, prices=prices, results=results, markers=markers)


def cache_of(
    context: ConversationContext,
    messages: Callable[[Sequence[int]], Iterable[Message]] | None = None,
    notes: MessageNotes | None = None,
    *,
    prices: bool = True,
    results: bool = True,
    markers: bool = True,
) -> CacheReport:
    """The same for a conversation already opened; by default the messages read stay in its context."""
    release = nearest_release(context.release.release)
    case = CacheInputs(
        context.store,
        context.conversation,
        messages or context.messages,
        log=context.log,
        release=release,
        config=context.config,
        prices=open_book_for(context.config, context.conversation.tip, release) if prices else None,
        to_utc=context.clock.utc,
        notes=notes or MessageNotes(),
        pruned=tuple(_pruned(context)),
    )
    return with_recording(cache_report(case, results=results, markers=markers), context)


def _pruned(context: ConversationContext) -> Iterator[tuple[datetime, str]]:
    """When old results were shortened, as rows show it."""
    for rows in context.boundaries:
        if rows.pruned and rows.at is not None and rows.after:
            yield rows.at, message_rows(rows.after)
