"""Whether spending passed a budget, for scripts and schedules."""

from __future__ import annotations

from decimal import Decimal

from core.model.accounting.ledger import Ledger
from core.model.accounting.usage import BudgetCheck


def check_budget(ledger: Ledger, budget: Decimal) -> BudgetCheck:
    """Compares a ledger with a budget.

    What counts is, part by part, what Hermes recorded, and the computed cost where it recorded nothing or not
    all; what a subscription includes costs nothing.

    Args:
        ledger: Of the period the budget is for, with prices where the models may be unpriced by Hermes.
        budget: US dollars.
    """
    spent, unknown = Decimal(0), 0
    for part in ledger.totals.parts:
        if part.billing in ("included", "local"):
            continue
        complete = part.recorded.usd is not None and not part.recorded.missing
        amount = part.recorded if complete or part.computed.usd is None else part.computed
        spent += amount.usd or 0
        unknown += amount.missing
    passed = spent > budget
    at_least = bool(unknown) or ledger.lower_bound
    sign = "≥ " if at_least else ""
    verb = "passed" if passed else "within"
    sentence = f"{sign}${spent:.2f} spent, {verb} the budget of ${budget:.2f}"
    if at_least and not passed:
        sentence += "; some of the spending has no known price"
    return BudgetCheck(budget, spent, passed, at_least, sentence)
