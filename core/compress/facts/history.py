"""What happened in a middle: files made and deleted, commands failed and passed, requests answered."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from core.compress.facts.lexicon import lexicon
from core.compress.facts.readable import Call, View
from core.compress.facts.topic import stem, terms
from core.compress.facts.values import parts_of

_CREATED_BY_SHELL = re.compile(r"(?:>>?|\btee(?:\s+-a)?|\btouch)\s+(?P<path>[\w./~@%+-]+)")
_WORDLESS = 12
_UNTELLING = re.compile(
    r"\W*(?:error:? |command )?"
    r"(?:success: false|traceback\b.*"
    r"|exit(?:ed)?(?: with)?(?: code| status)?:? \d+|sibling tool call errored)\W*",
    re.IGNORECASE,
)
"""A line that only says that something failed."""
_ACTION = re.compile(r"^action: (\w+)", re.MULTILINE)
_OPENING, _SHORT = 600, 400
"""How many characters at the start of a result say whether the call was carried out; and the length up to
which the result of a file call is a refusal rather than the file's text.
"""

_TAKEN_UP = 1 / 3
"""The share of a request's words that the following messages must mention."""

_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
_ASKING = re.compile(r"ask|clarify|question|(?:\w+_)?user_input", re.IGNORECASE)
"""Tools with which an assistant asks a person something; their result is the person's answer."""

_ANSWER = re.compile(
    r'"="([\s\S]{1,4000}?)"(?:, "|\.)|^(?:user_response|answers?): (?!\[)(.+)$', re.MULTILINE
)
_DECLINING = re.compile(r"\b(?:the user said|reason for the rejection):\s*(\S[\s\S]*)", re.IGNORECASE)
_REMEMBERED = 1_024
"""How many commands and names of tools are remembered with what they do: agents repeat them."""
_STEP = re.compile(r"\s*(?:&&|\|\||[;|])\s*")


@dataclass(frozen=True, slots=True)
class Outcome:
    """One call and how it ended.

    Attributes:
        at: Index of the message that made the call.
        result: Index of its result; None when the middle holds none.
        error: The line that reports its failure; None when it did not fail, or that is unknown.
        fixed_at: For a failed call, index of a later call of the same thing that did not fail.
    """

    at: int
    call: Call
    result: int | None = None
    text: str = ""
    error: str | None = None
    fixed_at: int | None = None

    @property
    def passed(self) -> bool:
        """Whether the result says that it went well."""
        return self.error is None and bool(lexicon().passed.search(self.text[-2000:]))


@dataclass(slots=True)
class FileStory:
    """What was done to one file, in order.

    Attributes:
        effects: `wrote`, `changed`, `read`, `removed`.
        last: Index of the message of the last effect.
    """

    path: str
    effects: list[str]
    first: int
    last: int

    @property
    def is_gone(self) -> bool:
        """Whether it is gone at the end of this middle."""
        return self.effects[-1] == "removed"

    @property
    def made(self) -> bool:
        """Whether it was written or changed in this middle, not just read."""
        return any(effect not in ("read", "removed") for effect in self.effects)

    @property
    def vanished(self) -> bool:
        """Whether it was made in this middle and is gone at its end."""
        return self.is_gone and self.made


def outcomes(views: Sequence[View]) -> list[Outcome]:
    """Every call of a middle with its outcome, in order; failed calls know which call fixed them."""
    results: dict[str, list[View]] = defaultdict(list)
    for view in views:
        if view.answers is not None:
            results[view.answers.id].append(view)
    # Some providers reuse an id: the first result after a call belongs to it.
    found = [
        _outcome(view.index, call, next((one for one in results[call.id] if one.index > view.index), None))
        for view in views
        for call in view.calls
    ]
    fixed: dict[tuple[str, str], int] = {}
    for at in range(len(found) - 1, -1, -1):
        outcome = found[at]
        key = (outcome.call.name, _purpose(outcome.call))
        if outcome.error and key in fixed:
            found[at] = replace(outcome, fixed_at=fixed[key])
        elif outcome.result is not None and not outcome.error and outcome.call.target:
            fixed[key] = outcome.at
    return found


def files(views: Sequence[View]) -> dict[str, FileStory]:
    """The files named in a middle's calls, in order of first mention."""
    return stories_of(outcomes(views))


def stories_of(ended: Sequence[Outcome]) -> dict[str, FileStory]:
    """The files named in some calls, in order of first mention; failed calls did nothing to them."""
    stories: dict[str, FileStory] = {}
    for outcome in ended:
        for path, effect in () if outcome.error else _effects(outcome.call):
            path = _known_path(path, stories)
            story = stories.setdefault(path, FileStory(path, [], outcome.at, outcome.at))
            story.effects.append(effect)
            story.last = outcome.at
    return stories


