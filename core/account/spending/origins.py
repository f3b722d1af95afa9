"""The origin of a ledger's numbers: formula, addends, rows, price entries."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from core.account.pricing.paid import NO_BILL
from core.account.pricing.price import bucket_rates
from core.errors import UsageError
from core.model.accounting.amounts import Money
from core.model.accounting.ledger import Ledger, LedgerPart, LedgerRow, Term
from core.model.accounting.usage import Origin
from core.support.formatting import plural

_BUCKETS = {
    "input": ("uncached input", "input_tokens"),
    "cache_read": ("cache read", "cache_read_tokens"),
    "cache_write": ("cache write", "cache_write_tokens"),
    "output": ("output", "output_tokens"),
    "reasoning": ("reasoning", "reasoning_tokens"),
}
_SUMS = {
    "prompt": ("input", "cache_read", "cache_write"),
    "total": ("input", "cache_read", "cache_write", "output"),
}
_MONEY = ("recorded", "computed", "included", "difference")
FIGURES = (*_BUCKETS, *_SUMS, "hit_rate", "calls", *_MONEY)


def origin(ledger: Ledger, row: LedgerRow, figure: str) -> Origin:
    """The origin of a figure (one of `FIGURES`) in a row or the totals of a ledger.

    Raises:
        UsageError: There is no such figure.
    """
    if figure in _BUCKETS or figure == "calls":
        return replace(_counted(ledger, row, figure), lower_bound=row.lower_bound)
    if figure in _SUMS:
        return replace(_summed(ledger, row, figure), lower_bound=row.lower_bound)
    if figure == "hit_rate":
        terms = (Term("cache read", row.tokens.cache_read or 0), Term("prompt", row.tokens.prompt or 0))
        formula = "cache read / (uncached input + cache read + cache write)"
        return Origin(figure, row.tokens.hit_rate, formula, terms, _rows(row))
    if figure == "difference":
        return _difference(row)
    if figure in _MONEY:
        missing = getattr(row, figure).missing
        return replace(_priced(row, figure), lower_bound=row.lower_bound or bool(missing))
    raise UsageError(f"no figure is called {figure!r}", remedy=f"Choose one of {', '.join(FIGURES)}")


def _counted(ledger: Ledger, row: LedgerRow, figure: str) -> Origin:
    name, column = _BUCKETS.get(figure, ("calls", "api_call_count"))

    def amount(part: LedgerPart) -> int | None:
        return part.calls if figure == "calls" else getattr(part.tokens, figure)

    terms = tuple(Term(_route(part), found) for part in row.parts if (found := amount(part)) is not None)
    value = row.calls if figure == "calls" else getattr(row.tokens, figure)
    notes = ledger.notes if row.lower_bound else ()
    if figure == "reasoning":
        notes = ("part of the output, never added to it", *notes)
    return Origin(figure, value, f"sum of {column} ({name}) over the rows", terms, _rows(row), notes=notes)


def _summed(ledger: Ledger, row: LedgerRow, figure: str) -> Origin:
    names = _SUMS[figure]
    terms = tuple(Term(_BUCKETS[name][0], getattr(row.tokens, name) or 0) for name in names)
    notes = ("reasoning is inside the output and not added",) if figure == "total" else ()
    return Origin(
        figure,
        getattr(row.tokens, figure),
        " + ".join(_BUCKETS[name][0] for name in names),
        terms,
        _rows(row),
        notes=(*notes, *(ledger.notes if row.lower_bound else ())),
    )


def _priced(row: LedgerRow, figure: str) -> Origin:
    if figure == "recorded":
        formula = "sum of actual_cost_usd where a provider billed, else of estimated_cost_usd"
        terms = tuple(Term(_route(part), usd) for part in row.parts if (usd := part.recorded.usd) is not None)
        notes = _missing(row, row.recorded)
        return Origin(figure, row.recorded.usd, formula, terms, _rows(row), notes=tuple(notes))
    money = row.computed if figure == "computed" else row.included
    parts = [part for part in row.parts if (part.billing == "included") == (figure == "included")]
    priced = [part for part in parts if part.price is not None]
    terms = tuple(term for part in priced for term in _terms(part))
    prices = tuple(dict.fromkeys(part.price.label for part in priced if part.price))
    formula = "sum of tokens × USD per million at the price of the day / 1,000,000"
    notes = [
        *_missing(row, money),
        *(part.price.note for part in priced if part.price and part.price.note),
    ]
    if any(part.price.tiers for part in priced if part.price):
        notes.append("long-context tiers are chosen session by session, by the mean prompt of its calls")
    return Origin(figure, money.usd, formula, terms, _rows(row), prices, tuple(dict.fromkeys(notes)))


def _difference(row: LedgerRow) -> Origin:
    recorded, computed = row.recorded.usd, row.computed.usd
    value = None if recorded is None or computed is None else computed - recorded
    terms = (
        Term("computed at the list", computed or Decimal(0)),
        Term("recorded by Hermes", -(recorded or 0)),
    )
    notes = [
        f"{_route(part)}: {part.computed.usd - amount:+.4f} USD"
        for part in row.parts
        if part.computed.usd is not None
        and (amount := part.recorded.usd) is not None
        and abs(part.computed.usd - amount) > Decimal("0.00005")
    ]
    if row.tables:
        notes.append(f"recorded / list price by {row.tables}")
    if row.recorded.missing:
        notes.append(f"{row.recorded.missing} without a recorded cost")
    if row.computed.missing:
        notes.append(f"{row.computed.missing} without a list price")
    return Origin("difference", value, "computed - recorded", terms, _rows(row), notes=tuple(notes))


def _terms(part: LedgerPart) -> list[Term]:
    """The tokens of each bucket with the rate of the part's newest entry."""
    return [
        Term(f"{_route(part)} {_BUCKETS[name][0]}", amount, rate)
        for name, rate in bucket_rates(part).items()
        if (amount := getattr(part.tokens, name))
    ]


def _rows(row: LedgerRow) -> tuple[str, ...]:
    where = "session_model_usage" if row.task else "sessions, session_model_usage"
    return (f"{where}: {plural(row.sessions, 'session')}",)


def _route(part: LedgerPart) -> str:
    name = f"{part.provider}/{part.model}" if part.provider else part.model or "unknown model"
    return f"{name} ({part.task})" if part.task else name


def _missing(row: LedgerRow, money: Money) -> list[str]:
    if row.status == "local" and money.usd is None:
        return [NO_BILL]
    return [f"without {plural(money.missing, 'row')} whose price is unknown"] if money.missing else []
