"""The prompt cache of a conversation, read with what is known about its log, config and release."""

from __future__ import annotations

from core.account.pricing.price_book import open_book
from core.account.prompt_cache.report import cache_report
from core.explain.events import explain
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
    known = explain(store, session_id, release=release)
    minor = known.release.release
    one_hour = known.config.value("prompt_caching.cache_ttl", minor) == "1h"
    return cache_report(
        store,
        session_id,
        known.log,
        release=minor,
        config=known.config,
        prices=open_book(one_hour=one_hour) if prices else None,
        to_utc=known.clock.utc,
    )
