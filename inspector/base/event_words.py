"""Words for one event in a line, and for one compaction: its effect, its summary's author, what was lost."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from core.account.pricing.paid import NO_BILL
from core.compress.retention.words import IMPORTANT, loss_words
from core.model.compaction.event import ASKED_FOR, ESTIMATED, REFUSED, CompressionEvent, SummaryStatus
from core.model.finding import shortened
from core.preview.words import importance, kind_word, unchecked_sentence
from core.support import formatting as fmt

if TYPE_CHECKING:
    from core.live.event import LiveEvent
    from core.model.accounting.prompt_cache import Payback
    from core.model.compaction.preview import Fact, FactCount, Retention

HEAVIEST, _QUOTE, _BARE = 3, 100, 12
"""Lost facts that are quoted, characters of each, and how many say too little without what they are."""
_ONCE = re.compile(
    r"(?:^|[;&|] *)[\w./-]*\b(?:python[\d.]*|node|perl|ruby|php|bun)(?: -\w+)*? "
    r"(?:-[a-z]*[cer]|--eval|-? ?<<)(?!\w)"
)
"""A command that holds its own program."""
Facts = Mapping[str, Any]


def effect(event: CompressionEvent) -> str:
    """Messages, tokens left and time; the size before is compared elsewhere."""
    if not event.completed:
        return "none: it failed, the conversation is as it was"
    parts = [f"{fmt.count(event.messages_before)} → {fmt.count(event.messages_after)} messages"]
    if event.tokens is not None and event.tokens_after is not None:
        saved = f" ({(event.tokens_after - event.tokens) / event.tokens:+.0%})" if event.tokens else ""
        parts.append(f"{event.tokens_after:,} tokens left{saved}")
    if event.duration is not None:
        parts.append(fmt.duration(event.duration))
    return " · ".join(parts)


def reason(event: CompressionEvent) -> str:
    """The explanation without the sizes compared, which a row below it states."""
    said = event.explanation or "The cause is unknown."
    cause, sizes, _ = said.partition(f": {fmt.count(event.tokens)} against ")
    return f"{cause}." if sizes else said


def steps(event: CompressionEvent) -> Iterator[str]:
    """The steps of the arithmetic without the last, the comparison, which the row of sizes states."""
    said = [f"{fmt.count(event.tokens)} {sign} {fmt.count(event.threshold)}" for sign in (">=", "<")]
    return (step for step in event.arithmetic if step not in said)


def compared(event: CompressionEvent) -> str:
    """The size that was compared, and with what."""
    tokens, threshold, window = event.tokens, event.threshold, event.window
    size = "size unknown" if tokens is None else f"{tokens:,} tokens"
    if threshold is None:
        return f"{size} · {window_words(window)}"
    if event.trigger in ASKED_FOR:
        return f"{size}; the limit of {threshold:,} did not matter"
    if event.trigger in REFUSED:
        return f"{size}, refused by the provider{_since_refusal(event, threshold)}"
    if window is not None and window < threshold:
        return f"{size}; a window of {window:,} ends before the limit of {threshold:,}"
    if tokens is None:
        return f"{size}, limit of {threshold:,} · {window_words(window)}"
    side = "over" if tokens >= threshold else "under"
    told = f"{size}, {abs(tokens - threshold):,} {side} the limit of {threshold:,} · {window_words(window)}"
    if event.trigger not in ESTIMATED or event.last_prompt in (None, tokens):
        return told
    return f"{told} · estimated: the provider counted {event.last_prompt:,} in the last call logged before"


def _since_refusal(event: CompressionEvent, threshold: int) -> str:
    """The window and limit that a refusal left, or the window as it was."""
    lowered = event.attempt.window_after if event.attempt is not None else None
    if lowered is None:
        return f" · {window_words(event.window)}"
    limit = f"the limit of {threshold:,} is never reached"
    return f"; since then the window is {lowered:,}, and " + (
        limit if threshold > lowered else f"the limit is {threshold:,}"
    )


def window_words(window: int | None) -> str:
    """The model's window, or that it is unknown."""
    return "window unknown" if window is None else f"window {window:,}"


def summary(event: CompressionEvent) -> str:
    """Who wrote the summary."""
    outcome = event.summary
    if event.pruned:
        return "none: nothing was summarised"
    words = {
        SummaryStatus.MODEL: "written by a model",
        SummaryStatus.FALLBACK: "no model answered: Hermes put a fixed text in its place",
        SummaryStatus.ABORTED: "none was kept",
        SummaryStatus.INSPECTOR: "written by Hermes Inspector, without a model",
        SummaryStatus.UNKNOWN: "not on record who wrote it",
    }[outcome.status]
    if outcome.status is SummaryStatus.MODEL and outcome.model:
        words = f"written by {outcome.model}"
    return words if outcome.tokens is None else f"{words} · {outcome.tokens:,} tokens"


def lost(kept: Retention | None) -> str:
    """What no summary keeps of the middle; important kinds come first, and are named even if none is lost."""
    if kept is None:
        return f"{fmt.UNKNOWN} what was removed or its summary is not on record, so nothing can be compared"
    if not kept.by_category:
        return "nothing that can be checked"
    if not any(count.lost for count in kept.by_category.values()):
        return "nothing: every fact is kept"
    lost_kinds = [kind for kind, count in kept.by_category.items() if count.lost or kind in IMPORTANT]
    lost_of = (_lost_of(kind, kept.by_category[kind]) for kind in sorted(lost_kinds, key=importance))
    parts = " · ".join(filter(None, (*lost_of, unchecked_sentence(kept))))
    return f"{loss_words(kept)}: {parts}"


