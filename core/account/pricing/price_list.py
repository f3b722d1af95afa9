"""The price list bundled with genai-prices, read offline, with a small cache of our own.

Reading the list takes 50 ms, so entries found are cached under its version.
"""

from __future__ import annotations

import builtins
import json
import re
import sys
from contextlib import suppress
from dataclasses import asdict
from datetime import date, time
from decimal import Decimal
from functools import cache
from importlib.util import find_spec, module_from_spec
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from core.model.accounting.ledger import PriceRow, Rates, Tier
from core.support.program_files import keep

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from genai_prices.data_snapshot import DataSnapshot
    from genai_prices.types import ModelInfo, ModelPrice

PACKAGE = "genai_prices"
_READING = Lock()
_FORMAT = 2
"""Version of the cache file's format."""
_FIELDS = {
    "input": "input_mtok",
    "output": "output_mtok",
    "cache_read": "cache_read_mtok",
    "cache_write": "cache_write_mtok",
    "cache_write_1h": "cache_write_1h_mtok",
}


class PriceList:
    """Entries of the bundled list by provider and model, cached in a folder or within the process only."""

    def __init__(self, cache: Path | None = None) -> None:
        self.version = _version()
        self._file = cache / f"prices-{_FORMAT}-{self.version}.json" if cache else None
        self._known: dict[str, tuple[PriceRow, ...]] = {}
        self._saved = self._load()
        self._fresh = False

    @property
    def source(self) -> str:
        """Name and version of the list."""
        return f"genai-prices {self.version}"

    def entries(self, provider: str | None, model: str, url: str | None = None) -> tuple[PriceRow, ...]:
        """The dated entries of a model, oldest first; without a provider, of the one with this endpoint."""
        key = "\x1f".join((provider or "", url or "", model))
        if key not in self._known:
            try:
                self._known[key] = tuple(_read_copy(row, self.source) for row in self._saved[key])
            except (KeyError, TypeError, ValueError, ArithmeticError):  # not saved yet, or damaged
                self._known[key] = self._look_up(provider, model, url)
                self._saved[key] = [asdict(row) for row in self._known[key]]
                self._fresh = True
        return self._known[key]

    def named(self, provider: str, names: Sequence[str], ending: str) -> str | None:
        """The newest listed name that is one of `names` apart from its ending; None if there is none."""
        listed = next((one.models for one in _shipped().providers if one.id == provider), ())
        return max((model.id for model in listed if re.sub(ending, "", model.id) in names), default=None)

    def save(self) -> None:
        """Save new entries for the next run; an unwritable directory is ignored."""
        if self._file is None or not self._fresh:
            return
        keep(self._file, json.dumps(self._saved, default=str).encode())
        for older in self._file.parent.glob("prices-*.json"):
            if older != self._file:
                with suppress(OSError):
                    older.unlink()
        self._fresh = False

    def _load(self) -> dict[str, Any]:
        if self._file is None:
            return {}
        try:
            content = json.loads(self._file.read_text("utf-8"))
        except (OSError, ValueError, RecursionError):
            return {}
        return content if isinstance(content, dict) else {}

    def _look_up(self, provider: str | None, model: str, url: str | None) -> tuple[PriceRow, ...]:
        try:
            found, info = _shipped().find_provider_model(model, None, provider, url)
        except LookupError:
            return ()
        return tuple(_rows(found.id, info, self.source))


@cache
def _shipped() -> DataSnapshot:
    """The package's list, without the imports that only fetching newer prices needs.

    Its `__init__` imports an HTTP client, and its types import pydantic, which validates fetched lists: five
    sixths of the time. Nothing is fetched here. An import elsewhere still loads the whole package.
    """
    with _READING:
        spec = None if PACKAGE in sys.modules else find_spec(PACKAGE)
        if spec is None:
            return _snapshot()
        sys.modules[PACKAGE] = module_from_spec(spec)
        try:
            _read_types()
            return _snapshot()
        except (ImportError, AttributeError, TypeError):
            _forget()
            return _snapshot()
        finally:
            _forget()


