"""What a summary replaced, kept and lost, and what another engine would do, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Any

from core.compress.retention.words import IMPORTANT, brief_loss, is_grave, loss_words, needs_help
from core.model.finding import MAX_HEADLINE_CHARS, Headline, Severity, briefer, shortened
from core.redact.quick_check import masked, masked_line
from core.support.formatting import ESTIMATE, count, limit, money, money_a_call, plural, short
from core.support.program_files import shared_table

if TYPE_CHECKING:
    from core.explain.context.context import ConversationContext
    from core.hermes.config.in_force import EngineInCharge
    from core.model.compaction.plan import Plan
    from core.model.compaction.preview import Preview, Retention, SummaryCall, Unsupported

headline_table = partial(shared_table, "core/preview/headlines.yaml")

_PLAIN = ("numbers", "hashes")
"""Categories of which many may be lost without being missed."""
_WHOLE = 0.995
"""The score shown as 100%: what is lost nevertheless is none of the facts it counts."""
LEAST_SAVED = Decimal("0.001")
"""US dollars a call below which no sentence speaks of saving: a thousand calls are a dollar."""


def facts_sentence(kept: Retention | None, focus: str | None = None) -> Iterator[str]:
    """`Keeps 9 of 10 requests, 41 of 41 files; loses 8 commands.`, with the focus first."""
    if kept is None or not kept.by_category:
        return
    if focus and is_unmatched(kept, focus):
        none = f"No fact to summarise is about “{_topic(focus)}”."
        yield from (f"{none} {words}" for words in facts_sentence(kept))
        yield none
    if focus and kept.focus is not None and kept.rest is not None and kept.focus.of:
        about, rest, topic = kept.focus, kept.rest, _topic(focus)
        words = f"Keeps {about.of - about.lost:,} of {plural(about.of, 'fact')} of “{topic}”"
        yield f"{words}, {rest.of - rest.lost:,} of {plural(rest.of, 'other')}."
    kinds = headline_table()["kinds"]
    counts = [(kinds[name], kept.by_category[name]) for name in kinds if name in kept.by_category]
    kept_words = [
        f"{one.of - one.lost:,} of {named(one.of, kind)}" for kind, one in counts if kind.get("told")
    ]
    of = "minor " if (kept.score or 0) >= _WHOLE else ""
    gone = [named(one.lost, kind, of) for kind, one in counts if one.lost and not kind.get("told")]
    if kept_words and gone:
        yield f"Keeps {', '.join(kept_words)}; loses {', '.join(gone[:2])}."
    if kept_words:
        yield f"Keeps {', '.join(kept_words)}."
    elif gone:
        yield f"Loses {', '.join(gone[:3])}."
    else:
        yield "Keeps every checkable fact."


def call_words(call: SummaryCall) -> str:
    """What a model call for a summary used, as its provider counted it, and what that cost."""
    counted = call.usage
    if counted is None:
        return f"written by {call.model}; the provider counted nothing"
    parts = [f"{count(counted.input)} tokens in", f"{count(counted.output)} out"]
    if counted.cache_read:
        parts.insert(1, f"{count(counted.cache_read)} from the cache")
    return f"written by {call.model}: {', '.join(parts)}, {money(call.usd)}"


def is_unmatched(kept: Retention | None, focus: str | None) -> bool:
    """Whether no fact is about a topic, so that it keeps nothing more than a summary without one."""
    return bool(focus) and kept is not None and kept.focus is not None and not kept.focus.of


def unchecked_sentence(kept: Retention) -> str:
    """How much a summary in another language cannot be checked for; "" for nothing."""
    if not kept.untranslated:
        return ""
    sentences = plural(kept.untranslated, "request, rule or result", "requests, rules and results")
    return f"{sentences} left out: the summary is in another language"


def claim_sentence(claim: Unsupported) -> str:
    """What a summary claims and what the messages say instead, in a sentence or two."""
    words = headline_table()["claims"]
    of_sentence = claim.category in words
    text = (claim.value if of_sentence else claim.where).strip(" -*•.")
    sentence = words[claim.category if of_sentence else "value"].format(told=text, value=claim.value)
    if not claim.nearest:
        return f"{sentence}."
    place = words["elsewhere" if claim.message is None else "beside"]
    return str(place.format(claim=sentence, message=claim.message, nearest=claim.nearest.strip(" -*•.")))


def kind_word(category: str, *, one: bool = False) -> str:
    """The name for people of a category's facts, such as `requests` for `asks`; `one` for the singular."""
    kind = headline_table()["kinds"].get(category)
    return str(kind["one" if one else "several"]) if kind else category


