"""The facts of a whole middle: which messages hold each, in any form, and whether the focus covers it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache, partial
from typing import TypeAlias

from core.compress.facts.history import acts_as_told, is_acting
from core.compress.facts.lexicon import day_of, lexicon
from core.compress.facts.readable import Call, View, one_line
from core.compress.facts.said import REMEMBERED, own_words, sentences
from core.compress.facts.topic import Topic
from core.compress.facts.values import MAX_VALUES_PER_TEXT, FactValue, emphasised, prose_values, values

_SHORT = 1500
"""A message up to this many characters is about one thing; longer ones are judged line by line."""

_MAX_CONSTRAINTS = 12
ASK_LENGTH = 300
"""Characters of a request that is told as a fact; what a longer one says after them are further facts."""

USER, ASSISTANT, ANSWER, CALLED, ACTED, RESULT, DOCUMENT, MADE = 1, 2, 4, 8, 16, 32, 64, 128
"""Who says a fact, as bits, in this order: a person; an assistant; an assistant without a tool call; the
arguments of a call that only looks; the arguments of a call that changes something; a tool result; a document
somebody handed over; the short result of a call that changes something, which tells what it made.
"""

WRITTEN = "written"
"""The category of what changing calls name or set, of which programs hold much."""

_BRIEF = 600
"""The most characters of a result that tells what a call made."""

MAX_REQUEST_CHARS = 1500
"""A request longer than this is a document: a plan, an issue, a template with its rules."""
_MOST_PATHS = 12
"""A call with more paths than this writes a listing or code: only the file it is about matters."""

COMMITTED = re.compile(r"^\[[^\]\n]{1,60} ([0-9a-f]{7,12})\]", re.MULTILINE)
"""How git answers a commit."""

_MADE_ID = re.compile(r"(?<![\w-])(?:id|ID)\\?\"?: \\?\"?(?=[\w-]{0,40}\d)([\w-]{6,64})(?![\w/-])")
"""The id of what a call made, in its JSON answer."""

_INTO_FILE = re.compile(r"(?<![=<-])>>? ?[\w./~$\"']|<<")
"""A command that writes a file, unlike a script that is gone when it ended."""

_DEFINED = re.compile(
    r"\b(?:def|class|function|const|fn|func|interface|type|struct|enum) "
    r"([A-Za-z_]\w{5,})(?= ?[(:={<]| extends)"
)
"""What code defines, with a name that is no common short word."""

_CODE_NAME = re.compile(
    r"(?<![\w/.$-])(?:_?[A-Za-z][A-Za-z0-9]{1,20}(?:_[A-Za-z0-9]{1,20}){1,5}"
    r"|[a-z][a-z0-9]{1,20}(?:[A-Z][a-z0-9]{1,20}){1,5})(?![\w/-])"
)
"""What programs call something, in snake or camel case."""

_SETTING = re.compile(r"(?<![\w.-])[A-Za-z][\w.-]{2,40} ?[=:] ?\d[\d_.]{1,20}(?![\w.])")
"""A figure with what it sets: `timeout = 600`."""

_SCHEDULE = re.compile(
    r"(?<![\w*/.,-])(?:(?:\*(?:/\d{1,2})?|\d[\d,/-]{0,20}) ){4}(?:\*|\d[\d,-]{0,12}|[A-Z]{3}(?:-[A-Z]{3})?)"
    r"(?![\w*/.,-])|\bevery \d{1,4} ?[mhd]\b"
)
"""When a job runs, as cron is told."""

_FIGURE = re.compile(r"[$€£¥]?(\d[\d,]*(?:\.\d+)?)")


@dataclass(slots=True)
class Found:
    """One fact of a middle.

    Attributes:
        speakers: The bits of everyone who says it.
        mention_count: How many messages say it, without tool output.
        key_words: For a long text the roots of the words that identify it; empty when all words do.
    """

    category: str
    value: str
    messages: list[int] = field(default_factory=list)
    in_focus: bool = False
    speakers: int = 0
    key_words: tuple[str, ...] = ()
    mention_count: int = 0


Facts: TypeAlias = Callable[[str], list[FactValue]]
"""A function that finds the facts of a text."""


def collect(views: Sequence[View], topic: Topic | None = None, *, prose: bool = False) -> list[Found]:
    """Every fact of a middle, in order of first appearance.

    Args:
        views: The middle, as read.
        topic: If given, facts in a line, message or call about it are marked.
        prose: Also take the names, dates and plain figures of prose.
    """
    found: dict[FactValue, Found] = {}
    # Agents read and say the same things repeatedly: each text is searched once.
    anchors = cache(partial(values, errors=False))
    values_of = cache(lambda text: list(prose_values(text))) if prose else None
    for view in views:
        on_topic = topic is not None and about(view, topic)
        mentions: dict[int, bool] = {}
        for fact, context, speakers in _of(view, anchors, values_of):
            entry = found.get(fact)
            if entry is None:
                found[fact] = entry = Found(fact.category, fact.value)
            entry.speakers |= speakers
            if not entry.messages or entry.messages[-1] != view.index:
                entry.messages.append(view.index)
                entry.mention_count += not speakers & RESULT
            if topic is None or entry.in_focus:
                continue
            if id(context) not in mentions:
                mentions[id(context)] = topic.share(context) > 0
            entry.in_focus = on_topic or (mentions[id(context)] and covered(fact.value, context, topic))
    return list(found.values())


def about(view: View, topic: Topic) -> bool:
    """Whether a message as a whole is about a topic; an earlier summary never is."""
    if view.answers is not None and topic.covers(view.answers.target):
        return True
    if view.calls and any(topic.covers(call.target) for call in view.calls):
        return True
    return not view.earlier and len(view.text) <= _SHORT and topic.covers(view.text)


def covered(value: str, context: str, topic: Topic) -> bool:
    """Whether a fact, or the line it is in, is about a topic."""
    if topic.covers(value):
        return True
    at = context.find(value)
    if at < 0:
        return False
    start, end = context.rfind("\n", 0, at) + 1, context.find("\n", at + len(value))
    return topic.covers(context[start : end if end >= 0 else len(context)])


def topic_of(focus: str | None, views: Iterable[View]) -> Topic | None:
    """A focus weighed against a middle; None without one, and if nothing mentions it: it favours nothing."""
    if focus is None or not focus.strip():
        return None
    texts = (f"{view.text}\n{' '.join(call.target for call in view.calls)}" for view in views)
    topic = Topic.of(focus, texts)
    return topic if topic.weights else None


@lru_cache(maxsize=REMEMBERED)
def constraints(text: str) -> tuple[str, ...]:
    """The sentences that say what must or must not be done."""
    pattern = lexicon().constraint
    rules = (line for line in sentences(text) if 6 <= len(line) <= 400 and pattern.search(line))
    kept = (line.strip("-*• ") for line in rules if not lexicon().no_rule.search(line))
    return tuple(dict.fromkeys(kept))[:_MAX_CONSTRAINTS]


def _of(view: View, anchors: Facts, prose: Facts | None) -> Iterator[tuple[FactValue, str, int]]:
    """The facts of a message, each with the text it is in and who says it."""
    speaker = _speaker(view)
    own = own_words(view.text) if speaker == USER else view.text
    for fact in anchors(view.text):
        yield fact, view.text, speaker if own is view.text or fact.value in own else DOCUMENT
    if prose is not None and not speaker & RESULT:
        for fact in prose(view.text):
            yield fact, view.text, speaker
        for name in emphasised(view.text) if view.role == "assistant" else ():
            yield FactValue("names", name), view.text, speaker
        for schedule in _SCHEDULE.findall(view.text):
            yield FactValue("ids", schedule), view.text, speaker
    if speaker & RESULT and view.answers is not None and is_acting(view.answers):
        for made in COMMITTED.findall(view.text):
            yield FactValue("hashes", made), view.text, RESULT | MADE
        for made in _MADE_ID.findall(view.text) if speaker & MADE else ():
            yield FactValue("ids", made), view.text, speaker
    for line in view.errors[:MAX_VALUES_PER_TEXT]:
        yield FactValue("errors", line), view.text, speaker
    for call in view.calls:
        for fact, asked_by in _called(call, anchors, names=prose is not None):
            yield fact, call.strings, asked_by
    if view.request:
        yield FactValue("asks", one_line(view.text, ASK_LENGTH)), view.text, speaker
        for sentence in constraints(own_words(view.text)):
            yield FactValue("constraints", sentence), view.text, speaker


def _called(call: Call, anchors: Facts, *, names: bool) -> Iterator[tuple[FactValue, int]]:
    """The facts in the arguments of a call and whether it looks or acts; names and settings if wanted."""
    asked_by = ACTED if is_acting(call) or acts_as_told(call) else CALLED
    found = anchors(call.strings)
    listing = sum(fact.category == "paths" for fact in found) > _MOST_PATHS
    for fact in found:
        listed = listing and fact.category in ("paths", "urls") and fact.value != call.path
        yield fact, RESULT if listed else asked_by
    acting = names and asked_by == ACTED
    if acting and (not call.command or _INTO_FILE.search(call.command)):
        yield from ((FactValue("names", name), ACTED) for name in _DEFINED.findall(call.strings))
    if call.command:
        yield FactValue("commands", call.command), asked_by
    if acting:
        yield from ((fact, ACTED) for fact in _written(call.strings))


def _written(text: str) -> Iterator[FactValue]:
    """What the arguments of a changing call name, set or schedule."""
    for pattern in (_CODE_NAME, _SETTING):
        yield from (FactValue(WRITTEN, name) for name in dict.fromkeys(pattern.findall(text)))
    yield from (FactValue("ids", schedule) for schedule in dict.fromkeys(_SCHEDULE.findall(text)))


def _speaker(view: View) -> int:
    if view.role == "assistant":
        return ASSISTANT if view.calls else ASSISTANT | ANSWER
    if view.answers is not None and is_acting(view.answers) and len(view.text) <= _BRIEF:
        return RESULT | MADE
    if not view.request:
        is_users = view.role == "user" and not lexicon().injected.match(view.text)
        return DOCUMENT | ASSISTANT if is_users else RESULT
    return USER if len(view.text) <= MAX_REQUEST_CHARS else DOCUMENT


def merged(found: Iterable[Found]) -> list[Found]:
    """The values, with several forms of one thing merged under its most informative form."""
    values = list(found)
    paths = _owners([entry.value for entry in values if entry.category == "paths"], values)
    groups: dict[Hashable, list[Found]] = defaultdict(list)
    for entry in values:
        groups[_identity(entry, paths)].append(entry)
    return [group[0] if len(group) == 1 else _one(group) for group in groups.values()]


def endings(path: str) -> list[str]:
    """A path and its endings as leading folders are removed, longest first."""
    clean = path.replace("\\", "/").split("://", 1)[-1].lstrip("~./").rstrip("/")
    parts = [part for part in clean.split("/") if part]
    return ["/".join(parts[start:]) for start in range(len(parts))]


def _identity(entry: Found, paths: dict[str, str]) -> Hashable:
    if entry.category == "paths":
        return "paths", paths.get(entry.value, entry.value)
    if entry.category == "dates":
        return "dates", day_of(entry.value) or entry.value
    if entry.category == "numbers":
        figure = _FIGURE.fullmatch(entry.value)
        if figure is not None:
            return "numbers", float(figure[1].replace(",", ""))
    return entry.category, entry.value.lower()


def _owners(paths: Sequence[str], values: Sequence[Found]) -> dict[str, str]:
    """For each path the longest one it is an ending of; of several, the one used most."""
    rank = {entry.value: _rank(entry) for entry in values if entry.category == "paths"}
    by_ending: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        for ending in endings(path)[1:]:
            by_ending[ending].append(path)
    owners: dict[str, str] = {}
    for path in sorted(paths, key=len, reverse=True):
        own = endings(path)
        longer = by_ending.get(own[0], ()) if own and not path.startswith(("/", "~")) else ()
        if longer:
            best = max(longer, key=lambda one: (rank[one], len(one)))
            owners[path] = owners.get(best, best)
    return owners


def _rank(entry: Found) -> tuple[bool, bool, int]:
    return bool(entry.speakers & ACTED), bool(entry.speakers & (ASSISTANT | USER)), len(entry.messages)


def _one(group: Sequence[Found]) -> Found:
    best = max(group, key=lambda entry: (entry.category == "paths" and len(entry.value), _rank(entry)))
    speakers = 0
    for entry in group:
        speakers |= entry.speakers
    return Found(
        best.category,
        best.value,
        sorted({at for entry in group for at in entry.messages}),
        any(entry.in_focus for entry in group),
        speakers,
        mention_count=sum(entry.mention_count for entry in group),
    )