def _lost_of(kind: str, count: FactCount) -> str:
    """`11 of 20 requests`, or `none of 2 requests`: after "lost", the other order reads as what is kept."""
    if count.of == 1 and not count.lost:
        return f"not the one {kind_word(kind, one=True)}"
    kinds = fmt.plural(count.of, kind_word(kind, one=True), kind_word(kind))
    return f"{fmt.count(count.lost) if count.lost else 'none'} of {kinds}"


def heaviest(kept: Retention | None, most: int = HEAVIEST) -> Iterator[str]:
    """The lost facts that are missed first, quoted; short ones with their kind. Untrusted."""
    missed = [fact for fact in (kept.lost if kept else ()) if not _is_thrown_away(fact)]
    for fact in sorted(missed, key=_says_little)[:most]:
        words = shortened(" ".join(fact.value.split()), _QUOTE)
        yield f"“{words}”" if len(words) > _BARE else f"“{words}” ({kind_word(fact.category, one=True)})"


def _is_thrown_away(fact: Fact) -> bool:
    """Whether it is a program that was typed to run once, which nobody misses."""
    return fact.category == "commands" and _ONCE.search(fact.value) is not None


def _says_little(fact: Fact) -> bool:
    """Whether a reader learns nothing from it alone: a bare number, or a note as short as `Done`."""
    brief = fact.category == "state" and len(fact.value) < 2 * _BARE
    return brief or not any(map(str.isalpha, fact.value))


def bill(one: Payback | None, *, local: bool = False) -> str:
    """What a compaction cost, made of what, and whether the smaller prompts have paid for it since."""
    if local or (one is not None and one.local):
        return NO_BILL
    if one is None:
        return f"{fmt.UNKNOWN} nothing on record says what it cost"
    known = [usd for usd in (one.summariser_usd, one.reread_usd) if usd is not None]
    if not known and one.saving_per_call_usd is None:
        return f"{fmt.UNKNOWN} no price is known, so it is unknown whether it paid for itself"
    mark = fmt.LOWER_BOUND if len(known) == 1 else ""
    parts = [fmt.money(sum(known, Decimal(0)) if known else None, mark=mark)]
    if known:
        parts.append(" + ".join(_shares(one)))
    parts.append(f"saves {fmt.money_a_call(one.saving_per_call_usd)}")
    parts.append(
        f"paid for itself after {fmt.plural(one.paid_back_after, 'call')}"
        if one.paid_back_after is not None
        else f"has not paid for itself after {fmt.plural(one.calls_after, 'call')}"
    )
    return " · ".join(parts)


def _shares(one: Payback) -> Iterator[str]:
    """What a compaction's cost is made of."""
    for words, usd in (("summary", one.summariser_usd), ("rebuilding the cache", one.reread_usd)):
        yield f"{words} {'(price unknown)' if usd is None else fmt.money(usd)}"


def text(event: LiveEvent, here: str | None = None) -> str:
    """An event as one line: time of day, kind, session unless it is the one `here`, sentence."""
    kind = event.kind.value.replace("_", " ")
    session = "" if event.session == here is not None else f"{event.session or '–'}  "
    return f"{fmt.clock(event.at)}  {kind:<11} {session}{sentence(event)}"


def sentence(event: LiveEvent) -> str:
    """What happened, in one sentence."""
    return " ".join(_WORDS[event.kind.value](event.facts).split())


def _message(facts: Facts) -> str:
    tool = f" of {facts['tool']}" if facts["tool"] else ""
    return f"{facts['role']}{tool}, {fmt.count(facts['bytes'])} bytes"


def _call(facts: Facts) -> str:
    sizes = f"{fmt.short(facts['prompt'])} prompt, {fmt.short(facts['output'])} output"
    return f"{facts['model']}: {sizes}, cache {fmt.percent(facts['hit_rate'])}"


def _compaction(facts: Facts) -> str:
    if headline := facts.get("headline"):
        return str(headline)
    return f"{fmt.count(facts.get('messages_before'))} → {fmt.count(facts.get('messages_after'))} messages"


def _failure(facts: Facts) -> str:
    return f"{facts['what']}: {facts['text']}"


def _cache_break(facts: Facts) -> str:
    cause = str(facts["cause"]).replace("_", " ")
    cost = fmt.money(facts["cost_usd"])
    return f"{cause}: {fmt.short(facts['tokens_lost'])} tokens re-read, {cost}"


def _budget(facts: Facts) -> str:
    sign = fmt.LOWER_BOUND if facts["at_least"] else ""
    spent, budget = fmt.money(facts["spent_usd"], mark=sign), fmt.money(facts["budget_usd"])
    return f"{spent} spent today, past {budget}"


def _alert(facts: Facts) -> str:
    used = f"{fmt.short(facts['tokens'])} of {fmt.round_number(facts['threshold'])} tokens"
    return f"{fmt.percent(facts['share'])} of the context used: {used}"


_WORDS: Mapping[str, Callable[[Facts], str]] = {
    "message": _message,
    "call": _call,
    "compaction": _compaction,
    "failure": _failure,
    "cache_break": _cache_break,
    "budget": _budget,
    "alert": _alert,
}
