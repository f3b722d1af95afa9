"""What the messages before a cut bear out: values that stand there, acts that happened, rules laid down."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from typing import Any

from core.compress.facts.collect import sentences
from core.compress.facts.history import Outcome, is_acting, outcomes
from core.compress.facts.lexicon import lexicon
from core.compress.facts.readable import View
from core.compress.facts.topic import roots
from core.compress.facts.values import without_code
from core.model.transcript.message import Message
from core.support.yaml_tables import load_table


@dataclass(frozen=True, slots=True)
class ClaimedAct:
    """One thing a summary can claim to have happened.

    Attributes:
        says: Finds the claim.
        did: Finds what bears it out, in text in lower case.
        file: The same of a file.
        whole: It is done to the work as a whole, whatever else the claim names.
    """

    says: re.Pattern[str]
    did: str
    file: str
    whole: bool


@dataclass(frozen=True, slots=True)
class CheckKind:
    """A kind of check: how a summary names it, and what it is run by."""

    says: re.Pattern[str]
    ran: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class ClaimWords:
    """Compiled forms of `claims.yaml`."""

    acts: Mapping[str, ClaimedAct]
    checks: re.Pattern[str]
    ran: re.Pattern[str]
    told: re.Pattern[str]
    rejected: re.Pattern[str]
    unreal: re.Pattern[str]
    proposed: re.Pattern[str]
    rule: re.Pattern[str]
    by_people: re.Pattern[str]
    states_rule: re.Pattern[str]
    kinds: tuple[CheckKind, ...]
    thorough: re.Pattern[str]


@cache
def claim_words() -> ClaimWords:
    """The table, compiled."""
    table: dict[str, Any] = load_table("core/compress/retention/claims.yaml")
    acts = {
        name: ClaimedAct(
            re.compile(rf"\b(?:{entry['says']})\b", re.IGNORECASE),
            entry["did"],
            entry.get("file", entry["did"]),
            entry.get("whole", False),
        )
        for name, entry in table["acts"].items()
    }
    checks = table["checks"]
    return ClaimWords(
        acts,
        checks=re.compile(checks["says"], re.IGNORECASE),
        ran=re.compile(checks["ran"]),
        told=re.compile(checks["told"]),
        rejected=_any(table["rejected"]),
        unreal=_any(table["unreal"]),
        proposed=_any(table["proposed"]),
        rule=_any(table["rule"]),
        by_people=_any(table["by_people"]),
        states_rule=_any(table["states_rule"]),
        kinds=tuple(
            CheckKind(re.compile(kind["says"], re.IGNORECASE), re.compile(kind["ran"]))
            for kind in table["kinds"]
        ),
        thorough=re.compile(table["thorough"], re.IGNORECASE),
    )


def _any(patterns: list[str]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.IGNORECASE)


_LEAST_SHARE = 0.5
_MOST_PLACES = 300
"""Places a value is looked at; one that stands at more inside longer words is taken for known."""

_CALL, _RESULT = 3000, 600
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

    def measures(self, figure: str, unit: str) -> bool:
        """Whether a figure stands with its unit; in what people say a word or two may stand between."""
        unit = unit.lower()
        forms = (f"{figure} {unit}", f"{figure}{unit}")
        if any(form in self._values or self.mentions(form) for form in forms):
            return True
        start = re.escape(unit[: max(1, len(unit) - 1)][:4])
        apart = re.compile(rf"(?<![\d.,]){re.escape(figure)}\W{{0,3}}(?:[a-z]+\W{{1,3}}){{0,2}}{start}")
        return any(figure in text and apart.search(text) for text in self._spoken)

    def happened(self, pattern: str, about: Sequence[str], *, by_call: bool = False) -> bool:
        """Whether an act that matches happened, to one of some things when any are named.

        Args:
            pattern: Finds the act.
            about: The things, in lower case.
            by_call: A call must name them itself: that its result does tells nothing, as of a file.
        """
        did = re.compile(pattern)

        def fits(text: str) -> bool:
            return (not about or any(thing in text for thing in about)) and did.search(text) is not None

        if any(fits(call if by_call else f"{call} {result}") for call, result in self._done):
            return True
        told = (sentence for text in self._spoken if fits(text) for sentence in sentences(text))
        return any(fits(sentence) and _is_so(sentence) for sentence in told)

    def passed(self, ran: re.Pattern[str] | None, *, at_last: bool) -> bool:
        """Whether a test, lint or build ended well, or somebody said so; without any run it needs the word.

        Args:
            ran: Finds the commands of the kind asked about; None takes any check.
            at_last: The newest one counts, and not any.
        """
        ran = ran or claim_words().ran
        runs = [one for one in self._outcomes if one.call.command and ran.search(one.call.command.lower())]
        if not runs:
            return self._told_after(-1)
        counted = runs[-1:] if at_last else runs
        return not all(map(_failed, counted)) or self._told_after(counted[-1].at)

    def _told_after(self, at: int) -> bool:
        told = claim_words().told
        later = (view for view in self._read if view.index > at and not view.calls)
        said = (view.text for view in later if view.role in ("assistant", "user"))
        return any(told.search(text.lower()) for text in said) or any(
            map(told.search, map(str.lower, self._also))
        )

    @cached_property
    def _outcomes(self) -> list[Outcome]:
        return outcomes(self._read)

    @cached_property
    def _done(self) -> list[tuple[str, str]]:
        """Calls that changed something and ended well, each with its result, in lower case."""
        ended = (one for one in self._outcomes if is_acting(one.call) and not _failed(one))
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


def _failed(one: Outcome) -> bool:
    return bool(one.error) or bool(claim_words().rejected.search(one.text[:_RESULT]))


def _joins(neighbour: str, edge: str) -> bool:
    """Whether two characters belong to one word or figure."""
    if not neighbour:
        return False
    return neighbour.isalnum() and edge.isalnum() and neighbour.isascii() and edge.isascii()
