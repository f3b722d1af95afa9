"""The facts of a middle as single lines for the sections of a summary."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from core.compress.facts.collect import about, constraints
from core.compress.facts.corrections import corrections, with_correction
from core.compress.facts.history import FileStory, Outcome, effect_of, outcomes, pending, stories_of
from core.compress.facts.lexicon import lexicon
from core.compress.facts.readable import View, one_line, request_words
from core.compress.facts.said import REMEMBERED, sentences
from core.compress.facts.topic import Topic

_TASK, _BRIEF, _ASK, _LINE, _LOG = 1200, 300, 400, 220, 120
_RECENT = 0.75
_MARKUP = re.compile(r"^[ \t]{0,3}(?:#{1,6}[ \t]+|[-*_]{3,}[ \t]*$)|```.*?```", re.MULTILINE | re.DOTALL)
"""Heading marks, horizontal rules and code blocks, which mean nothing within a line."""

_NUMBER = re.compile(r"\d+")
_SERIES = 4
"""Calls that differ only in a number are listed one by one up to this many."""


@dataclass(frozen=True, slots=True)
class FactLine:
    """One line for one section.

    Attributes:
        kind: A purpose of `sections`.
        at: Index of the message it comes from; -1 for the previous summary.
        weight: Its importance relative to others of its kind, around 1.
        in_focus: Whether the focus covers it.
        fixed: Whether it is kept regardless of the budget.
    """

    kind: str
    text: str
    at: int
    weight: float = 1.0
    in_focus: bool = False
    fixed: bool = False


def facts_of(
    views: Sequence[View],
    topic: Topic | None,
    asked_before: str = "",
    ended: Sequence[Outcome] | None = None,
    log: bool = True,
) -> list[FactLine]:
    """All facts of a middle, in order within each kind, without those undone later.

    `asked_before` is the request these messages begin to work on, if it came before them.
    """
    if not views:
        return []
    calls = outcomes(views) if ended is None else ended
    stories = stories_of(calls)
    focused = {view.index for view in views if topic is not None and about(view, topic)}
    found = [
        *_requests(views, asked_before),
        *_actions(calls, stories, focused),
        *_troubles(calls, views),
        *_files(stories),
        *_assistant_lines(views),
        *_state(calls, views),
        *(_log(views) if log else ()),
    ]
    if topic is None:
        return found
    return [_focus(fact, fact.at in focused or topic.covers(fact.text)) for fact in found]


def _focus(fact: FactLine, in_focus: bool) -> FactLine:
    """Mark a fact; outside the focus only the task stays fixed, and in brief."""
    brief = fact.kind == "task" and not in_focus
    text = one_line(fact.text, _BRIEF) if brief else fact.text
    return FactLine(fact.kind, text, fact.at, fact.weight, in_focus, fact.fixed and (in_focus or brief))


def _requests(views: Sequence[View], asked_before: str) -> Iterator[FactLine]:
    requests = [view for view in views if view.request]
    before = request_words(asked_before)
    if before:
        text = f"{one_line(before, _ASK)} (asked before this)"
        yield FactLine("goal", text, views[0].index, fixed=True)
    if not requests:
        return
    first, last = None if before else requests[0], requests[-1]
    yield FactLine("task", f"User asked: {one_line(last.text, _TASK)}", last.index, fixed=True)
    if first is not None:
        yield FactLine("goal", one_line(first.text, _ASK), first.index, fixed=first is not last)
    for view in pending(views):
        yield FactLine("pending", one_line(view.text, _ASK), view.index, fixed=view is last)
    changed = corrections(views)
    for view in requests:
        for sentence in constraints(view.text):
            yield FactLine("constraints", with_correction(sentence, view.index, changed), view.index)
        if view not in (first, last):
            yield FactLine("actions", f"User: {one_line(view.text, _ASK)}", view.index, 1.6)


def _actions(
    calls: Sequence[Outcome], stories: dict[str, FileStory], focused: Container[int]
) -> Iterator[FactLine]:
    """The calls made: repeats and superseded failures as the last time, a numbered series as one."""
    keys = [(outcome.call.name, outcome.call.target) for outcome in calls]
    times, last = Counter(keys), {key: at for at, key in enumerate(keys)}
    vanished = {path for path, story in stories.items() if story.vanished}
    newest = (calls[at] for at in sorted(last.values()))
    actions = [one for one in newest if one.call.path not in vanished and one.fixed_at is None]
    series: dict[tuple[str, str], list[Outcome]] = {}
    shapes = [None if action.error or action.at in focused else _shape(action) for action in actions]
    for outcome, shape in zip(actions, shapes, strict=True):
        if shape is not None:
            series.setdefault(shape, []).append(outcome)
    for outcome, shape in zip(actions, shapes, strict=True):
        alike = [] if shape is None else series[shape]
        folded = len(alike) >= _SERIES
        if folded and outcome is not alike[-1]:
            continue
        text = _series(alike) if folded else _action(outcome, times[outcome.call.name, outcome.call.target])
        reads = effect_of(outcome.call.name) == "read" and not outcome.call.command
        yield FactLine("actions", text, outcome.at, 0.6 if reads else 1.2)


def _shape(outcome: Outcome) -> tuple[str, str]:
    """What calls of a series share: the tool and the target without its numbers."""
    return outcome.call.name, _NUMBER.sub("#", outcome.call.target)


def _series(alike: Sequence[Outcome]) -> str:
    first, last = alike[0].call, alike[-1].call
    ends = f"{one_line(first.target, 100)} to {one_line(last.target, 100)}"
    return f"{last.name or 'tool'} {ends} ({len(alike)} calls alike) -> last: {_ending(alike[-1])}"


def _action(outcome: Outcome, times: int) -> str:
    target = f" {one_line(outcome.call.target, 140)}" if outcome.call.target else ""
    repeated = f" (x{times})" if times > 1 else ""
    return f"{outcome.call.name or 'tool'}{target}{repeated} -> {_ending(outcome)}"


def _ending(outcome: Outcome) -> str:
    if outcome.error:
        return f"failed: {one_line(outcome.error, 160)}"
    if outcome.result is None:
        return "no result yet"
    lines = [line for line in outcome.text.splitlines() if line.strip()]
    if len(lines) == 1 and outcome.call.path and outcome.call.path in lines[0]:
        return "done"  # "The file X has been updated" only repeats the name
    words = lexicon()
    passed = (line for line in reversed(lines) if words.passed.search(line))
    result_line = next((line for line in passed if not words.harmless.search(line)), None)
    if result_line or len(lines) <= 2:
        return one_line(result_line or "; ".join(lines), 120).strip("=-*# ") or "done"
    return f"{len(lines)} lines"


def _troubles(calls: Sequence[Outcome], views: Sequence[View]) -> Iterator[FactLine]:
    """Errors and their outcome; one that persists is told once, for the last call that met it."""
    recent = _recent(views)
    standing = {outcome.error: outcome for outcome in calls if outcome.error and outcome.fixed_at is None}
    for outcome in calls:
        if not outcome.error:
            continue
        call = one_line(f"{outcome.call.name} {outcome.call.target}", 100)
        text = f"{one_line(outcome.error, _LINE)} ({call})"
        if outcome.fixed_at is not None:
            yield FactLine("errors", f"{text} -> fixed: the same call passed later", outcome.at, 0.5)
        elif standing[outcome.error] is outcome:
            yield FactLine("errors", text, outcome.at)
            if outcome.at >= recent:
                yield FactLine("blocked", text, outcome.at)


def _recent(views: Sequence[View]) -> float:
    """Where the last quarter of a middle begins: what failed or was left open after that still matters."""
    return views[0].index + len(views) * _RECENT


def _files(stories: dict[str, FileStory]) -> Iterator[FactLine]:
    for story in stories.values():
        if story.vanished:
            continue
        done = ", ".join(dict.fromkeys(story.effects))
        changed = any(effect != "read" for effect in story.effects)
        yield FactLine("files", f"{story.path} ({done})", story.last, 1.4 if changed else 0.8)


def _assistant_lines(views: Sequence[View]) -> Iterator[FactLine]:
    """What assistants decided, answered, left open, and said without calling a tool."""
    recent = _recent(views)
    asked: View | None = None
    for view in views:
        if view.request:
            asked = view
        answer = one_line(_prose(view), _LINE) if view.role == "assistant" else ""
        if not answer:
            continue
        yield from _settled(view, open_ends=view.index >= recent and not view.calls)
        if not view.calls:
            yield FactLine("actions", f"Assistant: {answer}", view.index, 0.9)
            if asked is not None and asked.text.rstrip().endswith(("?", "？")):
                yield FactLine("questions", f"{one_line(asked.text, 160)} -> {answer}", view.index)
            asked = None


def _prose(view: View) -> str:
    return _MARKUP.sub("", view.text)


def _settled(view: View, *, open_ends: bool) -> Iterator[FactLine]:
    """The decisions of a message and, if they can still be open, the tasks it says are left.

    A task that a message announces and then calls is done by that call; an old one is done or given up.
    """
    for kind, sentence in _decisions_and_plans(_prose(view)):
        if kind == "decisions" or open_ends:
            yield FactLine(kind, sentence, view.index, 1.0 if kind == "decisions" else 0.8)


@lru_cache(maxsize=REMEMBERED)
def _decisions_and_plans(text: str) -> tuple[tuple[str, str], ...]:
    """The sentences of a text that state a decision or a remaining task."""
    words, found = lexicon(), []
    for sentence in sentences(text)[:40]:
        if sentence.endswith((":", "：")) or words.intent.search(sentence):
            continue  # it only announces what follows
        if words.decision.search(sentence):
            found.append(("decisions", one_line(sentence, _LINE)))
        elif words.remaining.search(sentence) and not sentence.endswith(("?", "？")):
            found.append(("remaining", one_line(sentence, _LINE)))
    return tuple(found)


def _state(calls: Sequence[Outcome], views: Sequence[View]) -> Iterator[FactLine]:
    outcomes = (outcome for outcome in reversed(calls) if outcome.passed or outcome.error)
    checked = next((outcome for outcome in outcomes if outcome.call.command), None)
    if checked is not None:
        yield FactLine("state", f"Last check: {_action(checked, 1)}", checked.at, 1.2)
    if calls:
        yield FactLine("state", f"Last call: {_action(calls[-1], 1)}", calls[-1].at)
    last = next((view for view in reversed(views) if view.role == "assistant"), None)
    if last is not None and last.calls and (answer := one_line(_prose(last), 300)):
        yield FactLine("in_progress", answer, last.index)
    skills = (call.target for view in views for call in view.calls if call.name == "skill_view")
    for name in dict.fromkeys(skills):
        yield FactLine("skills", name, views[-1].index)


def _log(views: Sequence[View]) -> Iterator[FactLine]:
    for view in views:
        if view.role in ("user", "assistant") and view.text.strip():
            yield FactLine("log", f"{view.role}: {one_line(view.text, _LOG)}", view.index)
