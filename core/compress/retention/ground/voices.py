"""What people said, sentence by sentence with its context, and their language."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, cached_property
from math import fsum, sqrt

from core.compress.facts.lexicon import lexicon
from core.compress.facts.said import sentences
from core.compress.facts.topic import roots
from core.compress.retention.ground.claim_words import claim_words
from core.compress.retention.ground.figures import ends_of

USER, ASSISTANT, DOCUMENT, SYSTEM = "user", "assistant", "document", "system"
"""Who speaks; a document is a text somebody handed over, or the previous summary, which reports wishes."""

_BRIEF, _ASKED, _LATIN = 300, 1500, 0.9
"""Characters of an answer that may take up what was asked, and of that; share of Latin script in what is."""

_OFTEN = 3
"""So many messages of people in one script make it a language of the conversation."""

_TELLING = 3
_SAMPLE = 100_000
"""How many characters are enough to recognise a language."""

_ASKS = re.compile(r"[?？]|吗")

_SPOKEN = re.compile(r"\w+")
_SCRIPT_SHARE = 10
"""One letter in this many is enough to recognise a script, as texts quote code."""


class Voices:
    """Answers what people said, among everything said.

    Args:
        spoken: Index, speaker, text and text in lower case, of everything that was said.
        weigh: Gives the weights of names and roots.
    """

    def __init__(
        self,
        spoken: Sequence[tuple[int, str, str, str]],
        weigh: Callable[[Sequence[str], Sequence[str]], Mapping[str, float]],
    ) -> None:
        self._texts, self._weigh = spoken, weigh

    def share_voiced(
        self, names: Sequence[str], words: Sequence[str], *, rule: bool, denial: bool = False
    ) -> float:
        """The largest share of names (in lower case) and roots that a person said in one breath, 0 to 1.

        One breath is a sentence with its neighbours, and with the question it briefly answers.

        Args:
            names: The names.
            words: The roots.
            rule: Only sentences that state a rule count.
            denial: Only those that deny or limit something count.
        """
        weights = self._weigh(names, words)
        total = sum(weights.values())
        best = 0.0
        for lower, held, lays_down in self._statements:
            if (rule and not lays_down) or (denial and not claim_words().denies.search(lower)):
                continue
            statements = (
                weight
                for term, weight in weights.items()
                if term in held or (term in names and term in lower)
            )
            best = max(best, sum(statements))
        return best / total if total else 0.0

    @cached_property
    def language(self) -> str:
        """The language people speak, such as `en`; "" if unknown, or if nobody says anything."""
        return language_of("\n".join(text for _, speaker, text, _ in self._texts if speaker == USER))

    def speak(self, language: str) -> bool:
        """Whether people, or people and assistants together, speak a language; "" matches any."""
        return not language or not self.languages.isdisjoint(("", language))

    @cached_property
    def languages(self) -> frozenset[str]:
        """The languages of the conversation, `""` for an unknown one; with any script people come back to."""
        scripts = Counter(script_of(text) for _, speaker, text, _ in self._texts if speaker == USER)
        used = (language for language, times in scripts.items() if language and times >= _OFTEN)
        return frozenset((self.language, self.common, *used))

    @cached_property
    def common(self) -> str:
        """The language of people, assistants and documents together."""
        return language_of("\n".join(text for _, who, text, _ in self._texts if who != SYSTEM))

    @cached_property
    def days(self) -> frozenset[int]:
        """The days people name without a month: `the 28th`."""
        before = "|".join(lexicon().days_before)
        day = rf"(?<![\w.,])(?:(?:{before}) (\d{{1,2}})|(\d{{1,2}})(?:[snrt][tdh]|º))(?!\w)"
        return frozenset(int(one[1] or one[2]) for one in re.finditer(day, self._said))

    @cached_property
    def _said(self) -> str:
        """Everything people said, in lower case."""
        return "\n\x1e\n".join(lower for _, speaker, _, lower in self._texts if speaker == USER)

    def count(self, figure: str, units: Iterable[str]) -> bool:
        """Whether people give a figure of one of some units, each known by how it begins."""
        begins = tuple(form for unit in units for form in (unit, f" {unit}"))
        return any(self._said.startswith(begins, end) for end in ends_of(figure, self._said))

    def gives(self, figure: str, least: int = _TELLING) -> bool:
        """Whether people give a figure of at least `least` characters without saying what it counts."""
        return len(figure) >= least and any(
            _bare().match(self._said, end) for end in ends_of(figure, self._said)
        )

    def is_person(self, name: str) -> bool:
        """Whether somebody has a name: in their own words, in the id they gave, or when greeted with it."""
        own = re.compile(rf"\b{name.lower()}_|\b(?:name is|i'm|i am|ich bin|heiße) {name.lower()}\b")
        greeted = re.compile(rf"(?:{claim_words().greets.pattern}),? {name.lower()}\b")
        signs = {USER: own, ASSISTANT: greeted}
        return any(signs[who].search(lower) for _, who, _, lower in self._texts if who in signs)

    @cached_property
    def _statements(self) -> list[tuple[str, frozenset[str], bool]]:
        """What people said as sentences with their neighbours, in lower case and as roots.

        Each comes with whether it states a rule.
        """
        found: list[tuple[str, frozenset[str], bool]] = []
        before = ""
        for _, speaker, text, lower in self._texts:
            if speaker in (USER, DOCUMENT):
                sentences_of_text = sentences(text)
                asked = before if len(text) < _BRIEF and _ASKS.search(before[-_BRIEF:]) else ""
                for at in range(len(sentences_of_text)):
                    near = f"{asked}\n{' '.join(sentences_of_text[max(0, at - 1) : at + 2])}"
                    rule = claim_words().states_rule.search(sentences_of_text[at]) is not None
                    found.append((near.lower(), frozenset(roots(near)), rule))
            before = lower[-_ASKED:] if speaker == ASSISTANT else before
        return list(dict.fromkeys(found))


@cache
def _bare() -> re.Pattern[str]:
    """Matches behind a figure that is whole and has no unit."""
    forms = {form for unit, alike in claim_words().units.items() for form in (unit, *alike)}
    units = "|".join(sorted(map(re.escape, forms | {*lexicon().units}), key=len, reverse=True))
    return re.compile(rf"(?![\d.,:]*\d)(?! ?(?:{units})\b)(?!\w)")


def script_of(text: str) -> str:
    """The language that the script at the beginning of a text tells; "" for Latin script."""
    scripts, text = claim_words().scripts, text[:_SAMPLE]
    least = len(text) / _SCRIPT_SHARE
    found = (one for one, letters in scripts.items() if len(letters.findall(text)) > least)
    return next(found, "")


def language_of(text: str) -> str:
    """The language at the beginning of a text, `zh` or one of the table; "" for any other."""
    text = text[:_SAMPLE]
    if by_script := script_of(text):
        return by_script
    counts = Counter(_SPOKEN.findall(text.lower()))
    speech = claim_words().speech  # a word that comes again says less than another one
    said = {language: fsum(sqrt(counts[word]) for word in words) for language, words in speech.items()}
    most = max(said, key=said.__getitem__)
    return most if said[most] or (text and sum(map(str.isascii, text)) >= _LATIN * len(text)) else ""
