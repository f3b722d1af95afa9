"""What the messages before a cut bear out: values that stand there, acts that happened, rules laid down."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache, cached_property, partial

from core.compress.facts.collect import sentences
from core.compress.facts.history import Outcome, is_acting, outcomes
from core.compress.facts.lexicon import lexicon
from core.compress.facts.readable import View
from core.compress.facts.topic import forms_of, roots
from core.compress.facts.values import without_code
from core.compress.retention.claim_words import CheckKind, claim_words
from core.model.transcript.message import Message

_LEAST_SHARE = 0.5
_AGAIN = re.compile(r"^(?:re|un)(\w{4,})")
_MAIN = re.compile(r"[;:]\s+|,\s+(?:and|but|so|then)\s+")
_COUNT = re.compile(r"(?<![\w.,/#-])(\d+)\s+(?:[a-z]+\s+)?$")
_FAR = 30
_MOST_PLACES = 300
"""Places a value is looked at; one that stands at more inside longer words is taken for known."""

_CALL, _RESULT = 6000, 600
"""Characters of a call's arguments and of its result that tell what it did."""


class Evidence:
    """Answers what of a summary the messages bear out.

    Args:
        read: The middle, read.
        known: Every message before the cut, whole.
        values: Values found in the middle already, in lower case.
        also: Further texts the summary may draw on, such as the summary before.
    """

    def __init__(
        self, read: Sequence[View], known: Sequence[Message], values: Iterable[str], also: Sequence[str] = ()
    ) -> None:
        self._read, self._known, self._also = read, known, also
        self._values = frozenset(values)

    @cached_property
    def _text(self) -> str:
        parts = [message.text for message in self._known]
        parts += [f"{call.name} {call.arguments}" for message in self._known for call in message.tool_calls]
        return "\n".join((*parts, *self._also)).lower().replace("\\\\", "/").replace("\\/", "/")

    def found(self, value: str) -> bool:
        """Whether a value is one of those found in the middle: the cheapest answer."""
        return value.lower() in self._values

    def mentions(self, value: str) -> bool:
        """Whether a value stands somewhere, not inside a longer word or figure."""
        lower = value.lower()
        if lower in self._values:
            return True
        text, at = self._text, self._text.find(lower)
        for _ in range(_MOST_PLACES):
            if at < 0:
                return False
            before, after = text[at - 1 : at], text[at + len(lower) : at + len(lower) + 1]
            if not (_joins(before, lower[0]) or _joins(after, lower[-1])):
                return True
            at = text.find(lower, at + 1)
        return True

    def holds(self, part: str) -> bool:
        """Whether a text stands somewhere, inside a longer word too."""
        lower = part.lower()
        return lower in self._values or lower in self._text

    def counts(self, thing: str) -> set[str]:
        """How many of a thing the messages count, each time they do."""
        counts: set[str] = set()
        text, at = self._text, self._text.find(thing)
        while at >= 0:
            before = _COUNT.search(text[max(0, at - _FAR) : at])
            counts.update(before.groups() if before else ())
            at = text.find(thing, at + 1)
        return counts

    def together(self, one: str, other: str) -> bool:
        """Whether a message, or a call with what it gave back, holds both; what nobody knows is with all."""
        first, second = one.lower(), other.lower()
        near = [text for text in self._exchanges if first in text]
        return not near or second not in self._text or any(second in text for text in near)

    @cached_property
    def _exchanges(self) -> list[str]:
        """Each message in lower case, with what the calls of an assistant gave back."""
        found: list[list[str]] = [["\n".join(self._also)]]
        for message in self._known:
            if message.role != "tool":
                found.append([])
            found[-1] += [message.text, *(f"{call.name} {call.arguments}" for call in message.tool_calls)]
        return ["\n".join(texts).lower() for texts in found]

    def measures(self, figure: str, unit: str) -> bool:
        """Whether a figure stands with its unit; in what people say a word or two may stand between."""
        unit = unit.lower()
        forms = (f"{figure} {unit}", f"{figure}{unit}")
        if any(form in self._values or self.mentions(form) for form in forms):
            return True
        start = re.escape(unit[: max(1, len(unit) - 1)][:4])
        apart = re.compile(rf"(?<![\d.,]){re.escape(figure)}\W{{0,3}}(?:[a-z]+\W{{1,3}}){{0,2}}{start}")
        return any(figure in text and apart.search(text) for text in self._spoken)

    def happened(
        self, pattern: str, about: Sequence[str], of: Sequence[str] = (), *, by_call: bool = False
    ) -> bool:
        """Whether an act that matches happened, to one of some things when any are named.

        Args:
            pattern: Finds the act.
            about: The things, in lower case.
            of: Words one of which whoever tells of it must use too.
            by_call: A call must name them itself: that its result does tells nothing, as of a file.
        """
        did = re.compile(pattern)

        def fits(text: str) -> bool:
            return (not about or any(thing in text for thing in about)) and did.search(text) is not None

        if any(fits(call if by_call else f"{call} {result}") for call, result in self._done):
            return True
        said = (one for text in self._spoken if fits(text) for one in sentences(text) if fits(one))
        told = (part for one in said for part in _MAIN.split(one) if fits(part))
        return any(_is_so(one) and (not of or any(word in one for word in of)) for one in told)

    def undone(self, pattern: str, about: Sequence[str]) -> bool:
        """Whether a call of that kind ended well for one of some things, in lower case."""
        did = re.compile(pattern)
        acts = (one for one in self._outcomes if is_acting(one.call) and one.result and not one.error)
        return any(
            did.search(f"{one.call.name} {one.call.command or ''}".lower())
            and any(thing in f"{one.call.target} {one.call.strings}".lower() for thing in about)
            for one in acts
        )

    def knows(self, word: str) -> bool:
        """Whether a root, or one that means the same, stands in the messages."""
        return any(form in self._text for form in (*forms_of(word), *_AGAIN.findall(word)))

    def passed(self, kind: CheckKind | None, *, at_last: bool) -> bool:
        """Whether a test, lint or build ended well, or somebody said so; without any run it needs the word.

        Args:
            kind: The kind asked about; None takes any check.
            at_last: The newest one counts, and not any.
        """
        ran = kind.ran if kind else claim_words().ran
        runs = [one for one in self._outcomes if one.call.command and ran.search(one.call.command.lower())]
        if not runs:
            return self._told_after(-1, kind)
        counted = runs[-1:] if at_last else runs
        return any(not one.error for one in counted) or self._told_after(counted[-1].at, None)

    def _told_after(self, at: int, kind: CheckKind | None) -> bool:
        """Whether somebody said behind a message that a check went well; of one kind, by its name."""
        told = claim_words().told
        later = (view for view in self._read if view.index > at and not view.calls)
        said = (*(view.text for view in later if view.role in ("assistant", "user")), *self._also)
        spoken = (sentence for text in said if told.search(text.lower()) for sentence in sentences(text))
        return any(told.search(one.lower()) and (not kind or kind.says.search(one)) for one in spoken)

    @cached_property
    def _outcomes(self) -> list[Outcome]:
        return outcomes(self._read)

    @cached_property
    def _done(self) -> list[tuple[str, str]]:
        """Calls that changed something and ended well, each with its result, in lower case."""
        ended = (one for one in self._outcomes if is_acting(one.call) and not one.error)
        return [
            (
                f"{one.call.name} {one.call.target} {one.call.strings[:_CALL]}".lower(),
                one.text[:_RESULT].lower(),
            )
            for one in ended
        ]

    @cached_property
    def _spoken(self) -> list[str]:
        """What assistants and people said in the middle, in lower case, without code."""
        said = (view.text for view in self._read if view.role in ("assistant", "user"))
        return [without_code(text).lower() for text in (*said, *self._also) if text.strip()]

    def lays_down(self, rule: Sequence[str], *, people_only: bool = False) -> float:
        """The largest share of a rule's words that one sentence that lays something down holds, 0 to 1.

        The sentence behind it counts too: the reason often stands there.

        Args:
            rule: Its words, as roots.
            people_only: What an assistant said does not count.
        """
        wanted = frozenset(rule)
        missing = (1 - _LEAST_SHARE) * len(wanted)
        literal = [word for word in wanted if not word.startswith("=")]
        best = 0
        for text, rules in self._asked if people_only else self._laid_down:
            # Synonyms are not looked for.
            if sum(word not in text for word in literal) <= missing:
                best = max(best, *(len(wanted & held()) for held in rules))
        return best / len(wanted) if best else 0.0

    @cached_property
    def _laid_down(self) -> list[tuple[str, list[Callable[[], frozenset[str]]]]]:
        """What anybody said that lays something down, in lower case, with the roots of each such place."""
        return self._rules_of("user", "assistant", "system")

    @cached_property
    def _asked(self) -> list[tuple[str, list[Callable[[], frozenset[str]]]]]:
        """The same of people and of the instructions the assistant works under."""
        return self._rules_of("user", "system")

    def _rules_of(self, *roles: str) -> list[tuple[str, list[Callable[[], frozenset[str]]]]]:
        states = claim_words().states_rule
        spoken = (message.text for message in self._known if message.role in roles)
        found: list[tuple[str, list[Callable[[], frozenset[str]]]]] = []
        for text in dict.fromkeys((*map(without_code, spoken), *self._also)):
            said = sentences(text)
            rules: list[Callable[[], frozenset[str]]] = [
                cache(partial(_held, said, at)) for at, one in enumerate(said) if states.search(one)
            ]
            if rules:
                found.append((text.lower(), rules))
        return found


def _held(said: Sequence[str], at: int) -> frozenset[str]:
    """The roots of a sentence and of the one behind it."""
    return frozenset(word for near in said[at : at + 2] for word in roots(near))


def _is_so(sentence: str) -> bool:
    """Whether a sentence tells what is, and neither announces, asks nor denies."""
    words = claim_words()
    return not any(pattern.search(sentence) for pattern in (lexicon().intent, words.unreal, words.proposed))


def _joins(neighbour: str, edge: str) -> bool:
    """Whether two characters belong to one word or figure."""
    if not neighbour:
        return False
    return neighbour.isalnum() and edge.isalnum() and neighbour.isascii() and edge.isascii()
