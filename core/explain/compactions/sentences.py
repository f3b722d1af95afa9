"""One compaction in words: the sentence, the arithmetic, and where two sources disagree."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from core.compress.sizing.threshold import Budgets
from core.explain.compactions.attempts import Attempt
from core.explain.compactions.causes import MISTAKEN, Cause
from core.explain.compactions.matching import Match
from core.explain.compactions.past_window import Shrunk
from core.explain.compactions.refusals import triggers
from core.explain.compactions.verdict import Ruling
from core.explain.context.rows.boundary_rows import BoundaryRows
from core.hermes.log.record import Kind, LogRecord
from core.model.compaction.event import Trigger
from core.model.finding import Evidence, Source, Verdict
from core.model.transcript.conversation import BoundaryMode
from core.support.formatting import message_rows

_CERTAINTY = {
    Verdict.PROVED: "",
    Verdict.DERIVED: "Recomputed: ",
    Verdict.SUSPECTED: "Probably: ",
    Verdict.UNKNOWN: "",
}
_COMPARED = (
    Trigger.PREFLIGHT,
    Trigger.PRE_API,
    Trigger.POST_RESPONSE,
    Trigger.HYGIENE,
)


def trigger_words(trigger: Trigger, *, by_count: bool = False, refused: str = "") -> str:
    """A trigger as a clause; `by_count`: messages decided; `refused`: what a refusal was really about."""
    table = triggers()
    words = table["words_by_count"].get(trigger.value) if by_count else None
    if trigger in MISTAKEN:
        words = table["words_by_refusal"].get(refused)
    return str(words or table["words"][trigger.value])


def explanation(ruling: Ruling, refused: str = "") -> str:
    """The verdict as one sentence; `refused` is what the refusal behind it was really about."""
    trigger, verdict, tokens, threshold = ruling.trigger, ruling.verdict, ruling.tokens, ruling.threshold
    words = trigger_words(trigger, by_count=ruling.by_count, refused=refused)
    sentence = _CERTAINTY[verdict] + (
        words[:1].lower() + words[1:] if _CERTAINTY[verdict] else words[:1].upper() + words[1:]
    )
    if trigger in _COMPARED and tokens is not None and threshold is not None and not ruling.by_count:
        of = f" (window {ruling.window:,})" if ruling.window is not None else ""
        compared = f"{tokens:,} against" if tokens >= threshold else f"counted {tokens:,}, close to"
        sentence += f": {compared} {threshold:,}{of}"
    elif ruling.messages is not None:
        sentence += f": {ruling.messages:,}, with about {tokens:,} tokens"
    elif trigger is Trigger.UNKNOWN and ruling.past.edited:
        sentence += ": config.yaml was changed since, so the threshold of then is not known"
    elif tokens is not None and trigger is not Trigger.UNKNOWN:
        sentence += f"; the conversation held about {tokens:,} tokens"
    return sentence + "."


def sums(cause: Cause | None, ruling: Ruling) -> Iterator[str]:
    """The arithmetic, one step a line: the threshold, or whose it was, then the comparison."""
    if ruling.trigger is not Trigger.PRUNE:
        yield from _threshold_steps(ruling)
        yield from _remarks(ruling)
        yield from _comparisons(cause, ruling)
    if ruling.derived is not None:
        yield from ruling.derived.steps


def _threshold_steps(ruling: Ruling) -> Iterator[str]:
    """How the threshold comes about, or why it is not known."""
    if ruling.trigger is Trigger.HYGIENE and ruling.window and ruling.threshold is not None:
        share = ruling.threshold / ruling.window
        yield f"the gateway steps in at {share:.0%} of {ruling.window:,} = {ruling.threshold:,}"
    elif ruling.limits is None:
        edited = "config.yaml was changed later in this conversation, so what it said then is not known"
        yield ruling.others or (edited if ruling.past.edited else "no window is known, so no threshold")
    elif ruling.lowered is not None or (not ruling.denied and ruling.threshold == ruling.limits.threshold):
        yield from ruling.limits.arithmetic
    else:
        today = f"today's config.yaml gives {ruling.limits.threshold:,}"
        yield f"{today}, but other settings were in force then, which are not known"


def _remarks(ruling: Ruling) -> Iterator[str]:
    """How sure window and threshold are, and what lowered them."""
    if ruling.window_verdict is Verdict.SUSPECTED:
        yield f"the window of {ruling.window:,} is from today's config.yaml; no line of then states it"
    if ruling.past.edited and ruling.threshold is not None:
        yield "config.yaml was changed since, but what passed and what fired fit its threshold"
    if ruling.lowered is not None:
        yield f"lowered to {ruling.lowered.threshold:,}, which the summary model can read"


def _comparisons(cause: Cause | None, ruling: Ruling) -> Iterator[str]:
    """What was compared: tokens, else messages."""
    compared = cause is None or cause.trigger in _COMPARED
    if ruling.tokens is not None and ruling.threshold is not None and compared:
        comparison = _compared(ruling.tokens, ruling.threshold)
        yield f"{comparison}, so the number of messages decided" if ruling.by_count else comparison
    if ruling.by_count and ruling.most is not None and ruling.messages is not None:
        count = _compared(ruling.messages, ruling.most, " messages")
        yield f"{count}, the most that config.yaml allows today"


def _compared(number: int, limit: int, unit: str = "") -> str:
    return f"{number:,}{unit} {'>=' if number >= limit else '<'} {limit:,}"


def evidence(pair: Match, ruling: Ruling) -> Iterator[Evidence]:
    """All evidence for one event: lines, rows, what was recomputed, and what had lowered the limits."""
    attempt, rows = pair
    if attempt is not None:
        yield from _log_evidence(attempt)
        if attempt.cause.note:
            yield Evidence(Source.DERIVED, attempt.first.where, attempt.cause.note)
    if rows is not None:
        yield from _row_evidence(rows)
    if ruling.derived is not None:
        yield from ruling.derived.evidence
    if ruling.past.shrunk is not None:
        yield from _shrunk_evidence(ruling.past.shrunk)
    if ruling.lowered is not None:
        yield ruling.lowered.evidence


def _log_evidence(attempt: Attempt) -> Iterator[Evidence]:
    """The log lines of an attempt, in the order of the log, each once."""
    lines = [attempt.cause.line, attempt.cause.call, attempt.started, *attempt.inner[-4:]]
    lines += [attempt.done, attempt.telemetry]
    seen: set[str] = set()
    for line in sorted((line for line in lines if line is not None), key=lambda line: line.at):
        if line.where not in seen:
            seen.add(line.where)
            yield line.evidence


def _row_evidence(rows: BoundaryRows) -> Iterator[Evidence]:
    """What the database shows of a compaction."""
    yield from rows.boundary.evidence
    if rows.before:
        yield Evidence(Source.DATABASE, message_rows(rows.before), f"{len(rows.before)} messages before")
    if rows.after:
        yield Evidence(Source.DATABASE, message_rows(rows.after), f"{len(rows.after)} messages after")


def _shrunk_evidence(shrunk: Shrunk) -> Iterator[Evidence]:
    """The refusal after which the process used a smaller window."""
    yield shrunk.line.evidence
    words = f"left the running process with a window of {shrunk.window:,}"
    yield Evidence(Source.DERIVED, shrunk.line.where, words)


def doubts(ruling: Ruling) -> Iterator[str]:
    """What else may have been in force then: today's config was not, or lines of other turns differ."""
    if ruling.denied:
        yield f"{ruling.denied}: another window or threshold was in force"
    if ruling.past.claims and ruling.window is not None:
        stated = " and ".join(f"{window:,}" for window in ruling.past.claims)
        yield (
            f"the log states a window of {stated} in other turns, today's config gives {ruling.window:,}: "
            "the process may have started with either"
        )


