"""One compaction as a verdict: the sentence, the sums, what it did, the evidence. Lines for a pane."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from core.explain.explanation import Now
from core.model.event import CompressionEvent, SummaryStatus, Trigger
from core.model.evidence import Evidence, Verdict
from inspector import format
from inspector.glyphs import VERDICT as SIGN
from inspector.line import Line
from inspector.palette import Palette
from inspector.widgets.fields import field, paragraph

VERDICT_TOKEN = {
    Verdict.PROVED: "severity-ok",
    Verdict.DERIVED: "severity-info",
    Verdict.SUSPECTED: "severity-warning",
    Verdict.UNKNOWN: "ink-muted",
}


def event_lines(event: CompressionEvent, width: int, ink: Palette) -> Iterator[Line]:
    """Everything known about one compaction."""
    yield from paragraph(event.explanation or "Nothing says why.", width, ink, "ink", bold=True)
    yield Line()
    yield from field(
        "verdict", f"{SIGN[event.verdict]} {event.verdict}", width, ink, VERDICT_TOKEN[event.verdict]
    )
    yield from field("compared", compared(event), width, ink)
    yield from field("effect", effect(event), width, ink)
    yield from field("summary", summary(event), width, ink)
    if event.focus:
        yield from field("focus", event.focus, width, ink)
    yield from field("where", where(event), width, ink)
    for words in event.disagreements:
        yield from field("▲ but", words, width, ink, "severity-warning")
    yield from _sums(event.arithmetic, width, ink)
    yield from _evidence(event.evidence, width, ink)


def now_lines(now: Now, notes: Iterable[str], width: int, ink: Palette) -> Iterator[Line]:
    """Where the trigger stands, and what would refuse a compaction."""
    yield from paragraph(standing(now), width, ink, "ink", bold=True)
    yield Line()
    yield from field("verdict", f"{SIGN[now.verdict]} {now.verdict}", width, ink, VERDICT_TOKEN[now.verdict])
    for block in now.blocked_by:
        yield from field("held off", block, width, ink, "severity-warning")
    yield from _sums(now.arithmetic, width, ink)
    yield from _evidence(now.evidence, width, ink)
    for note in notes:
        yield Line()
        yield from paragraph(f"· {note}", width, ink, "ink-muted")


def standing(now: Now) -> str:
    """One sentence: whether the next request would fire."""
    if now.tokens is None:
        return "Nothing says how large the next request would be."
    if now.threshold is None:
        return f"The next request carries about {now.tokens:,} tokens; nobody knows the window."
    if now.headroom is not None and now.headroom > 0:
        return f"Not yet: {now.tokens:,} of {now.threshold:,} tokens, {now.headroom:,} to go."
    held = "; it is held off" if now.blocked_by else ""
    return f"The next request would fire: {now.tokens:,} tokens against {now.threshold:,}{held}."


def compared(event: CompressionEvent) -> str:
    """The number that was compared, with what."""
    tokens, threshold, window = event.tokens, event.threshold, event.window
    if event.trigger is Trigger.MANUAL:
        return f"nothing; it held {format.count(tokens)} tokens, the threshold was {format.count(threshold)}"
    text = f"{format.count(tokens)} tokens with {format.count(threshold)} · window {format.count(window)}"
    if tokens is None or threshold is None:
        return text
    return f"{text} · {abs(tokens - threshold):,} {'over' if tokens >= threshold else 'under'}"


def effect(event: CompressionEvent) -> str:
    """Messages and tokens before and after."""
    if not event.completed:
        return "none: it was given up, the conversation is as it was"
    parts = [f"{format.count(event.messages_before)} → {format.count(event.messages_after)} messages"]
    if event.tokens is not None and event.tokens_after is not None:
        saved = f" ({(event.tokens_after - event.tokens) / event.tokens:+.0%})" if event.tokens else ""
        parts.append(f"{format.short(event.tokens)} → {format.short(event.tokens_after)} tokens{saved}")
    if event.duration is not None:
        parts.append(format.duration(event.duration))
    return " · ".join(parts)


def summary(event: CompressionEvent) -> str:
    """Who wrote the summary."""
    outcome = event.summary
    words = {
        SummaryStatus.MODEL: "written by a model",
        SummaryStatus.FALLBACK: "no model answered: Hermes put a fixed text in its place",
        SummaryStatus.ABORTED: "none was made",
        SummaryStatus.UNKNOWN: "nothing says who wrote it",
    }[outcome.status]
    if outcome.status is SummaryStatus.MODEL and outcome.model:
        words = f"written by {outcome.model}"
    return words if outcome.tokens is None else f"{words} · {outcome.tokens:,} tokens"


def where(event: CompressionEvent) -> str:
    """Which sessions and generation, and when."""
    sessions = event.session if event.to_session == event.session else f"{event.session} → {event.to_session}"
    mode = str(event.mode).replace("_", " ") if event.mode else ""
    closed = f"closed generation {event.generation}" if event.generation else ""
    release = f"Hermes {event.release}" if event.release else ""
    return " · ".join(part for part in (format.moment(event.at), mode, closed, release, sessions) if part)


def _sums(steps: Iterable[str], width: int, ink: Palette) -> Iterator[Line]:
    for place, step in enumerate(steps):
        if not place:
            yield Line()
        yield from field("" if place else "sums", step, width, ink)


def _evidence(evidence: Iterable[Evidence], width: int, ink: Palette) -> Iterator[Line]:
    for place, piece in enumerate(evidence):
        if not place:
            yield Line()
        label = "" if place else "evidence"
        yield from field(label, f"{piece.source} {piece.where}", width, ink, "ink-muted")
        yield from field("", piece.text, width, ink)
