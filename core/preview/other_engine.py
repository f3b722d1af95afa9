"""Other engines on the middle of a preview: one as a comparison, or several compared with each other."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from core.account.pricing.price_book import open_book
from core.compress.engines.host.discovery import EngineSearch, discover, only_configured
from core.compress.engines.host.found_engine import EngineKind
from core.compress.engines.host.hosted_preview import kept_rows
from core.compress.engines.host.list_check import orphans
from core.compress.engines.host.process import EngineFailed
from core.compress.engines.run import Hosted, OtherEngine, run_engine
from core.compress.planning.measure import Measured
from core.compress.requests.request import summary_request
from core.compress.retention.words import weighed
from core.compress.sizing.estimate import text_tokens
from core.compress.summarise.base import Cancelled, Summariser, SummaryFailure
from core.compress.summarise.model_choice import ModelChoice
from core.compress.summarise.prompt import build_prompt
from core.errors import InspectorError
from core.explain.context.generation import GenerationContext
from core.model.accounting.amounts import Buckets
from core.model.compaction.plan import Plan
from core.model.compaction.preview import Preview
from core.model.finding import Headline, Severity
from core.preview.comparison import Comparison
from core.preview.foreseen import Basis, compare, comparison_of
from core.preview.summarisers import chosen_model, running_model
from core.support.formatting import UNKNOWN

OUR_NAME = "builtin"
"""The name of this program's own re-implementation of Hermes' compressor."""
NO_ENGINE = "registers no context engine"
"""The error of a plugin that turns out not to be an engine."""


@dataclass(frozen=True, slots=True)
class ComparedEngine:
    """One engine in a comparison.

    Attributes:
        engine: None for ours, and for one that only the configuration names.
        preview: What it made of the conversation; None if it failed or has not run yet.
        done: How it ran; None for ours.
        usd: What its model calls would cost at the model Hermes would ask; None when unknown.
        kept: How many messages stay unchanged.
        orphans: How many tool results in its list have no call.
        error: Why it failed.
    """

    name: str
    engine: OtherEngine | None = None
    preview: Preview | None = None
    done: Hosted | None = None
    seconds: float | None = None
    usd: Decimal | None = None
    kept: int | None = None
    orphans: int | None = None
    error: InspectorError | None = None

    def after_run(
        self, made: Preview, seconds: float, usd: Decimal | None, done: Hosted | None = None
    ) -> ComparedEngine:
        """The same after it has run."""
        kept = len(kept_rows(made.before, made.after))
        stray = orphans([dict(one.wire) for one in made.after])
        return replace(self, preview=made, done=done, seconds=seconds, usd=usd, kept=kept, orphans=stray)

    @property
    def absent(self) -> InspectorError | None:
        """The error of an engine that the configuration names and nothing found is called."""
        return self.error if self.engine is None else None

    @property
    def dropped(self) -> int | None:
        """How many messages do not stay."""
        return None if self.preview is None or self.kept is None else len(self.preview.before) - self.kept

    @property
    def score(self) -> float | None:
        """Share of what matters that is kept."""
        kept = None if self.preview is None else self.preview.retention
        return None if kept is None else kept.score

    @property
    def facts(self) -> str:
        """How many facts of how many are kept: `57/65`."""
        kept = None if self.preview is None else self.preview.retention
        if kept is None or not kept.total.of:
            return UNKNOWN
        return f"{kept.total.of - kept.total.lost:,}/{kept.total.of:,}"

    @property
    def problems(self) -> tuple[str, ...]:
        """What is wrong with its list."""
        return () if self.done is None else self.done.compacted.problems

    @property
    def trouble(self) -> str:
        """Why it has no result, or what is wrong with its list; empty if nothing is."""
        if self.error is not None:
            return self.error.what
        return f"broken: {'; '.join(self.problems)}" if self.problems else ""


def contenders(search: EngineSearch) -> tuple[ComparedEngine, ...]:
    """Ours, the one that only the configuration names, the installed release's own, and every other found."""
    found = [one for one in discover(search.home, search.install) if one.kind is not EngineKind.BUILTIN]
    own = () if search.install is None else discover(None, search.install)[:1]
    named = [("hermes", one) for one in own] + [(one.name, one) for one in found]
    others = (ComparedEngine(name, OtherEngine(name, one, search)) for name, one in named)
    absent = () if (gone := only_configured(search)) is None else (ComparedEngine(gone[0], error=gone[1]),)
    return (ComparedEngine(OUR_NAME), *absent, *others)


