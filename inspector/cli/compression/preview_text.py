"""A preview as printed lines: the summary and the facts it keeps, or a diff."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from dataclasses import replace

from core.compress.retention.words import loss_words
from core.model.compaction.preview import SUSPECTED, FactCount, Feedback, Preview, Retention
from core.model.finding import Headline
from core.model.transcript.message import Message
from core.preview.words import claim_sentence, kind_word, unchecked_sentence
from core.redact.message import redact_message
from core.redact.text import redact_text
from core.support import formatting as fmt
from inspector.cli import output, table
from inspector.terminal.ink import Ink, inked, joined

LOST_SHOWN = 12
_DIFF = {"+": Ink.GOOD, "-": Ink.LOST, "@": Ink.MUTED}


def masked(found: Preview) -> Preview:
    """Mask texts that span lines in a preview; single lines are masked when they are printed."""
    return replace(
        found,
        summary=found.summary and redact_text(found.summary),
        before=tuple(map(redact_message, found.before)),
        after=tuple(map(redact_message, found.after)),
    )


def lines(found: Preview, headline: Headline) -> Iterator[str]:
    """The headline, what Hermes would print, the summary, and the facts it keeps."""
    yield from output.headline(headline)
    yield ""
    yield f"Hermes {found.plan.release} would print:"
    yield from (f"  {line}" for line in printed(found.feedback))
    if found.written_tokens not in (None, found.after_tokens):
        yield f"with the text that --apply adds around the summary: ~{found.written_tokens:,} tokens"
    yield from found.notes
    yield from (f"blocked: {reason}" for reason in found.plan.blocked_by)
    if found.summary is None:
        return
    middle = found.plan.middle
    yield ""
    become = "would have become" if found.feedback.noop else "become"
    if found.summary_index is not None or found.feedback.noop:
        by = found.plan.engine or found.summariser
        yield f"messages {middle.start} to {middle.end - 1} {become} this summary ({by}):"
    yield from (f"  {line}".rstrip() for line in found.summary.splitlines())
    if found.retention is not None:
        yield ""
        yield from _survival(found.retention)


def printed(feedback: Feedback) -> Iterator[str]:
    """Hermes' own words, line by line."""
    yield feedback.headline
    yield feedback.token_line
    if feedback.note:
        yield feedback.note


def diff(found: Preview) -> Iterator[str]:
    """The messages before and after as a unified diff."""
    both = (list(_transcript_lines(found.before)), list(_transcript_lines(found.after)))
    for line in difflib.unified_diff(*both, "before", "after", lineterm=""):
        yield inked(line, _DIFF.get(line[:1]))
    if found.retention is not None:
        yield from (f"# {line}" for line in _unsupported(found.retention))


def _transcript_lines(messages: Iterable[Message]) -> Iterator[str]:
    for message in messages:
        yield f"[{message.role}]"
        calls = [f"{call.name} {call.arguments}" for call in message.tool_calls]
        for text in (message.text, *calls):
            yield from text.split("\n") if text else ()


def _survival(found: Retention) -> Iterator[str]:
    columns = (
        table.Column("facts"),
        table.Column("kept", right=True),
        table.Column("paraphrased", right=True),
        table.Column("lost", right=True),
        table.Column("of", right=True),
    )
    counts = dict(found.by_category)
    counts |= {name: count for name, count in (("in focus", found.focus), ("the rest", found.rest)) if count}
    yield from table.lines(columns, (_counted(kind_word(key), count) for key, count in counts.items()))
    yield f"lost: {loss_words(found)}"
    yield from filter(None, (unchecked_sentence(found),))
    yield from _unsupported(found)
    yield from _lost(found)


def _counted(name: str, one: FactCount) -> list[str]:
    return [
        name,
        inked(fmt.count(one.kept), Ink.GOOD if one.kept else None),
        fmt.count(one.paraphrased),
        inked(fmt.count(one.lost), Ink.LOST if one.lost else None),
        fmt.count(one.of),
    ]


def _unsupported(found: Retention) -> Iterator[str]:
    """Claims in the summary that no message supports, and doubtful ones."""
    for claim in found.unsupported:
        sure = claim.category != SUSPECTED
        yield joined(inked("unsupported" if sure else "doubtful", Ink.WARNING), f": {claim_sentence(claim)}")


def _lost(found: Retention) -> Iterator[str]:
    lost = found.lost
    if lost:
        yield joined(inked("lost", Ink.LOST), ", what matters most first:")
    for fact in lost[:LOST_SHOWN]:
        yield f"  {fact.value} ({kind_word(fact.category, one=True)})"
    if len(lost) > LOST_SHOWN:
        yield f"  and {len(lost) - LOST_SHOWN:,} more (--json lists all)"
    yield from (f"request not mentioned: {ask}" for ask in found.missing_asks)
    yield from (f"no longer true: {fact}" for fact in found.stale)
    yield from (f"forgotten since the last summary: {fact}" for fact in found.forgotten)
