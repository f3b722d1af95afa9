"""Weighed facts that are sentences: requests, rules, decisions, results, errors."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import TypeAlias

from core.compress.facts.collect import (
    ACTED,
    ANSWER,
    ASK_LENGTH,
    ASSISTANT,
    DOCUMENT,
    MAX_REQUEST_CHARS,
    RESULT,
    USER,
    Found,
    about,
    constraints,
)
from core.compress.facts.corrections import correction_of, corrections
from core.compress.facts.history import Outcome, answers_of, is_acting, pending, says_nothing
from core.compress.facts.lexicon import lexicon
from core.compress.facts.readable import View, one_line
from core.compress.facts.said import REMEMBERED, own_words, sentences
from core.compress.facts.topic import Topic, roots
from core.compress.facts.values import without_code

_LINE = 240
_TAKEN_UP = 12
"""How many words identify a long request: those mentioned most in what follows."""

_FEW_WORDS = 2
_MAX_DECISIONS, _MAX_STATES, _MAX_ERRORS = 10, 8, 8
_RECENT = 0.75

_NEWEST_ASK, _FIRST_ASK, _OPEN_ASK, _ASK, _NOD = 1.0, 0.95, 1.0, 0.75, 0.15
_FEW_ASKS, _OF_MANY, _LEAST_OF_MANY = 4, 0.05, 0.4
"""How many answered requests keep their weight, the newest; what each before them loses; the least left."""

_PART, _DOCUMENT_PART, _MAX_DOCUMENT_PARTS = 0.6, 0.3, 24
"""What a long request, or a document, weighs after its beginning; the most parts of a document that count."""

_OPENING = 40
_RULE, _RULE_OF_DOCUMENT, _RULE_CHANGED = 0.9, 0.15, 0.15
_FEW_RULES, _OF_RULES, _LEAST_RULE = 3, 0.1, 0.5
"""How many rules of one request keep their weight; the share each further one loses; the least left."""

_DECISION, _DECISION_IN_ANSWER, _CHOICE = 0.35, 0.5, 0.7
_LAST_RESULT, _RESULT_BEFORE = 0.65, 0.4
_LEFT = 0.6
_TOLD, _MAX_TOLD, _TELLING_WORDS = 0.3, 24, 3
"""What an answer says besides; how much of that counts, the newest; the fewest words of it beside names."""

_NAMES = re.compile(r"`[^`]*`|\S*[/_=]\S*|\w+\.\w\S*")
_ERROR_STANDS, _ERROR_FIXED = 0.4, 0.15
_OUTCOME = 0.3
_SHORT_OUTCOME, _FEW_LINES = 80, 3
"""Characters in the first line, and lines, of a result that states the outcome of a command at once."""

_MAX_OUTCOMES = 4

_END = 3000
_TALLY = re.compile(r"\b\d+ (?:failed|failing|passed|passing|errors?)\b(?:(?:,| and) \d+ [a-z]+)*")
"""The outcome of tests, which stands near the end of what they print."""

_NO_OUTPUT = re.compile(r"\(.{0,40}\bno output\)", re.IGNORECASE)
"""What a shell's tool says of a command that printed nothing."""

_VARYING = re.compile(r"^Output:\s|\d+")
"""What differs when one error comes again: times, process numbers."""

_Told: TypeAlias = tuple[str, str, int, int, float]
"""Category, text, index of the view, who says it, weight."""


def sentence_facts(
    views: Sequence[View], topic: Topic | None, ended: Sequence[Outcome]
) -> Iterator[tuple[Found, float]]:
    """Every sentence worth keeping with its weight, each once.

    Args:
        views: The middle, as read.
        topic: If given, sentences about it are marked.
        ended: Its calls and how each ended.
    """
    seen: set[tuple[str, str]] = set()
    for category, text, at, speakers, weight in _all(views, ended):
        key = (category, " ".join(text.lower().split()))
        if key in seen or not text:
            continue
        seen.add(key)
        view = views[at]
        in_focus = topic is not None and (topic.covers(text) or about(view, topic))
        long = category == "asks" and len(view.text) > ASK_LENGTH and view.text.startswith(text[:_OPENING])
        key_words = _taken_up(views, at) if long else ()
        yield Found(category, text, [view.index], in_focus, speakers, key_words), weight