def named(number: int, kind: Mapping[str, Any], of: str = "") -> str:
    """A number of facts of a kind, in words; `of` goes before the kind."""
    return plural(number, f"{of}{kind['one']}", f"{of}{kind['several']}")


def importance(category: str) -> int:
    """How much facts of a category are missed; 0 is most."""
    return 0 if category in IMPORTANT else 2 if category in _PLAIN else 1


def kept_headline(headline: Headline, kept: Retention | None) -> Headline:
    """The headline of a past compaction with what its summary lost; a failed one is left unchanged.

    Of one that will soon be needed again, what helps against that stays.
    """
    share, again = kept.lost_share if kept else None, headline.severity is Severity.WARNING
    if kept is None or not share or not (again or headline.severity is None):
        return headline
    asks = kept.by_category.get("asks")
    among = (
        f", {asks.lost:,} of {named(asks.of, headline_table()['kinds']['asks'])} among them"
        if asks and asks.lost
        else ""
    )
    losses = f"The summary lost {loss_words(kept)}", f"The summary lost {brief_loss(kept)}"
    lost = (*(f"{loss}{more}" for more in (among, "") for loss in losses), f"Lost: {brief_loss(kept)}")
    told = (f"{start} {loss}." for start in briefer(headline.sentence) for loss in lost)
    sentence = next((text for text in told if len(text) <= MAX_HEADLINE_CHARS), headline.sentence)
    if again:
        return replace(headline, sentence=sentence)
    severity = Severity.WARNING if is_grave(kept) else Severity.INFO
    return Headline(sentence, after_loss(kept) or headline.remedy, severity)


def after_loss(kept: Retention | None) -> str | None:
    """What helps after a compaction that lost something that matters."""
    return str(headline_table()["remedies"]["lost"]) if kept is not None and needs_help(kept) else None


def becomes(middle: int, before: int, after: int, *, past: bool = False) -> str:
    """`117 of 206 messages become one summary`, with a note if the list gets no shorter."""
    if middle == 1:
        what = f"one of {before:,} messages {'became' if past else 'becomes'} a summary"
    else:
        what = f"{middle:,} of {before:,} messages {'became' if past else 'become'} one summary"
    same = f", and the list stays {after:,} long" if after >= before else ""
    return f"{what[:1].upper()}{what[1:]}{same}"


def sizes(tokens: tuple[int, int], saves: Decimal | None) -> str:
    """`48.2K → 12.1K tokens`, with what that saves."""
    before, after = tokens
    words = f": {short(before)} → {short(after)} tokens"
    if saves is not None and saves >= LEAST_SAVED:
        words += f", saves {money_a_call(saves, mark=ESTIMATE)}"
    return words


def engine_plan(plan: Plan) -> Headline:
    """When an engine fires, by its own statement, and how much of the conversation it would replace."""
    replaces = f"/compress would replace {plan.middle.size:,} of {plan.messages:,} messages."
    if not plan.middle.size:
        replaces = f"/compress would change nothing: it keeps all {plural(plan.messages, 'message')}."
    is_futile = plan.would_fire and not plan.middle.size
    remedy = headline_table()["remedies"]["futile"] if is_futile else None
    return Headline(f"{_fires(plan)} {replaces}", remedy, Severity.WARNING if is_futile else None)


