"""Whether spending passed a budget, for scripts and schedules."""

from __future__ import annotations

from decimal import Decimal

from core.model.accounting.ledger import Ledger
from core.model.accounting.usage import BudgetCheck


def check_budget(ledger: Ledger, budget: Decimal) -> BudgetCheck:
    """Compares a ledger with a budget; what counts as spent says `spent_of`.

    Args:
        ledger: Of the period the budget is for, with prices where the models may be unpriced by Hermes.
        budget: US dollars.
    """
    spent, at_least = spent_of(ledger)
    passed = spent > budget
    sign = "≥ " if at_least else ""
    verb = "passed" if passed else "within"
    sentence = f"{sign}${spent:.2f} spent, {verb} the budget of ${budget:.2f}"
    if at_least and not passed:
        sentence += "; some of the spending has no known price"
    return BudgetCheck(budget, spent, passed, at_least, sentence)


def spent_of(ledger: Ledger) -> tuple[Decimal, bool]:
    """What a ledger cost in US dollars, and whether it was more than that.

    What counts is, part by part, what Hermes recorded, and the computed cost where it recorded nothing or not
    all; what a subscription includes costs nothing.
    """
    spent, unknown = Decimal(0), 0
    for part in ledger.totals.parts:
        if part.billing in ("included", "local"):
            continue
        complete = part.recorded.usd is not None and not part.recorded.missing
        amount = part.recorded if complete or part.computed.usd is None else part.computed
        spent += amount.usd or 0
        unknown += amount.missing
    return spent, bool(unknown) or ledger.lower_bound