def _known_path(path: str, stories: dict[str, FileStory]) -> str:
    """The path as first named: a command run in another directory names a file by the end of its path."""
    if path in stories or path.startswith(("/", "~")) or "/" not in path.removeprefix("./"):
        return path
    end = f"/{path.removeprefix('./')}"
    named = [known for known in stories if known.endswith(end)]
    return named[0] if len(named) == 1 else path


def pending(views: Sequence[View]) -> list[View]:
    """Requests without a closing answer, which is an assistant text without a tool call.

    Of several waiting requests, an answer closes those whose words it or the work in between mentions, or
    else the newest. A request that interrupts another is often answered together with it.
    """
    waiting: list[View] = []
    since: list[str] = []
    for view in views:
        if view.request:
            waiting.append(view)
        elif view.role == "assistant":
            since += (view.text, *(call.target for call in view.calls))
            if waiting and view.text.strip() and not view.calls:
                later_words = frozenset(terms("\n".join(since)))
                left = [ask for ask in waiting if not _is_taken_up(ask.text, later_words)]
                waiting = left if 1 < len(waiting) != len(left) else waiting[:-1]
                since = []
    return waiting


def _is_taken_up(ask: str, later_words: frozenset[str]) -> bool:
    words = terms(ask)
    return len(later_words.intersection(words)) >= _TAKEN_UP * len(words)


@lru_cache(maxsize=_REMEMBERED)
def effect_of(name: str) -> str | None:
    """What a tool of this name does to the file it is given."""
    words = _words_of(name)
    for effect in ("removed", "changed", "wrote", "read"):
        if words & lexicon().effects[effect]:
            return effect
    return None


def is_acting(call: Call) -> bool:
    """Whether a call changes something or tries it out, rather than only looks."""
    return not _only_looks(call.command) if call.command else _is_acting_tool(call.name)


def acts_as_told(call: Call) -> bool:
    """Whether an argument tells a tool to change something: `cronjob` can list jobs or update one."""
    action = _ACTION.search(call.strings)
    return action is not None and _is_acting_tool(action[1])


@lru_cache(maxsize=_REMEMBERED)
def _only_looks(command: str) -> bool:
    steps = _STEP.split(_QUOTED.sub("''", lexicon().manner.sub("", command)))
    return all(lexicon().looking.match(step) for step in steps if step.strip())


@lru_cache(maxsize=_REMEMBERED)
def _is_acting_tool(name: str) -> bool:
    looks = not lexicon().effects["read"].isdisjoint(parts_of(name)[:1])  # get_order orders nothing
    return not looks and bool(_words_of(name) & lexicon().acting)


def answers_of(view: View) -> tuple[str, ...]:
    """What a person answered when a tool asked, as Hermes' `clarify`, or said when declining a call."""
    if lexicon().rejected.search(view.text[:_OPENING]):
        said = _DECLINING.search(view.text)
        return (said[1],) if said else ()
    if view.answers is None or not _ASKING.match(view.answers.name):
        return ()
    return tuple(first or second for first, second in _ANSWER.findall(view.text)) or (view.text,)


def _words_of(name: str) -> set[str]:
    """The words of a tool's name, with and without endings: `editedExistingFile` edits."""
    words = parts_of(name)
    return {*words, *map(stem, words)}


def _effects(call: Call) -> list[tuple[str, str]]:
    found = []
    if call.path and not call.command:
        effect = effect_of(call.name)
        if effect:
            found.append((call.path, effect))
    if call.command:
        for match in lexicon().gone.finditer(call.command):
            paths = (path.strip("\"'") for path in match["paths"].split() if not path.startswith("-"))
            found += [(path, "removed") for path in paths]
        found += [(match["path"], "wrote") for match in _CREATED_BY_SHELL.finditer(call.command)]
        for match in lexicon().moved.finditer(call.command):
            found += [(match["source"], "removed"), (match["target"], "wrote")]
    return [(path, effect) for path, effect in found if path != "/dev/null"]


def _purpose(call: Call) -> str:
    """What a call was for: its target; for commands, without flags that only affect the output."""
    return lexicon().manner.sub("", call.target).strip() if call.command else call.target


def _outcome(at: int, call: Call, result: View | None) -> Outcome:
    if result is None:
        return Outcome(at, call)
    error = _best_error_line(result.errors)
    if error and effect_of(call.name) and not call.command:
        error = error if len(result.text) < _SHORT else None
    rejected = lexicon().rejected.search(result.text[:_OPENING])
    error = error or (rejected.group() if rejected else None)
    return Outcome(at, call, result.index, result.text, error)


def says_nothing(error: str) -> bool:
    """Whether an error only says that there was one, or that a person declined."""
    return _UNTELLING.fullmatch(error) is not None or lexicon().rejected.search(error) is not None


def _best_error_line(lines: Sequence[str]) -> str | None:
    """The line that describes a failure best: the first with more than a word that says what failed."""
    candidates = (line for line in lines if len(line) > _WORDLESS and not _UNTELLING.fullmatch(line))
    return next(candidates, lines[0] if lines else None)