def ended_plan(plan: Plan, ended: str) -> Headline:
    """What a compaction would cut of a generation that has ended, which none can follow any more."""
    cut = f"turn {plan.middle.size:,} of its {plan.messages:,} messages into one summary"
    cut = cut if plan.summarises else "change nothing"
    size = short(plan.compared_tokens, mark=ESTIMATE if plan.is_estimate else "")
    return Headline(f"{ended} has ended, with {size} tokens. A compaction by these settings would {cut}.")


def is_found(engine: str, context: ConversationContext) -> bool:
    """Whether the home alone tells where an engine is."""
    from core.compress.engines.host.discovery import OUR_NAMES, discover  # few homes have another engine

    here = discover(context.store.location.home, None)
    return engine in OUR_NAMES or any(engine in (one.name, one.path and one.path.name) for one in here)


def decided_elsewhere(engine: EngineInCharge, plan: Plan, *, is_found: bool = True) -> Headline:
    """The headline if another engine decides than the one whose cut is shown: when it fires, if known.

    `is_found`: whether its code is in the home, so that its name alone is enough to run it.
    """
    table, fires_at = headline_table()["decided_elsewhere"], engine.limit(plan.threshold_tokens)
    limited = limit(fires_at, plan.window) if fires_at else ""
    left = (fires_at or 0) - plan.compared_tokens
    key = ("not_due" if left > 0 else "due") if limited else "unknown"
    words = table[key].format(engine=engine.name, left=short(left), limit=limited)
    ask = None if engine.is_ours else table["ask" if is_found else "absent"].format(engine=engine.name)
    return Headline(words, ask)


def _topic(focus: str) -> str:
    most = MAX_HEADLINE_CHARS // 4
    return shortened(masked_line(focus, most + 1), most)


def broken_engine(name: str, what: str) -> Headline:
    """The headline of an engine that does not run, or whose list no provider accepts."""
    sentence = shortened(f"The engine {name} is broken: {masked(what)}", MAX_HEADLINE_CHARS - 1)
    return Headline(f"{sentence}.", headline_table()["remedies"]["broken"], Severity.CRITICAL)


def though_another_decides(told: Headline, engine: EngineInCharge | None) -> Headline:
    """What Hermes' own compressor would do, after that another engine decides, if one does."""
    if engine is None or engine.is_ours:
        return told
    said = headline_table()["decided_elsewhere"]["preview"].format(engine=engine.name)
    does = told.sentence
    if len(f"{said} {does}") > MAX_HEADLINE_CHARS:
        does = f"{does.partition('. ')[0].rstrip('.')}."
    return replace(told, sentence=f"{said} {does}")


def _fires(plan: Plan) -> str:
    name, would = f"the engine {plan.engine}", "fires" if plan.would_fire else "does not fire"
    if plan.threshold_tokens is None:
        return (
            f"T{name[1:]} {would} at {short(plan.compared_tokens)} tokens; it does not say from how many on."
        )
    over = limit(plan.threshold_tokens, plan.window)
    left = plan.threshold_tokens - plan.compared_tokens
    if plan.would_fire and left <= 0:
        return f"Past the {over}: {name} fires before the next model call."
    if left > 0 and not plan.would_fire:
        return f"Not due yet: {short(left)} tokens below the {over} of {name}."
    return f"{'Past' if left <= 0 else 'Below'} the {over}, but {name} {would}."


def left_alone(made: Preview) -> Headline:
    """The headline of an engine that returned the list unchanged."""
    messages = plural(len(made.before), "message")
    return Headline(f"Nothing would change: the engine {made.plan.engine} keeps the {messages} as they are.")


def dropped(made: Preview) -> str:
    """The sentence about an engine that removed messages and wrote nothing."""
    gone = len(made.before) - len(made.after)
    return (
        f"The engine {made.plan.engine} drops {gone:,} of {plural(len(made.before), 'message')} and writes "
        "nothing in their place"
    )
