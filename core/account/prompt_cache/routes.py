"""Which routes get cache markers, how long their cache lives, and what another lifetime would have cost."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from itertools import pairwise
from typing import Any

from core.account.pricing.price import MILLION, rates_for, write_rate
from core.account.pricing.price_book import PriceBook, open_book
from core.account.prompt_cache.breaks import SECONDS
from core.account.prompt_cache.calls import CallPrice
from core.hermes.config.config import HermesConfig
from core.hermes.config.config_values import api_mode_of, host_of
from core.model.accounting.ledger import Rates
from core.model.accounting.prompt_cache import CacheBreak, CacheCall, CacheRoute, TtlAdvice
from core.model.transcript.session import Session
from core.support.program_files import newest_for, shared_table, version

_LIFETIMES = ("5m", "1h")
_MARGIN = Decimal("0.02")
"""A difference below this share is ignored."""


@dataclass(frozen=True, slots=True)
class Route:
    """The route of a request."""

    provider: str = ""
    base_url: str = ""
    model: str = ""

    @classmethod
    def of(cls, session: Session) -> Route:
        """The route of a session's requests."""
        return cls(session.provider or "", session.base_url or "", session.model or "")

    @property
    def wire(self) -> str:
        """The wire format: `anthropic_messages`, `chat_completions`, ..."""
        return api_mode_of(self.provider, self.base_url)

    @property
    def host(self) -> str:
        """Host of the endpoint, in lower case."""
        return host_of(self.base_url)

    @property
    def litellm(self) -> bool:
        """Whether this is a LiteLLM proxy: the word stands alone in the provider or host name."""
        return "litellm" in re.split(r"[:\-_/]", self.provider.lower()) + re.split(r"[.\-]", self.host)


@dataclass(frozen=True, slots=True)
class Placing:
    """How a release places markers; see `breakpoints.yaml`."""

    counts: str
    tools: str
    unmarked_if_empty: tuple[str, ...]
    prefix: bool
    strips: bool


def placing(release: str) -> Placing:
    """The rules of a release, `0.19` or `0.19.0`."""
    return _placings()[newest_for(tuple(_placings()), release)]


@cache
def _placings() -> dict[str, Placing]:
    return {
        release: Placing(**(raw | {"unmarked_if_empty": tuple(raw["unmarked_if_empty"])}))
        for release, raw in shared_table("core/account/prompt_cache/breakpoints.yaml").items()
    }


def cache_route(route: Route, release: str) -> CacheRoute:
    """Whether a release of Hermes marks requests on a route, and in which layout."""
    rule = next(
        (
            rule
            for rule in shared_table("core/account/prompt_cache/routes.yaml")["rules"]
            if _applies(rule, route, release)
        ),
        None,
    )
    if rule is None:
        return CacheRoute("none", "Hermes sets none for this provider")
    straight = route.wire == "anthropic_messages" and route.host == "api.anthropic.com"
    schemas = straight and version(release) >= (0, 22)
    return CacheRoute(rule["layout"], rule["why"], tool_parts=not route.litellm, tool_schemas=schemas)


def cache_ttl(configured: Any, route: Route, release: str, source: str = "") -> str | None:
    """The lifetime in force: `5m`, `1h`, or None if the configuration switches caching off.

    Some routes keep only five minutes; the source of a session decides for `auto`.
    """
    rules = shared_table("core/account/prompt_cache/routes.yaml")["ttl"]
    text = str(configured).lower() if configured is not None else "none"
    ttl = "5m"
    if text == "auto" and version(release) >= version(rules["auto_since"]):
        ttl = "5m" if source.strip().lower() in rules["machine_paced"] else "1h"
    elif text == "1h":
        ttl = "1h"
    elif text in rules["disabled"] and version(release) >= version(rules["disabled_since"]):
        return None
    return "5m" if _keeps_five_minutes(rules["five_minutes"], route, release) else ttl


def lifetime_in_force(config: HermesConfig, session: Session, release: str) -> str | None:
    """The same for the next request of a session."""
    configured = config.value("prompt_caching.cache_ttl", release)
    return cache_ttl(configured, Route.of(session), release, session.source or "")


def open_book_for(config: HermesConfig, session: Session, release: str) -> PriceBook:
    """A price book in which cache writes cost what the lifetime in force costs.

    Raises:
        ConfigError: The file of overrides is invalid.
    """
    return open_book(one_hour=lifetime_in_force(config, session, release) == "1h")


def _keeps_five_minutes(rules: Mapping[str, Any], route: Route, release: str) -> bool:
    if version(release) < version(rules["since"]):
        return False
    provider, model = route.provider.lower(), route.model.lower()
    if provider in rules["allowed"]:
        return model.strip().rsplit("/", 1)[-1] in rules["allowed_except"]
    return provider in rules["providers"] or any(name in model for name in rules["models"])


