"""The retention report of one summary over its middle: what it keeps, as a share, and what is outdated."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from core.compress.facts.collect import constraints, topic_of
from core.compress.facts.corrections import Correction, correction_of, corrections
from core.compress.facts.history import Outcome, pending, stories_of
from core.compress.facts.importance import CATEGORIES, WeighedFacts, weigh
from core.compress.facts.readable import View, views
from core.compress.facts.said import without_handoff
from core.compress.facts.topic import roots
from core.compress.facts.values import prose_values, values
from core.compress.retention.ground.evidence import Evidence
from core.compress.retention.staying import StayingText
from core.compress.retention.summary_index import KEPT, LOST, PARAPHRASED, SummaryIndex
from core.compress.retention.unsupported import NOTHING_CLAIMED, check
from core.model.compaction.plan import Span
from core.model.compaction.preview import Fact, FactCount, Retention, Unsupported
from core.model.transcript.message import Message
from core.redact.text import redact_bulk, redact_text

_SENTENCES = frozenset({"asks", "constraints", "decisions", "state", "open"})
_HINTED = 0.9
"""Credit for a lost sentence of which the summary holds some words: this times their share."""

_STRANGE, _KNOWN = 0.7, 0.9
"""Shares of a summary's own names and figures that occur in the messages: up to the first, it belongs to
another conversation; from the second on, to this one."""
_POWER = 3
"""A fact counts with its weight to this power."""

_MOST_COUNTED = 40
"""How many facts a summary can be expected to hold: measured on careful summaries of 250 to 350 words."""

_BULLET = "-*• "
_GONE = re.compile(
    r"\b(?:delet\w+|remov\w+|gone|dropp\w+|unlink\w*|clean\w* up|no longer|temporary|rm)\b"
    r"|删除|刪除|移除|已删|gelöscht|supprim|elimin|удал",
    re.IGNORECASE,
)
_FIXED = re.compile(
    r"\b(?:fix\w*|resolv\w+|solv\w+|pass\w*|works? now|green|succeed\w*|no longer|after)\b"
    r"|修复|修復|解决|解決|通过|behoben|corrig|résolu|исправ",
    re.IGNORECASE,
)


def score(facts: Sequence[Fact], index: SummaryIndex, known_share: float) -> float | None:
    """The share of the heaviest facts' weight that is kept, 0 to 1; None without facts.

    Only as many count as a summary can hold: the hundreds of light facts of a long conversation do not count
    against it. Each counts with the cube of its weight: ten kept names do not make up for a lost request. A
    sentence that is only hinted at counts a little. Everything but whole sentences counts less if the
    summary's own names and figures belong to another conversation, as matches are then accidental.

    Args:
        facts: The facts with their fates.
        index: The summary.
        known_share: Share of the summary's own names and figures that occur in the messages.
    """
    counted = _heaviest(facts)
    total_weight = sum(fact.weight**_POWER for fact in counted)
    trust = min(1.0, max(0.0, (known_share - _STRANGE) / (_KNOWN - _STRANGE)))
    kept_weight = sum(
        fact.weight**_POWER * _credit(fact, index) * (1 if _is_quoted(fact) else trust) for fact in counted
    )
    return kept_weight / total_weight if total_weight else None


def _is_quoted(fact: Fact) -> bool:
    """Whether a summary holds a sentence as it was said, which is no accident."""
    return fact.fate == KEPT and fact.category in _SENTENCES


def _heaviest(facts: Sequence[Fact]) -> Sequence[Fact]:
    """The facts that count, heaviest first."""
    return sorted(facts, key=lambda fact: -fact.weight)[:_MOST_COUNTED]


def _credit(fact: Fact, index: SummaryIndex) -> float:
    if fact.fate != LOST:
        return 1.0
    return _HINTED * index.passages.coverage(roots(fact.value)) if fact.category in _SENTENCES else 0.0


def retention(
    middle: Sequence[Message],
    summary: str,
    *,
    focus: str | None = None,
    previous: str | None = None,
    offset: int = 0,
    around: Sequence[tuple[int, Message]] = (),
    by_rule: bool = False,
    brief: bool = False,
) -> Retention:
    """Compare a summary with the messages it replaced.

    Args:
        middle: The summarised messages, before pruning if that is known. Credentials are no facts: they are
            removed before facts are searched.
        summary: The summary, with or without markers.
        focus: The topic it was asked to keep; its facts are counted separately.
        previous: The previous summary, to report what that one still had.
        offset: Index of the first middle message in the whole list.
        around: Other messages of that time, each with its index, which a summary may mention.
        by_rule: It was written by rule, out of lines and counts of the messages: it claims nothing to check.
        brief: Only the facts with their fates, the share kept, and the claims that are more than suspected.

    Returns:
        A path is kept if its last two parts are, a hash with seven digits, a sentence with its first two
        thirds; a sentence whose content words share one line is paraphrased. What `around` holds stays, too.
    """
    read = views(middle, offset, clean=redact_bulk)
    index = SummaryIndex(summary)
    facts_read = weigh(read, topic_of(focus, read))
    checked = NOTHING_CLAIMED
    if not by_rule:
        known, earlier = (*(one for _, one in around), *middle), (previous,) if previous else ()
        evidence = Evidence(read, known, facts_read, earlier, around=around)
        checked = check(summary, evidence, suspicions=not brief)
    facts = tuple(_facts(facts_read, index, StayingText(around), same_language=checked.same_language))
    kept, left_out = score(facts, index, checked.known_share), len(facts_read.facts) - len(facts)
    claims, counts = _masked(checked.unsupported), _by_category(facts)
    found = Retention(facts, counts, score=kept, unsupported=claims, untranslated=left_out)
    if brief:
        return found
    return replace(
        _by_message(_by_focus(found) if focus else found, len(middle), offset),
        stale=stale(facts_read.ended, index, corrections(read)),
        missing_asks=_missing(pending(read), facts),
        forgotten=_forgotten(redact_text(previous), index) if previous else (),
        noise=dict(facts_read.noise),
    )


def retention_of(
    messages: Sequence[Message],
    cut: Span,
    summary: str,
    *,
    focus: str | None = None,
    previous: str | None = None,
    earlier: Sequence[Message] = (),
    by_rule: bool = False,
    brief: bool = False,
) -> Retention:
    """Compare a summary with the part of a conversation it replaced.

    Args:
        messages: The whole conversation as the compaction found it: head, middle and tail.
        cut: The middle.
        summary: See `retention`.
        focus: See `retention`.
        previous: See `retention`.
        earlier: Messages that earlier compactions removed, which a summary may still mention.
        by_rule: See `retention`.
        brief: See `retention`.
    """
    numbered = list(enumerate(messages))
    around = (*((-1, one) for one in earlier), *numbered[: cut.start], *numbered[cut.end :])
    return retention(
        messages[cut.start : cut.end],
        summary,
        focus=focus,
        previous=previous,
        offset=cut.start,
        around=around,
        by_rule=by_rule,
        brief=brief,
    )


def _facts(
    facts_read: WeighedFacts, index: SummaryIndex, staying: StayingText, *, same_language: bool
) -> Iterator[Fact]:
    """Each fact with its fate; for a summary in another language, without sentences that hold no value."""
    for entry, weight in facts_read.facts:
        fate: str | None = index.fate(entry.category, entry.value, entry.key_words)
        if fate == LOST and staying.holds(entry.value):
            fate = KEPT
        if fate == LOST and not same_language and entry.category in _SENTENCES:
            fate = _fate_of_its_values(entry.value, index)
        if fate is not None:
            yield Fact(entry.category, entry.value, tuple(entry.messages), fate, entry.in_focus, weight)


def _fate_of_its_values(sentence: str, index: SummaryIndex) -> str | None:
    """The fate of the names and figures in a sentence; None without any."""
    within = (*values(sentence, errors=False), *prose_values(sentence))
    are_kept = [index.fate(category, value) != LOST for category, value in within]
    return (PARAPHRASED if 2 * sum(are_kept) >= len(are_kept) else LOST) if are_kept else None


def _masked(claims: Sequence[Unsupported]) -> tuple[Unsupported, ...]:
    clean = iter(redact_bulk([text for one in claims for text in (one.value, one.where, one.nearest)]))
    return tuple(
        replace(one, value=value, where=where, nearest=nearest)
        for one, (value, where, nearest) in zip(claims, zip(clean, clean, clean, strict=True), strict=True)
    )


def _by_focus(found: Retention) -> Retention:
    focus = _count(fact for fact in found.facts if fact.in_focus)
    return replace(found, focus=focus, rest=_count(fact for fact in found.facts if not fact.in_focus))


def _by_category(facts: Sequence[Fact]) -> dict[str, FactCount]:
    counts = {
        category: _count(fact for fact in facts if fact.category == category) for category in CATEGORIES
    }
    return {category: count for category, count in counts.items() if count.of}


def _count(facts: Iterable[Fact]) -> FactCount:
    fates = Counter(fact.fate for fact in facts)
    return FactCount(fates[KEPT], fates[PARAPHRASED], fates[LOST])


def _by_message(found: Retention, size: int, offset: int) -> Retention:
    """With the share of each message's facts that was lost, and how much that counts in the score."""
    weights = _weights(found.facts, size, offset)
    scored = _weights(_heaviest(found.facts), size, offset, _POWER)
    most = max((held for _, held in scored), default=0.0)
    shares = tuple(gone / held if held else None for gone, held in weights)
    losses = (gone / most if held else None for (gone, _), (_, held) in zip(scored, weights, strict=True))
    return replace(found, lost_by_message=shares, losses=tuple(losses))