def run_compared(
    one: ComparedEngine, basis: Basis, writer: Summariser, focus: str | None, stop: Cancelled
) -> ComparedEngine | None:
    """Let one engine compact the conversation; None for a plugin that is not an engine."""
    if one.absent is not None:
        return one
    began, here = time.perf_counter(), basis.reading.context
    try:
        if one.engine is None:
            made = compare(basis, writer, focus, stop=stop).made
            usd = None if made is None else our_price(here, basis.reading.measured, basis.plan, made)
            return one if made is None else one.after_run(made, time.perf_counter() - began, usd)
        done = run_engine(one.engine, basis.reading.measured, basis.plan, writer, focus, stop=stop)
    except EngineFailed as error:
        if NO_ENGINE in error.what:
            return None
        return replace(one, error=error, seconds=time.perf_counter() - began)
    usd = calls_price(here, done.asked, done.answered)
    return one.after_run(done.preview, done.compacted.seconds, usd, done)


def compare_by(
    engine: OtherEngine,
    basis: Basis,
    summariser: Summariser,
    focus: str | None,
    stop: Cancelled | None = None,
) -> Comparison:
    """Both sides of a compaction by another engine.

    Raises:
        EngineFailed: The engine could not be loaded, hung, died, was cancelled, or returned no list.
    """
    done = run_engine(engine, basis.reading.measured, basis.plan, summariser, focus, stop=stop)
    shown = comparison_of(done.preview, basis, f"engine {engine.title}")
    return replace(shown, engine=engine.title, broken=done.compacted.problems)


def our_price(here: GenerationContext | None, measured: Measured, cut: Plan, made: Preview) -> Decimal | None:
    """What the summary would cost at the model Hermes would ask; nothing without a summary."""
    if not cut.summarises:
        return Decimal(0)
    request = summary_request(measured, cut, focus=made.focus)
    unit = measured.policy.estimate.unit
    return calls_price(
        here, text_tokens(build_prompt(request).text, unit), text_tokens(made.summary or "", unit)
    )


def calls_price(here: GenerationContext | None, asked: int, answered: int) -> Decimal | None:
    """What calls would cost at the model Hermes would ask for a summary, in USD at the price list.

    None when the model or its price is unknown, as for a list from a file.
    """
    if not asked:
        return Decimal(0)
    if here is None:
        return None
    try:
        model = chosen_model(ModelChoice(), here)
    except SummaryFailure:  # a key is missing, which is not needed for a price
        model = running_model(here)
    tokens = Buckets(input=asked, output=answered)
    return open_book().price(tokens, model.model, model.provider, model.base_url)


def engines_headline(found: Sequence[ComparedEngine]) -> Headline:
    """Which engine keeps most, which leaves the smallest request, and which are broken."""
    sound = [one for one in found if one.preview is not None and not one.problems]
    if len(found) == 1 and sound and sound[0].score is not None:
        kept = weighed(sound[0].score)
        text = f"No other engine was found to compare: {sound[0].name} keeps {kept}."
        return Headline(text, "Name one with --engine PATH, or install it in Hermes.")
    gone = next((one.absent for one in found if one.absent is not None), None)
    if gone is not None:
        return Headline(" ".join((f"{gone.what}.", *_best(sound))), f"{gone.remedy}.")
    bad = [one for one in found if one.trouble]
    sentence = ""
    for part in (*_best(sound), *_broken(bad[:1])):
        sentence = f"{sentence} {part}".strip() if len(f"{sentence} {part}") <= 170 else sentence
    remedy = "Set context.engine to an engine that runs and returns a valid list." if bad else None
    return Headline(sentence or "No engine could be run.", remedy, Severity.WARNING if bad else None)


def _best(sound: Sequence[ComparedEngine]) -> Iterator[str]:
    """Which engine keeps most of the facts, and which leaves the smallest request."""
    rated = [(one.score, one.name) for one in sound if one.score is not None]
    if rated:
        most, _ = max(rated)
        names = [name for value, name in rated if value == most]
        yield f"{_named(names, 'keep')}{' most:' if len(rated) > 1 else ''} {weighed(most)}."
    sized = [(one.preview.after_tokens, one.name) for one in sound if one.preview is not None]
    if sized and (least := min(sized)[0]) < max(sized)[0]:
        names = [name for tokens, name in sized if tokens == least]
        yield f"{_named(names, 'leave')} the smallest request (~{least:,} tokens)."


def _broken(bad: Sequence[ComparedEngine]) -> Iterator[str]:
    for one in bad:
        why = f"is broken: {one.problems[0]}" if one.problems else f"does not run: {one.trouble}"
        yield f"{one.name} {why}."


def _named(names: Sequence[str], verb: str) -> str:
    return f"{names[0]} {verb}s" if len(names) == 1 else f"{' and '.join(names[:3])} {verb}"
