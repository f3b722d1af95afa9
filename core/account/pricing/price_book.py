"""Finds the price of a route at a moment: the user's overrides first, then the bundled list."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.account.pricing.price import billing_of, entry_at, price, route_rules
from core.account.pricing.price_list import PriceList
from core.errors import ConfigError
from core.hermes.config.config_values import in_own_network
from core.model.accounting.amounts import Buckets
from core.model.accounting.ledger import PriceRow, Rates, Tier
from core.support.own_files import (
    OWN_PRICES,
    BadYaml,
    cache_directory,
    config_directory,
    read_user_file,
    user_yaml,
)

if TYPE_CHECKING:
    from core.model.transcript.session import Session

_RATES = ("input", "output", "cache_read", "cache_write", "cache_write_1h")
_MAX_PRICE = 10**9
_KEYS = {*_RATES, "model", "provider", "from", "tiers", "billing"}


@dataclass(frozen=True, slots=True)
class Override:
    """An entry of the user's price file, for every model and provider that match its patterns with `*`."""

    model: str
    provider: str
    row: PriceRow

    def applies_to(self, model: str, provider: str) -> bool:
        """Whether the entry applies to this route."""
        return fnmatchcase(model.lower(), self.model) and fnmatchcase(provider.lower(), self.provider)


class PriceBook:
    """Finds prices, the user's own first, and caches what it found, in a folder also between runs.

    `one_hour` says that cache writes are kept for an hour (`prompt_caching.cache_ttl: 1h`).
    """

    def __init__(
        self, overrides: Sequence[Override] = (), *, one_hour: bool = False, folder: Path | None = None
    ) -> None:
        self.overrides = tuple(overrides)
        self.one_hour = one_hour
        self.list = PriceList(folder)
        self._entries: dict[tuple[str, str, str, str], tuple[PriceRow, ...]] = {}

    def entries(
        self, model: str, provider: str = "", base_url: str = "", mode: str = ""
    ) -> tuple[PriceRow, ...]:
        """The dated entries of a route, oldest first; empty if it has no known price."""
        key = (model, provider, base_url, mode)
        if key not in self._entries:
            self._entries[key] = self._find(*key)
        return self._entries[key]

    def entry(
        self,
        model: str,
        provider: str = "",
        base_url: str = "",
        mode: str = "",
        *,
        at: datetime | None = None,
    ) -> PriceRow | None:
        """The entry in force at a moment."""
        return entry_at(self.entries(model, provider, base_url, mode), at)

    def entry_of(
        self, session: Session, *, at: datetime | None = None, model: str = "", provider: str = ""
    ) -> PriceRow | None:
        """The entry of a session's call, which may name another model and provider than the session.

        The endpoint is recorded per session only, so it is not that of calls to another provider.
        """
        model, own = model or session.model or "", session.provider or ""
        if provider not in ("", own):
            return self.entry(model, provider, at=at)
        return self.entry(model, own, session.base_url or "", session.billing_mode or "", at=at)

    def price(
        self,
        tokens: Buckets,
        model: str,
        provider: str = "",
        base_url: str = "",
        *,
        at: datetime | None = None,
        calls: int = 1,
    ) -> Decimal | None:
        """The cost of tokens on a route at a moment: nothing on a server of one's own.

        None if unknown or paid by a subscription.
        """
        row = self.entry(model, provider, base_url, at=at)
        if row is not None and row.billing != "api":
            return Decimal(0) if row.billing == "local" else None
        return price(row, tokens, calls=calls, one_hour=self.one_hour)

    def save(self) -> None:
        """Save the entries found, for the next run."""
        self.list.save()

    def _find(self, model: str, provider: str, base_url: str, mode: str) -> tuple[PriceRow, ...]:
        own = [override.row for override in self.overrides if override.applies_to(model, provider)]
        if own:
            return tuple(sorted(own, key=lambda row: row.since or date.min))
        billing = billing_of(provider, base_url, mode)
        listed = self._by_route(model, provider.lower(), base_url)
        if billing == "api":
            return listed
        if listed:
            return tuple(replace(row, billing=billing) for row in listed)
        return (PriceRow(provider, model, Rates(), self.list.source, billing=billing),)

    def _by_route(self, model: str, provider: str, base_url: str) -> tuple[PriceRow, ...]:
        rules = route_rules()
        if provider in rules["names"]:
            return self._renamed(rules["lists"][provider], model, rules["names"][provider])
        if provider in rules["lists"]:
            return self._of_provider(rules["lists"][provider], model)
        if provider in rules["by_endpoint"] and base_url and not in_own_network(base_url):
            return self._by_endpoint(base_url, model)
        if provider or base_url:
            return ()
        vendor, slash, _ = model.lower().partition("/")
        if slash:
            provider = rules["vendors"].get(vendor, "openrouter")
            return self._with_unknown_provider(self._of_provider(provider, model))
        return self._with_unknown_provider(self.list.entries(None, model))

    def _by_endpoint(self, base_url: str, model: str) -> tuple[PriceRow, ...]:
        """Entries of the provider that an endpoint belongs to."""
        found = self.list.entries(None, model, base_url)
        found = found or self.list.entries(None, model.partition(":")[0], base_url)
        return self._of_provider(found[0].provider, model) if found else ()

    def _of_provider(self, provider: str, model: str) -> tuple[PriceRow, ...]:
        """Entries of a provider, whose list may name a model with or without its vendor."""
        base, _, variant = model.partition(":")
        if variant in route_rules()["free"].get(provider, ()):
            nothing = Rates(*[Decimal(0)] * 4)
            return (PriceRow(provider, model, nothing, f":{variant} of {provider}"),)
        found = self.list.entries(provider, model) or self.list.entries(provider, model.rsplit("/", 1)[-1])
        if not found and variant in route_rules()["served"].get(provider, ()):
            note = f"price of the model without :{variant}"
            return tuple(replace(row, note=note) for row in self._of_provider(provider, base))
        return found

    def _renamed(self, provider: str, model: str, rules: Mapping[str, Any]) -> tuple[PriceRow, ...]:
        """Entries of a list whose model names have a date and a scope that the route may leave out."""
        rows, note = self._of_provider(provider, model), ""
        listed = bool(rows) or model.startswith(rules["surcharged"])
        names = () if listed else _candidates(model.lower(), rules)
        if names and (full := self.list.named(provider, names, rules["dated"])):
            rows = self._of_provider(provider, full.removeprefix(rules["surcharged"]))
            note = f"the name has no date: price of {full}"
        return tuple(replace(row, note=self._claims(row, note, rules)) for row in rows)

    def _claims(self, row: PriceRow, note: str, rules: Mapping[str, Any]) -> str:
        """What was assumed for an entry, and whether it costs more than the worldwide one."""
        world = row.model.replace(rules["surcharged"], rules["world"], 1)
        costs = self._of_provider(row.provider, world) if world != row.model else ()
        dearer = any(one.rates.input != row.rates.input for one in costs)
        surcharge_note = rules["surcharge"].format(world=world) if dearer else ""
        return "; ".join(filter(None, (row.note, note, surcharge_note)))

    def _with_unknown_provider(self, rows: tuple[PriceRow, ...]) -> tuple[PriceRow, ...]:
        note = "no provider was recorded; the price is the list price of {}"
        return tuple(replace(row, note=note.format(row.provider)) for row in rows)