def _weights(facts: Sequence[Fact], size: int, offset: int, power: int = 1) -> list[tuple[float, float]]:
    """For each message the weight of its lost facts and of all its facts, to a power."""
    held, lost = [0.0] * size, [0.0] * size
    for fact in facts:
        for message in fact.messages:
            held[message - offset] += fact.weight**power
            lost[message - offset] += fact.weight**power * (fact.fate == LOST)
    return list(zip(lost, held, strict=True))


def _missing(asks: Sequence[View], facts: Sequence[Fact]) -> tuple[str, ...]:
    waiting = {ask.index for ask in asks}
    return tuple(
        fact.value
        for fact in facts
        if fact.category == "asks" and fact.fate == LOST and waiting.intersection(fact.messages)
    )


def _forgotten(previous: str, index: SummaryIndex) -> tuple[str, ...]:
    told = without_handoff(previous)
    facts = [*values(told), *(("constraints", sentence) for sentence in constraints(told))]
    lost = (value for category, value in facts if index.fate(category, value) == LOST)
    return tuple(dict.fromkeys(lost))


def stale(ended: Sequence[Outcome], index: SummaryIndex, changed: Sequence[Correction]) -> tuple[str, ...]:
    """Deleted files, fixed errors and corrected figures that the summary still states, a sentence each."""
    return (*_deleted_files(ended, index), *_fixed_errors(ended, index), *_corrected(index, changed))


