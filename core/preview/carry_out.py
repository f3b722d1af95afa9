"""The one way to a preview, for the app and the command line: what the user's Hermes would make of a plan."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING

from core.compress.dry_run import preview
from core.compress.planning.measure import Measured
from core.compress.summarise.base import Cancelled, OnText, Summariser
from core.explain.context.generation import GenerationContext
from core.model.compaction.plan import Plan
from core.model.compaction.preview import Preview, SummaryCall

if TYPE_CHECKING:
    from core.account.pricing.price_book import PriceBook

ABORT = "compression.abort_on_summary_failure"


def carry_out(
    measured: Measured,
    plan: Plan,
    summariser: Summariser,
    focus: str | None = None,
    *,
    here: GenerationContext | None = None,
    on_text: OnText | None = None,
    cancelled: Cancelled | None = None,
) -> Preview:
    """Preview a compaction under the configuration of the home it belongs to.

    Args:
        measured: The conversation.
        plan: Where it is cut.
        summariser: Who writes the summary.
        focus: The topic of `/compress <topic>`.
        here: Where the messages come from: its config says what follows a failed summary. None for a list
            from a file, which no agent runs.
        on_text: Receives the summary as it arrives.
        cancelled: Answers whether the user has given up.

    Raises:
        SummaryFailure: The user gave up; any other failure has the release's own consequence.
        ConfigError: A model would be asked, and the user's `prices.yaml` cannot be used.
    """
    hosted, book = here is not None, _book(summariser)
    made = preview(
        measured,
        plan,
        summariser,
        focus,
        session=here.conversation.tip.id if here else None,
        today=f"{date.today():%Y-%m-%d}",
        abort_configured=bool(here and here.config.value(ABORT, measured.policy.release)),
        hosted=hosted,
        on_text=on_text,
        cancelled=cancelled,
    )
    rules = here.rules if here else ()
    return replace(made, notes=(*rules, *made.notes), call=_priced(made.call, book))


def _book(summariser: Summariser) -> PriceBook | None:
    """The prices, opened before a call is paid for: a file of them that cannot be read is told then."""
    if summariser.describe() is None:
        return None
    from core.account.pricing.price_book import open_book  # few previews ask a model

    return open_book()


def _priced(call: SummaryCall | None, book: PriceBook | None) -> SummaryCall | None:
    """With what the counted tokens cost at the model that answered."""
    if call is None or call.usage is None or book is None:
        return call
    return replace(call, usd=book.price(call.usage, call.model, call.provider, call.base_url))
