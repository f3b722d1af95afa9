"""The sums pane of the map: threshold, budgets, cut, recorded tokens. Pure functions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.style import Style

from core.model.accounting.amounts import Buckets
from core.model.accounting.usage import TokenCounts
from core.model.compaction.plan import Part, Plan, Span
from core.model.transcript.conversation import Conversation
from core.support import formatting as fmt
from inspector.terminal.line import Line, Palette
from inspector.terminal.text import clean, wrap
from inspector.widgets.charts.context_strip import INK

LABEL = 17
FIGURE = 12
BUCKETS = (
    ("uncached input", "input", "bucket-fresh"),
    ("cache read", "cache_read", "bucket-read"),
    ("cache write", "cache_write", "bucket-write"),
    ("output", "output", "bucket-output"),
    ("incl. reasoning", "reasoning", "ink-muted"),
)


def sums_lines(
    plan: Plan | None,
    conversation: Conversation,
    notes: Sequence[str],
    width: int,
    palette: Palette,
    *,
    counts: TokenCounts | None = None,
) -> Iterator[Line]:
    """Every line of the pane; `notes` say where the settings come from, one per line."""
    if plan is not None:
        yield from _threshold(plan, width, palette)
        yield from _cut(plan, width, palette)
        yield from _weighed(plan, counts, palette)
    if notes:
        yield _heading("Where the settings come from", palette)
        yield from _wrapped(notes, width, palette.style("ink-muted"))
        yield Line()
    yield from _buckets(conversation, palette)


def _threshold(plan: Plan, width: int, palette: Palette) -> Iterator[Line]:
    yield _heading(f"Threshold, as Hermes {plan.release} computes it", palette)
    yield from _wrapped(plan.arithmetic, width, palette.style("ink"))
    for reason in plan.blocked_by:
        yield from _wrapped((f"▲ {reason}",), width, palette.style("severity-warning"))
    yield Line()


def _cut(plan: Plan, width: int, palette: Palette) -> Iterator[Line]:
    yield _heading("The cut, in tokens and messages", palette)
    for part, span in ((Part.HEAD, plan.head), (Part.MIDDLE, plan.middle), (Part.TAIL, plan.tail)):
        words = _where(span, width - LABEL - FIGURE - 2)
        tokens = sum(plan.estimates[span.start : span.end])
        yield _figure(part, fmt.count(tokens, mark=fmt.ESTIMATE), palette.style(INK[part]), palette, words)
    muted = palette.style("ink-muted")
    yield _figure("tool results cut", fmt.count(plan.pruned), muted, palette)
    yield _figure("tail budget", fmt.count(plan.tail_budget), muted, palette)
    yield _figure("soft ceiling", fmt.count(plan.soft_ceiling), muted, palette)
    yield _figure("summary budget", fmt.count(plan.summary_budget), muted, palette)
    yield _figure("summary limit", fmt.count(plan.summary_cap), muted, palette)
    yield Line()


def _weighed(plan: Plan, counts: TokenCounts | None, palette: Palette) -> Iterator[Line]:
    """The release's estimate of all messages, and a real tokenizer's count."""
    ink = palette.style("ink")
    yield _heading("All messages, in tokens", palette)
    yield _figure("Hermes estimates", fmt.count(plan.estimated_tokens, mark=fmt.ESTIMATE), ink, palette)
    if counts is None:
        yield _figure("tokenizer", "counting …", ink, palette)
    else:
        exact, total = counts.encoding.exact, counts.total + sum(counts.reasoning)
        text = fmt.count(total, mark="" if exact else "≈")
        yield _figure("tokenizer", text, ink, palette, counts.encoding.name)
        if not exact:
            yield Line().add("the model's own tokenizer is not public", palette.style("ink-faint"))
    yield Line()


def _buckets(conversation: Conversation, palette: Palette) -> Iterator[Line]:
    many = len(conversation.sessions) > 1
    yield _heading("Tokens, newest session" if many else "Tokens, as recorded", palette)
    yield from _bucket_lines(conversation.tip.tokens, palette)
    if many:
        yield Line()
        yield _heading(f"Tokens, all {len(conversation.sessions):,} sessions", palette)
        yield from _bucket_lines(conversation.tokens, palette)


def _bucket_lines(buckets: Buckets, palette: Palette) -> Iterator[Line]:
    for label, name, token in BUCKETS:
        yield _figure(label, fmt.count(getattr(buckets, name)), palette.style(token), palette)
    yield _figure("cache hit", fmt.percent(buckets.hit_rate), palette.style("ink"), palette)


def _heading(text: str, palette: Palette) -> Line:
    return Line().add(text, palette.style("ink", bold=True))


def _figure(label: str, figure: str, ink: Style, palette: Palette, note: str = "") -> Line:
    line = Line().cell(label, LABEL, ink).cell(figure, FIGURE, palette.style("ink"), right=True)
    return line.gap(2).add(note, palette.style("ink-muted"))


def _wrapped(texts: Sequence[str], width: int, ink: Style) -> Iterator[Line]:
    for text in texts:
        for place, line in enumerate(wrap(clean(text), max(1, width - 2))):
            yield Line().gap(2 if place else 0).preformatted(line, ink)


def _where(span: Span, room: int) -> str:
    """The messages of a part and, if there is room, how many; the strip's legend shows that too."""
    if not span.size:
        return "none"
    found = f"#{span.start}" if span.size == 1 else f"#{span.start}-{span.end - 1}"
    return counted if len(counted := f"{found} · {span.size:,}") <= room else found