def _corrected(index: SummaryIndex, changed: Sequence[Correction]) -> list[str]:
    """Lines that state what a person corrected, without the new figure."""
    corrections = ((line, correction_of(line, -1, changed)) for line in index.raw_lines if changed)
    return [
        f"{line.strip(_BULLET)}: corrected in message {one.at}: {one.text}"
        for line, one in corrections
        if one is not None and not one.is_stated_in(line)
    ]


def _deleted_files(ended: Sequence[Outcome], index: SummaryIndex) -> list[str]:
    found = []
    for story in stories_of(ended).values():
        if story.is_gone:
            name = story.path.rsplit("/", 1)[-1] if index.fate("paths", story.path) != LOST else ""
            lines = index.lines_with(name) if name else []
            if lines and not any(map(_GONE.search, lines)):
                made = f"made in message {story.first}, " if story.made else ""
                found.append(f"{story.path}: {made}deleted in message {story.last}")
    return found


def _fixed_errors(ended: Sequence[Outcome], index: SummaryIndex) -> list[str]:
    found: dict[str, str] = {}
    for outcome in ended:
        if outcome.error and outcome.fixed_at is not None and index.fate("errors", outcome.error) != LOST:
            lines = index.lines_with(outcome.error[:60])
            if lines and not any(map(_FIXED.search, lines)):
                where = f"failed in message {outcome.result}, passed in message {outcome.fixed_at}"
                found.setdefault(outcome.error, f"{outcome.error}: {where}")
    return list(found.values())
