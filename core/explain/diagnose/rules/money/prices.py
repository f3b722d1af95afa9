"""Diagnoses that need nothing but what was spent on each model, by a conversation or by a whole database."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any, Protocol

from core.explain.diagnose.registry import Found, Rule, spending_rule, store_spending_rule
from core.model.accounting.ledger import LedgerPart, LedgerRow
from core.model.evidence import Evidence, Source, Verdict
from core.support.plural import plural

_TRUST = "Trust the cost computed from the price list: hermes-inspector usage"
_ADD = "Add the model to prices.yaml in the configuration directory"


class Spent(Protocol):
    """What was spent, and whose it is."""

    @property
    def rows(self) -> Sequence[LedgerRow]:
        """The ledger by model, with costs at list prices."""


@spending_rule("F4")
@store_spending_rule("F4")
def unpriced(spent: Spent, rule: Rule) -> Iterable[Found]:
    """Said once for all models: of a store that never recorded a cost it holds for each of them."""
    parts = [
        part
        for row in spent.rows
        for part in row.parts
        if part.recorded.missing and part.billing not in ("included", "local")
    ]
    if not parts:
        return
    models = list(dict.fromkeys(part.model or "an unnamed model" for part in parts))
    priced = [part.computed.usd for part in parts if part.computed.usd and not part.computed.missing]
    listed, least = sum(priced, Decimal(0)), "at least " if len(priced) < len(parts) else ""
    numbers = {
        "tokens": sum(part.tokens.total or 0 for part in parts),
        "model": models[0] if len(models) == 1 else f"{len(models):,} models",
        "listed": f": {least}${listed:.2f} at list prices" if listed else "",
        "advice": _ADD if least else _TRUST,
    }
    yield Found(numbers, tuple(map(_without_cost, parts)))


def _without_cost(part: LedgerPart) -> Evidence:
    spent = f"{part.tokens.total or 0:,} tokens of {part.model or 'an unnamed model'}"
    text = f"{spent}, {part.provider or 'no provider'}, estimated_cost_usd 0 or NULL"
    return Evidence(Source.DATABASE, "sessions", text)


@spending_rule("F5")
@store_spending_rule("F5")
def stale_price(spent: Spent, rule: Rule) -> Iterable[Found]:
    """What was recorded differs from the list of its day."""
    for row in spent.rows:
        recorded, computed = row.recorded.usd, row.computed.usd
        if not recorded or not computed or row.recorded.missing or row.computed.missing:
            continue
        apart = abs(computed - recorded)
        share, least = Decimal(str(rule.limits["share"])), Decimal(str(rule.limits["least"]))
        if apart > least and apart > share * computed:
            numbers = {"model": row.key, "recorded": recorded, "computed": computed}
            entries = (part.price for part in row.parts if part.price)
            where = (Evidence(Source.DERIVED, "price list", entry.label) for entry in entries)
            yield Found(numbers, tuple(where), Verdict.DERIVED)


@spending_rule("F8")
@store_spending_rule("F8")
def included(spent: Spent, rule: Rule) -> Iterable[Found]:
    """A subscription pays; what these calls would cost else."""
    listed = sum((row.included.usd for row in spent.rows if row.included.usd), Decimal(0))
    if listed:
        yield Found({"listed": listed}, verdict=Verdict.DERIVED)


def summary_spend(rows: Sequence[LedgerRow]) -> dict[str, Any]:
    """What summaries took, from the rows of their task."""
    usd = sum((row.recorded.usd for row in rows if row.recorded.usd), Decimal(0))
    return {
        "told": plural(sum(row.calls or 0 for row in rows), "call"),
        "tokens": sum(row.tokens.total or 0 for row in rows),
        "price": f", ${usd:.4f}" if usd else "",
    }