_ESTIMATE_ERROR = 1.25, 4_096
"""A share and some tokens by which an estimate of Hermes may be off."""


def disagreements(
    pair: Match, limits: Budgets | None, joined: Callable[[], int], spared: int, *, rewritten: bool
) -> Iterator[str]:
    """Where log, rows and today's config contradict each other.

    `joined` counts the messages Hermes joins to their neighbours before it counts; `spared` are those that
    `/compress here` kept and no line counts; `rewritten`: a later compaction destroyed what this one left, so
    no row can show it.
    """
    attempt, rows = pair
    if attempt is None:
        return
    if attempt.done is not None and rows is not None:
        yield from () if spared else _miscounted(attempt, attempt.done, rows, joined)
    elif not rewritten:
        yield from _not_shown(attempt)
    yield from _outgrown(attempt)
    stated = None if attempt.cause.trigger is Trigger.HYGIENE else attempt.cause.threshold
    if stated is not None and limits is not None and stated != limits.threshold:
        where = attempt.cause.line.where if attempt.cause.line else "the log"
        yield f"{where} names a threshold of {stated:,}; today's config gives {limits.threshold:,}"


def _not_shown(attempt: Attempt) -> Iterator[str]:
    """A new transcript that a line reports, and no row shows."""
    done = attempt.done
    if done is None or done.kind is not Kind.DONE or not attempt.completed:
        return
    began = attempt.started.session if attempt.started is not None else done.session
    if began == done.session:
        yield f"{done.where} reports a new transcript, but no row shows one"
    else:
        yield f"{done.where}: it went on in {done.session}, which the database does not hold"