def _taken_up(views: Sequence[View], at: int) -> tuple[str, ...]:
    """The words of a long request that the following messages mention most; empty if they hardly do."""
    asked = frozenset(roots(without_code(views[at].text)))
    later = Counter(word for view in views[at + 1 :] if view.role == "assistant" for word in roots(view.text))
    common = [word for word, _ in later.most_common() if word in asked]
    return tuple(common[:_TAKEN_UP]) if len(common) >= _TAKEN_UP // 2 else ()


def _all(views: Sequence[View], ended: Sequence[Outcome]) -> Iterator[_Told]:
    yield from _requests(views)
    yield from _chosen(views)
    yield from _settled(views)
    yield from _troubles(views, ended)


def _requests(views: Sequence[View]) -> Iterator[_Told]:
    asked = [at for at, view in enumerate(views) if view.request and _says_something(view.text)]
    waiting = {view.index for view in pending(views)}
    changed = corrections(views)
    for at, view in enumerate(views):
        if not view.request or not roots(view.text[:ASK_LENGTH]):
            continue
        weight = _OPEN_ASK if at in asked and view.index in waiting else _answered(at, asked)
        document = len(view.text) > MAX_REQUEST_CHARS
        speakers, rule = (DOCUMENT, _RULE_OF_DOCUMENT) if document else (USER, _RULE)
        yield "asks", one_line(view.text, ASK_LENGTH), at, speakers, weight
        most = _MAX_DOCUMENT_PARTS if document else None
        for part in islice(_later_parts(own_words(view.text)), most):
            yield "asks", part, at, speakers, min(weight, _DOCUMENT_PART if document else _PART)
        for place, sentence in enumerate(constraints(own_words(view.text))):
            valid = correction_of(sentence, view.index, changed) is None
            crowd = max(_LEAST_RULE, 1 - _OF_RULES * max(0, place + 1 - _FEW_RULES))
            yield "constraints", sentence, at, speakers, rule * crowd if valid else _RULE_CHANGED


def _answered(at: int, asked: Sequence[int]) -> float:
    """The weight of an answered request: of many, a summary names the newest and what the work is about."""
    if at not in asked:
        return _NOD
    if at in (asked[0], asked[-1]):
        return _NEWEST_ASK if at == asked[-1] else _FIRST_ASK
    before = len(asked) - 1 - asked.index(at) - _FEW_ASKS
    return max(_LEAST_OF_MANY, _ASK - _OF_MANY * max(0, before))


def _later_parts(request: str) -> Iterator[str]:
    """What a long request says after its beginning, a few sentences at a time."""
    part, read = "", 0
    for sentence in sentences(request):
        read += len(sentence) + 1
        if read <= ASK_LENGTH:
            continue
        if part and len(part) + len(sentence) > _LINE:
            yield part
            part = ""
        part = one_line(f"{part} {sentence}", _LINE)
    if part:
        yield part


def _chosen(views: Sequence[View]) -> Iterator[_Told]:
    """What people answered when a tool asked them."""
    for at, view in enumerate(views):
        for answer in answers_of(view):
            yield "decisions", one_line(answer, _LINE), at, USER, _CHOICE


def _says_something(text: str) -> bool:
    """Whether a request is more than thanks or a nod."""
    return len(roots(lexicon().courtesy.sub(" ", text[:ASK_LENGTH]))) > _FEW_WORDS


def _settled(views: Sequence[View]) -> Iterator[_Told]:
    """The newest decisions and results of assistants, and what they left open at the end.

    Read from the end, as a long conversation has many more of them than are shown.
    """
    by_kind: dict[str, list[_Told]] = {"open": [], "decisions": [], "state": [], "told": []}
    answers = (
        at for at in range(len(views) - 1, -1, -1) if views[at].role == "assistant" and not views[at].calls
    )
    last, late = next(answers, -1), len(views) * _RECENT
    for at in range(len(views) - 1, -1, -1):
        if at < late and len(by_kind["decisions"]) >= _MAX_DECISIONS and len(by_kind["state"]) >= _MAX_STATES:
            break
        if views[at].role == "assistant" and views[at].text.strip():
            for one in reversed(list(_sentence_outcomes(views[at], at, is_last=at == last, late=at >= late))):
                by_kind[one[0]].append(one)
    yield from reversed(by_kind["open"])
    yield from reversed(by_kind["decisions"][:_MAX_DECISIONS])
    yield from reversed(by_kind["state"][:_MAX_STATES])
    for _, sentence, at, speakers, weight in reversed(by_kind["told"][:_MAX_TOLD]):
        yield "state", sentence, at, speakers, weight


