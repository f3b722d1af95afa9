"""Whether spending passed a budget, for scripts and schedules."""

from __future__ import annotations

from decimal import Decimal

from core.model.usage import BudgetCheck, Ledger


def check_budget(ledger: Ledger, budget: Decimal) -> BudgetCheck:
    """Compares a ledger with a budget.

    What counts is, part by part, what a provider billed, else the computed cost, else Hermes' estimate; what a
    subscription includes costs nothing.

    Args:
        ledger: Of the period the budget is for, with prices where the models may be unpriced by Hermes.
        budget: US dollars.
    """
    spent, unknown = Decimal(0), 0
    for part in ledger.totals.parts:
        if part.billing in ("included", "local"):
            continue
        usd = part.actual.usd or part.computed.usd or part.estimated.usd
        spent += usd or 0
        missing = (
            part.computed.missing if part.computed.usd or part.computed.missing else part.estimated.missing
        )
        unknown += 0 if part.actual.usd else missing
    passed = spent > budget
    at_least = bool(unknown) or ledger.lower_bound
    sign = "≥ " if at_least else ""
    verb = "passed" if passed else "within"
    sentence = f"{sign}${spent:.2f} spent, {verb} the budget of ${budget:.2f}"
    if at_least and not passed:
        sentence += "; some of the spending has no known price"
    return BudgetCheck(budget, spent, passed, at_least, sentence)