def _outgrown(attempt: Attempt) -> Iterator[str]:
    """A request after it that held more than the line counts, beyond any error of an estimate."""
    done, sent = attempt.done, attempt.following
    left = done.tokens_after if done is not None else None
    if done and sent and left and (sent.input or 0) > _ESTIMATE_ERROR[0] * left + _ESTIMATE_ERROR[1]:
        # Hermes leaves out what it sends and stores nowhere: a prompt of config.yaml, prefilled messages.
        yield f"{done.where} counts {left:,} tokens after, the next request held {sent.input:,}"


def _miscounted(
    attempt: Attempt, done: LogRecord, rows: BoundaryRows, joined: Callable[[], int]
) -> Iterator[str]:
    """Where a line counts other messages than the rows show.

    Where its parent was deleted or never written to, the rows of a session do not tell what a compaction
    had written of them. A summary merged into a message keeps the time of that one, so the times of the rows
    do not tell that the request which waited was stored with it. Nor is it stored where the session that a
    turn began was never written to.
    """
    began = attempt.started.session if attempt.started is not None else None
    if rows.boundary.mode is BoundaryMode.REWRITE and began != done.session:
        return
    counts = (("before", done.before, rows.counted_before), ("after", done.after, rows.counted_after))
    known = [(name, old, new) for name, old, new in counts if old is not None and new is not None]
    grown = {shown - logged for _, logged, shown in known}
    if _is_expected(attempt, rows, grown, both=len(known) == len(counts)):
        return
    for name, logged, shown in known:
        if logged != shown and (name == "after" or shown - logged != joined()):
            yield f"{done.where} counts {logged} messages {name}, the rows show {shown}"


def _is_expected(attempt: Attempt, rows: BoundaryRows, grown: set[int], *, both: bool) -> bool:
    """Whether rows are as many more than a line counts as they may be."""
    if grown == {-1}:
        unwritten = not rows.opened.row_ids and attempt.cause.trigger is not Trigger.MANUAL
        return unwritten or (rows.boundary.merged and both)
    if attempt.cause.trigger is Trigger.HYGIENE and both and grown == {1}:
        return True  # the request that waits is stored before the gateway looks, from 0.20 on
    # The turn ran on while a gateway compressed behind it, so both lists got the same rows.
    is_behind = any(line.kind is Kind.HYGIENE_FAILED for line in attempt.inner)
    return is_behind and len(grown) == 1 and min(grown) >= 0