def _snapshot() -> DataSnapshot:
    from genai_prices.data_snapshot import get_snapshot

    return get_snapshot()


def _forget() -> None:
    for name in list(sys.modules):  # a copy, as other workers import meanwhile
        if name == PACKAGE or name.startswith(f"{PACKAGE}."):
            del sys.modules[name]


def _read_types() -> None:
    """Execute the module of types with a pydantic that does nothing; no other module sees that one."""
    spec = find_spec(f"{PACKAGE}.types")
    if spec is None or spec.loader is None:
        return
    types = sys.modules[spec.name] = module_from_spec(spec)
    types.__dict__["__builtins__"] = {**vars(builtins), "__import__": _without_pydantic}
    spec.loader.exec_module(types)


def _without_pydantic(name: str, *rest: Any) -> Any:
    return _Inert() if name == "pydantic" else __import__(name, *rest)


class _Inert:
    """Stands in for pydantic: accepts any access and does nothing."""

    def __getattr__(self, name: str) -> Callable[..., None]:
        return lambda *_, **__: None


def _version() -> str:
    """The package's version, from the name of its dist-info folder."""
    spec = find_spec(PACKAGE)
    folders = Path(spec.origin).parents[1].glob(f"{PACKAGE}-*.dist-info") if spec and spec.origin else ()
    found = [folder.name.removeprefix(f"{PACKAGE}-").removesuffix(".dist-info") for folder in folders]
    if len(found) == 1:
        return found[0]
    from importlib import metadata  # it reaches for half of the mail package

    return metadata.version("genai-prices")


def _rows(provider: str, info: ModelInfo, source: str) -> Iterator[PriceRow]:
    if not isinstance(info.prices, list):
        yield _row(provider, info.id, source, info.prices)
        return
    for entry in info.prices:
        yield _row(provider, info.id, source, entry.prices, entry.constraint)


def _row(provider: str, model: str, source: str, prices: ModelPrice, constraint: Any = None) -> PriceRow:
    start = getattr(constraint, "start_time", None)
    return PriceRow(
        provider=provider,
        model=model,
        rates=_rates(prices, None),
        source=source,
        tiers=tuple(Tier(above, _rates(prices, above)) for above in _starts(prices)),
        since=getattr(constraint, "start_date", None),
        hours=(start.replace(tzinfo=None), constraint.end_time.replace(tzinfo=None)) if start else None,
    )


def _starts(prices: ModelPrice) -> list[int]:
    values = (vars(prices).get(name) for name in _FIELDS.values())
    return sorted({tier.start for value in values for tier in getattr(value, "tiers", ())})


def _rates(prices: ModelPrice, above: int | None) -> Rates:
    """The base rates, or those of the tier that begins above a prompt length."""
    return Rates(**{ours: _rate(vars(prices).get(theirs), above) for ours, theirs in _FIELDS.items()})


def _rate(value: Any, above: int | None) -> Decimal | None:
    if value is None or isinstance(value, Decimal):
        return value
    reached = [tier.price for tier in value.tiers if above is not None and tier.start <= above]
    rate: Decimal = reached[-1] if reached else value.base
    return rate


def _read_copy(raw: dict[str, Any], source: str) -> PriceRow:
    hours = raw["hours"]
    return PriceRow(
        provider=raw["provider"],
        model=raw["model"],
        rates=_rates_of(raw["rates"]),
        source=source,
        tiers=tuple(Tier(tier["above"], _rates_of(tier["rates"])) for tier in raw["tiers"]),
        since=date.fromisoformat(raw["since"]) if raw["since"] else None,
        hours=(time.fromisoformat(hours[0]), time.fromisoformat(hours[1])) if hours else None,
    )


def _rates_of(raw: dict[str, str | None]) -> Rates:
    return Rates(**{name: None if value is None else Decimal(value) for name, value in raw.items()})