def _applies(rule: Mapping[str, Any], route: Route, release: str) -> bool:
    now = version(release)
    if now < version(rule.get("since", "0.0")) or now > version(rule.get("until", "99.0")):
        return False
    return all(_TESTS[key](value, route) for key, value in rule.items() if key in _TESTS)


def _is_below(host: str, domain: str) -> bool:
    return host == domain or host.endswith(f".{domain}")


def _in_family(name: str, route: Route) -> bool:
    family = shared_table("core/account/prompt_cache/routes.yaml")["families"][name]
    slug = route.model.strip().lower()
    unprefixed = slug.rsplit("/", 1)[-1]
    return (
        any(word in slug for word in family["contains"])
        or unprefixed.startswith(tuple(family["starts"]))
        or unprefixed in family["equals"]
    )


_TESTS: Mapping[str, Callable[[Any, Route], bool]] = {
    "wire": lambda value, route: route.wire == value,
    "not_wire": lambda value, route: route.wire != value,
    "provider": lambda value, route: route.provider.lower() in value,
    "exact_provider": lambda value, route: route.provider == value,
    "host": lambda value, route: any(_is_below(route.host, domain) for domain in value),
    "exact_host": lambda value, route: route.host in value,
    "url": lambda value, route: value in route.base_url.lower(),
    "model": lambda value, route: any(word in route.model.lower() for word in value),
    "family": _in_family,
    "litellm": lambda value, route: route.litellm is value,
}


def advise(
    calls: Sequence[CacheCall], breaks: Sequence[CacheBreak], ttl: str, price: CallPrice
) -> TtlAdvice | None:
    """The better lifetime for these calls; None without calls.

    Each call is replayed: the previous call's prompt is read from the cache unless the pause was longer than
    the lifetime, and the rest is written. Breaks that no lifetime prevents stay breaks.
    """
    gaps = [call.since(before) for before, call in pairwise(calls)]
    if not gaps:
        return None
    counts = (
        sum(gap <= SECONDS["5m"] for gap in gaps),
        sum(SECONDS["5m"] < gap <= SECONDS["1h"] for gap in gaps),
        sum(gap > SECONDS["1h"] for gap in gaps),
    )
    broken = {one.call for one in breaks if one.cause != "ttl_expired"}
    short_usd, long_usd = _costs(calls, broken, price)
    better, reason = _verdict(counts, short_usd, long_usd)
    return TtlAdvice(ttl, better, reason, short_usd, long_usd, counts)


def _costs(calls: Sequence[CacheCall], broken: set[int], price: CallPrice) -> tuple[Decimal | None, ...]:
    """USD of the input side of all calls, for each lifetime; tokens at equal rates are summed first."""
    sums: dict[int, tuple[Rates, list[int]]] = {}
    before = 0
    for place, call in enumerate(calls):
        prompt = call.prompt
        if prompt is None:
            continue
        entry = price(call)
        rates = rates_for(entry, prompt) if entry else None
        if rates is None or rates.cache_read is None or rates.cache_write is None:
            return None, None
        pause = call.since(calls[place - 1]) if place else math.inf
        counted = sums.setdefault(id(rates), (rates, [0] * (1 + len(_LIFETIMES))))[1]
        counted[0] += prompt
        for at, lifetime in enumerate(_LIFETIMES, 1):
            kept = min(before, prompt) if pause <= SECONDS[lifetime] else 0
            counted[at] += (call.cache_read or 0) if place in broken else kept
        before = prompt
    return tuple(
        sum((_usd(rates, counted[0], counted[at], lifetime) for rates, counted in sums.values()), Decimal(0))
        for at, lifetime in enumerate(_LIFETIMES, 1)
    )


def _usd(rates: Rates, prompt: int, read: int, lifetime: str) -> Decimal:
    """The cost of tokens read from the cache, and of the other ones, which are written to it."""
    write = write_rate(rates, one_hour=lifetime == "1h")
    assert write is not None
    assert rates.cache_read is not None
    return (read * rates.cache_read + (prompt - read) * write) / MILLION


def _verdict(
    counts: tuple[int, int, int], short_usd: Decimal | None, long_usd: Decimal | None
) -> tuple[str | None, str]:
    pauses = f"{counts[1]} of {sum(counts)} pauses lie between 5 minutes and an hour"
    if short_usd is None or long_usd is None:
        return None, f"{pauses}; no price tells whether an hour would pay"
    if abs(short_usd - long_usd) <= _MARGIN * max(short_usd, long_usd):
        return None, f"{pauses}; both cost about the same"
    better = "5m" if short_usd < long_usd else "1h"
    return better, f"{pauses}; {better} saves ${abs(short_usd - long_usd):.2f} over these calls"
