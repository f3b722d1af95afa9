"""One compaction as a verdict: the sentence, the sums, what it did, the evidence. Lines for a pane."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from core.explain.explanation import Now
from core.model.compaction.event import ASKED_FOR, CompressionEvent
from core.model.evidence import Evidence, Source, Verdict
from core.preview.past import Aftermath
from inspector.base.compaction_words import bill, effect, heaviest, lost, summary
from inspector.terminal import formatting as fmt
from inspector.terminal.glyphs import VERDICT as SIGN
from inspector.terminal.line import Line
from inspector.terminal.palette import Palette
from inspector.widgets.panes.fields import evidence_lines, field, headline, paragraph

WAITING = "…"
"""Stands where a line will: nothing moves when it comes."""
_CERTAINTY = {Verdict.DERIVED: "computed", Verdict.SUSPECTED: "likely", Verdict.UNKNOWN: "not known"}
VERDICT_TOKEN = {
    Verdict.PROVED: "severity-ok",
    Verdict.DERIVED: "severity-info",
    Verdict.SUSPECTED: "severity-warning",
    Verdict.UNKNOWN: "ink-muted",
}


def event_lines(
    event: CompressionEvent, width: int, ink: Palette, aftermath: Aftermath | None = None
) -> Iterator[Line]:
    """What there is to know about one compaction: why, the sums, what it did, what that lost and cost."""
    badge = certainty(event.verdict, event.evidence)
    yield from _verdict(event.explanation or "Nothing says why.", event.verdict, badge, width, ink)
    for words in event.disagreements:
        yield from field("▲ but", words, width, ink, "severity-warning")
    if event.completed:
        yield from field("lost", lost(aftermath.kept) if aftermath else WAITING, width, ink)
        yield from field("cost", bill(aftermath.payback) if aftermath else WAITING, width, ink, "money")
        for place, words in enumerate(heaviest(aftermath.kept) if aftermath else ()):
            yield from field("" if place else "missing", f"“{words}”", width, ink)
    yield from field("result", effect(event), width, ink)
    yield from field("size", compared(event), width, ink)
    yield from _sums(event.arithmetic, width, ink)
    yield from field("summary", summary(event), width, ink)
    if event.focus:
        yield from field("focus", event.focus, width, ink)
    yield from field("where", where(event), width, ink)


def now_lines(now: Now, width: int, ink: Palette) -> Iterator[Line]:
    """Where the trigger stands, and what would refuse a compaction."""
    yield from _verdict(standing(now), now.verdict, certainty(now.verdict, now.evidence), width, ink)
    for block in now.blocked_by:
        yield from field("blocked", block, width, ink, "severity-warning")
    yield from _sums(now.arithmetic, width, ink)


def proof_lines(
    evidence: Iterable[Evidence], notes: Iterable[str], width: int, ink: Palette
) -> Iterator[Line]:
    """What a verdict rests on, and what a reader should know about the evidence itself."""
    yield from evidence_lines(evidence, width, ink)
    for note in notes:
        yield Line()
        yield from paragraph(f"· {note}", width, ink, "ink-muted")


def certainty(verdict: Verdict, evidence: Iterable[Evidence]) -> str:
    """How we know, in words: what proved it, or that it was computed, is likely, or nobody can say."""
    if verdict is not Verdict.PROVED:
        return _CERTAINTY[verdict]
    sources = {one.source for one in evidence}
    if Source.JOURNAL in sources:
        return "from our journal"
    return "from the log" if Source.LOG in sources else "from the rows"


def _verdict(sentence: str, verdict: Verdict, badge: str, width: int, ink: Palette) -> Iterator[Line]:
    words = f"{SIGN[verdict]} {badge}"
    yield from headline(sentence, words, width, ink, badge_token=VERDICT_TOKEN[verdict])


def standing(now: Now) -> str:
    """One sentence: whether the next request would fire."""
    if now.tokens is None:
        return "Nothing says how large the next request would be."
    if now.threshold is None:
        return f"The next request carries about {now.tokens:,} tokens; nobody knows the window."
    if now.headroom is not None and now.headroom > 0:
        return f"Not yet: {now.tokens:,} of {now.threshold:,} tokens, {now.headroom:,} to go."
    held = ", but compression is blocked" if now.blocked_by else ""
    return f"The next request would fire: {now.tokens:,} tokens against {now.threshold:,}{held}."


def brief(now: Now) -> str:
    """The same in a few words, for a list."""
    if now.tokens is None:
        return "nothing says how large the next request is"
    size = f"{fmt.short(now.tokens)} of {fmt.short(now.threshold)}"
    if now.threshold is None or now.headroom is None:
        return f"{size}: nobody knows the window"
    if now.headroom > 0:
        return f"not yet: {size}, {fmt.short(now.headroom)} to go"
    return f"would fire: {size}{', but blocked' if now.blocked_by else ''}"


def compared(event: CompressionEvent) -> str:
    """The number that was compared, with what."""
    tokens, threshold, window = event.tokens, event.threshold, event.window
    if event.trigger in ASKED_FOR:
        return f"{fmt.count(tokens)} tokens; the limit of {fmt.count(threshold)} was not asked"
    text = f"{fmt.count(tokens)} tokens, limit {fmt.count(threshold)} · window {fmt.count(window)}"
    if tokens is None or threshold is None:
        return text
    return f"{text} · {abs(tokens - threshold):,} {'over' if tokens >= threshold else 'under'}"


def where(event: CompressionEvent) -> str:
    """Which sessions and generation, and when."""
    sessions = event.session if event.to_session == event.session else f"{event.session} → {event.to_session}"
    mode = str(event.mode).replace("_", " ") if event.mode else ""
    closed = f"closed generation {event.generation}" if event.generation else ""
    release = f"Hermes {event.release}" if event.release else ""
    return " · ".join(part for part in (fmt.moment(event.at), mode, closed, release, sessions) if part)


def _sums(steps: Iterable[str], width: int, ink: Palette) -> Iterator[Line]:
    for place, step in enumerate(steps):
        yield from field("" if place else "limit", step, width, ink)