def _candidates(model: str, rules: Mapping[str, Any]) -> tuple[str, ...]:
    """The prefixes a listed name may have for a route's model."""
    model = re.sub(r"(\d)\.(\d)", r"\1-\2", model)
    if model.startswith(rules["world"]):
        return (model,)
    unprefixed = next((model.removeprefix(one) for one in rules["scopes"] if model.startswith(one)), model)
    return tuple(f"{opener}{unprefixed}" for opener in rules["listed"])


def open_book(*, one_hour: bool = False) -> PriceBook:
    """A price book with this user's overrides, which caches entries in the user's cache directory.

    Raises:
        ConfigError: The file of overrides is invalid.
    """
    overrides = read_overrides(config_directory() / OWN_PRICES)
    return PriceBook(overrides, one_hour=one_hour, folder=cache_directory())


def read_overrides(path: Path) -> tuple[Override, ...]:
    """Read the user's own prices; none if the file does not exist.

    Raises:
        ConfigError: The file is not a list of valid entries; the message names the entry.
    """
    try:
        content = user_yaml(read_user_file(path))
    except FileNotFoundError:
        return ()
    except (OSError, BadYaml) as error:
        raise ConfigError(f"cannot be read ({error})", where=str(path)) from error
    if not isinstance(content, list):
        raise ConfigError(
            "must be a list of prices", where=str(path), remedy="Begin each entry with `- model:`."
        )
    return tuple(_override(raw, f"{path} entry {number}") for number, raw in enumerate(content, 1))


def _override(raw: Any, where: str) -> Override:
    if not isinstance(raw, Mapping) or not isinstance(raw.get("model"), str):
        raise ConfigError("an entry needs a model", where=where)
    if unknown := sorted(str(key) for key in raw if key not in _KEYS):
        raise ConfigError(
            f"unknown key {unknown[0]!r}", where=where, remedy=f"Known: {', '.join(sorted(_KEYS))}."
        )
    billing = raw.get("billing", "api")
    if billing not in ("api", "included", "local"):
        raise ConfigError(f"billing {billing!r}", where=where, remedy="Use api, included or local.")
    since = raw.get("from")
    if since is not None and type(since) is not date:  # a moment would be one, too
        raise ConfigError(f"from {since!r} is not a date", where=where, remedy="Write it as 2026-01-31.")
    provider, model = str(raw.get("provider") or "").lower(), raw["model"].lower()
    listed = raw.get("tiers") or []
    tiers = [_tier(entry, where) for entry in (listed if isinstance(listed, list) else [listed])]
    ascending = tuple(sorted(tiers, key=lambda tier: tier.above))
    row = PriceRow(provider or "any", model, _rates(raw, where), where, ascending, since, billing=billing)
    return Override(model, provider or "*", row)


def _tier(raw: Any, where: str) -> Tier:
    if not isinstance(raw, Mapping) or not isinstance(raw.get("above"), int):
        raise ConfigError("a tier needs `above`, a number of tokens", where=where)
    return Tier(raw["above"], _rates(raw, where))


def _rates(raw: Mapping[str, Any], where: str) -> Rates:
    return Rates(**{name: _price(raw[name], where) for name in _RATES if raw.get(name) is not None})


def _price(raw: Any, where: str) -> Decimal:
    try:
        usd = Decimal(str(raw))
        if 0 <= usd <= _MAX_PRICE:  # NaN cannot be compared
            return usd
    except InvalidOperation:
        pass
    raise ConfigError(f"{raw!r} is not a price", where=where, remedy='Write USD per million: input: "3"')
