"""A future compaction: what a preview starts from, the one way to run it, and both sides of it.

App and command line use the same way: what the user's Hermes would make of a plan.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal

from core.account.pricing.price import MILLION, rates_for, read_rate
from core.account.pricing.price_book import PriceBook, open_book
from core.compress.dry_run import NO_AGENT, Agent, preview
from core.compress.planning.measure import Measured
from core.compress.planning.plan import plan
from core.compress.sizing.estimate import transcript_tokens
from core.compress.summarise.base import Cancelled, OnText, Summariser
from core.explain.context.generation import GenerationContext
from core.model.compaction.plan import Plan
from core.model.compaction.preview import Preview, SummaryCall
from core.model.transcript.conversation import Generation
from core.model.transcript.message import Message
from core.model.transcript.session import Session
from core.preview.comparison import Comparison, kept_of
from core.preview.generation import Reading, read
from core.preview.summarisers import OFFLINE
from core.preview.what_if import Hypothesis
from core.preview.words import call_words
from core.store.database.locate import Location

ABORT = "compression.abort_on_summary_failure"


def agent_of(context: GenerationContext | None, release: str) -> Agent:
    """The agent of the home a generation was read from, for a release; none for a list from a file."""
    if context is None:
        return NO_AGENT
    return Agent(context.conversation.tip.id, bool(context.config.value(ABORT, release)), context.rules)


def carry_out(
    measured: Measured,
    plan: Plan,
    summariser: Summariser,
    focus: str | None = None,
    *,
    agent: Agent = NO_AGENT,
    on_text: OnText | None = None,
    cancelled: Cancelled | None = None,
) -> Preview:
    """Preview a compaction under the configuration of its home; a list from a file has no agent.

    Raises:
        SummaryFailure: The user cancelled; any other failure has the consequence the release gives it.
        ConfigError: A model would be asked, but the user's `prices.yaml` cannot be used.
    """
    book = _book(summariser)
    made = preview(
        measured,
        plan,
        summariser,
        focus,
        agent=agent,
        today=f"{date.today():%Y-%m-%d}",
        on_text=on_text,
        cancelled=cancelled,
    )
    return replace(made, notes=(*agent.rules, *made.notes), call=_priced(made.call, book))


def _book(summariser: Summariser) -> PriceBook | None:
    """The prices, opened before a call is paid for, so that an unreadable price file is reported first."""
    return None if summariser.describe() is None else open_book()


def _priced(call: SummaryCall | None, book: PriceBook | None) -> SummaryCall | None:
    """The call with the cost of its counted tokens at the model that answered."""
    if call is None or call.usage is None or book is None:
        return call
    return replace(call, usd=book.price(call.usage, call.model, call.provider, call.base_url))


@dataclass(frozen=True, slots=True)
class Basis:
    """What every preview of one generation starts from.

    Attributes:
        reading: The generation, under what-if values if there are any.
        rate: USD for a token in each later request.
        supposed: The what-if values, in words; empty without any.
    """

    reading: Reading
    plan: Plan
    agent: Agent
    rate: Decimal | None = None
    supposed: str = ""

    def keeping(self, turns: int | None) -> Basis:
        """The same with the last user turns kept; None leaves the cut to the release."""
        here = self.reading.context
        return replace(self, plan=plan(self.reading.measured, here.settings, here.gate, keep=turns))


def basis_of(
    location: Location, generation: Generation, stop: Cancelled, supposed: Hypothesis | None = None
) -> Basis:
    """Read, measure and plan a generation, as it is or under what-if values."""
    actual = read(location, generation, stop)
    reading = actual if supposed is None else actual.under(supposed)
    cut = reading.planned(reading.measured, reading.what_if.actual)
    rate = carried_rate(reading.context.conversation.tip, cut.compared_tokens)
    agent, engine = agent_of(reading.context, reading.measured.policy.release), reading.context.context.engine
    if engine is not None and not engine.is_ours:  # the headline tells that it decides
        agent = replace(agent, rules=reading.context.release_rules)
    return Basis(reading, cut, agent, rate, actual.what_if.supposing(supposed).named())


def compare(
    basis: Basis,
    summariser: Summariser,
    focus: str | None,
    *,
    on_text: OnText | None = None,
    stop: Cancelled | None = None,
) -> Comparison:
    """Both sides of a planned compaction, from a dry run."""
    measured = basis.reading.measured
    preview = carry_out(
        measured, basis.plan, summariser, focus, agent=basis.agent, on_text=on_text, cancelled=stop
    )
    shown = comparison_of(preview, basis, _author(summariser, preview))
    return replace(shown, notes=(*shown.notes, *map(call_words, filter(None, (preview.call,)))))


def comparison_of(preview: Preview, basis: Basis, made_by: str) -> Comparison:
    """Both sides of a dry run, with the estimates of each message; only changed messages are measured."""
    plan, measured, context = preview.plan, basis.reading.measured, basis.reading.context.context
    kept = kept_of(preview.before, preview.after, preview.summary_index)
    return Comparison(
        before=preview.before,
        after=preview.after,
        head=plan.head,
        middle=plan.middle,
        tail=plan.tail,
        kept=kept,
        summary_index=preview.summary_index,
        summary=preview.summary or "",
        before_tokens=preview.before_tokens,
        after_tokens=preview.after_tokens,
        made_by=made_by,
        saves=saved_per_call(preview, basis.rate),
        focus=preview.focus,
        feedback=preview.feedback,
        retention=preview.retention,
        before_weights=measured.estimates,
        after_weights=tuple(_weight(one, kept.get(at), measured) for at, one in enumerate(preview.after)),
        notes=preview.notes,
        made=preview,
        supposed=basis.supposed,
        failing=context.conversation.tip.guards.failure_error or "",
        in_charge=context.engine,
    )


def _weight(message: Message, origin: int | None, measured: Measured) -> int:
    if origin is not None and message.wire is measured.messages[origin].wire:
        return measured.estimates[origin]
    return transcript_tokens([message], measured.policy.estimate)


def _author(summariser: Summariser, preview: Preview) -> str:
    where = summariser.describe()
    if preview.summary is None:
        return "no summary"
    if where is not None:
        return f"{where.model} at {where.host}"
    return OFFLINE[summariser.name][0] if summariser.name in OFFLINE else "your own text"


def carried_rate(session: Session, prompt: int) -> Decimal | None:
    """USD for a token carried again by a later request, read from the cache if there is one.

    None if unknown, or if nobody bills it: the user's own server.

    `prompt` is the size of the requests, which may reach a long-context price tier.

    Raises:
        ConfigError: The user's `prices.yaml` cannot be used.
    """
    row = open_book().entry_of(session)
    if row is None or row.billing == "local":
        return None
    rate = read_rate(rates_for(row, prompt))
    return None if rate is None else rate / MILLION


def saved_per_call(preview: Preview, rate: Decimal | None) -> Decimal | None:
    """USD that each request after a compaction costs less, at the rate of `carried_rate`."""
    return None if rate is None else rate * (preview.before_tokens - preview.after_tokens)
