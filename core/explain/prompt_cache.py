"""The prompt cache of a conversation, read with what is known about its log, config and release."""

from __future__ import annotations

from core.account.pricing.price_book import PriceBook, open_book
from core.account.prompt_cache.report import cache_report
from core.explain.context.context import Frame
from core.explain.events import explained
from core.model.accounting.prompt_cache import CacheReport
from core.store.store import Store


def conversation_cache(
    store: Store, session_id: str, *, release: str | None = None, prices: bool = True
) -> CacheReport:
    """Markers, calls, breaks and their cost.

    Args:
        store: The database.
        session_id: Any session of the conversation.
        release: Rules to apply instead of the detected release's.
        prices: Work costs out too.

    Raises:
        NotFoundError: There is no such session.
        ConfigError: config.yaml or the price overrides cannot be used.
    """
    return cache_of(explained(store, session_id, release=release)[0], prices=prices)


def cache_of(frame: Frame, *, prices: bool = True) -> CacheReport:
    """The same of a conversation that has been read already."""
    return cache_report(
        frame.store,
        frame.conversation.tip.id,
        frame.log,
        release=frame.release.release,
        config=frame.config,
        prices=_book(frame) if prices else None,
        to_utc=frame.clock.utc,
        conversation=frame.conversation,
    )


def _book(frame: Frame) -> PriceBook:
    lifetime = frame.config.value("prompt_caching.cache_ttl", frame.release.release)
    return open_book(one_hour=lifetime == "1h")