def _sentence_outcomes(view: View, at: int, *, is_last: bool, late: bool) -> Iterator[_Told]:
    """What the sentences of one message decide, report, leave open, or tell if it is an answer."""
    closing = not view.calls
    for category, sentence in _classified_sentences(view.text):
        if category == "decisions":
            yield category, sentence, at, ASSISTANT, _DECISION_IN_ANSWER if closing else _DECISION
        elif category == "state" and closing:
            weight = _LAST_RESULT if is_last else _RESULT_BEFORE
            yield category, sentence, at, ASSISTANT | ANSWER, weight
        elif category == "told" and closing:
            yield category, sentence, at, ASSISTANT | ANSWER, _TOLD
        elif category == "open" and closing and late:
            yield category, sentence, at, ASSISTANT, _LEFT


@lru_cache(maxsize=REMEMBERED)
def _classified_sentences(text: str) -> tuple[tuple[str, str], ...]:
    """The sentences of a text that decide, report or leave something open, or tell something else."""
    words = lexicon()
    kinds = (("decisions", words.decision), ("state", words.achieved), ("open", words.remaining))
    found = []
    for sentence in sentences(without_code(text))[:40]:
        heading_or_question = sentence.startswith("#") or sentence.endswith((":", "：", "?", "？"))
        if heading_or_question or words.intent.search(sentence):
            continue
        if words.offered.search(sentence) or words.handoff.match(sentence):
            continue
        kind = next((name for name, pattern in kinds if pattern.search(sentence)), "told")
        if _tells(sentence, besides=kind == "told"):
            found.append((kind, one_line(sentence, _LINE)))
    return tuple(found)


def _tells(sentence: str, *, besides: bool) -> bool:
    """Whether a sentence has words of its own; what is told besides, more than names of things."""
    if besides:
        return len(roots(_NAMES.sub(" ", sentence))) >= _TELLING_WORDS
    return len(roots(sentence)) > 1


def _troubles(views: Sequence[View], calls: Sequence[Outcome]) -> Iterator[_Told]:
    """The newest failures of calls, and short results that state the outcome of a command."""
    places = {view.index: at for at, view in enumerate(views)}
    ended = [(call, places[call.result]) for call in calls if call.result is not None]
    failed = [(one, at) for one, at in ended if one.error and not says_nothing(one.error)]
    distinct = {_VARYING.sub("", one.error or ""): (one, at) for one, at in failed}
    for one, at in list(distinct.values())[-_MAX_ERRORS:]:
        weight = _ERROR_STANDS if one.fixed_at is None else _ERROR_FIXED
        yield "errors", one_line(one.error or "", _LINE), at, RESULT | ACTED, weight
    for one, at in [(one, at) for one, at in ended if _is_outcome(one)][-_MAX_OUTCOMES:]:
        yield "state", _first_line(one.text), at, RESULT | ACTED, _OUTCOME
    tallies = ((_TALLY.findall(one.text[-_END:]), at) for one, at in reversed(ended) if one.call.command)
    newest = next(((tally[-1], at) for tally, at in tallies if tally), None)
    if newest:
        yield "state", newest[0], newest[1], RESULT | ACTED, _LEFT


def _is_outcome(one: Outcome) -> bool:
    if one.error or one.text.strip().count("\n") >= _FEW_LINES:
        return False
    line = _first_line(one.text)
    if _NO_OUTPUT.fullmatch(line):
        return False
    return 2 < len(line) <= _SHORT_OUTCOME and any(map(str.isalnum, line)) and is_acting(one.call)


def _first_line(text: str) -> str:
    return text.strip().split("\n", 1)[0].strip()
