"""Whether a text is about the topic of `/compress <topic>`.

Words are compared by their stems, identifiers by their parts, scripts without spaces by pairs of characters.
A word counts by its rarity in the conversation (inverse document frequency, Sparck Jones 1972): in "auth
module", `auth` decides and `module` hardly matters.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files

from core.compress.facts.lexicon import lexicon
from core.support.program_files import load_table

_WORD = re.compile(r"[^\W\d_]+|\d{2,}")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_CJK = re.compile("[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\u3040-\u30ff]+")
_CJK_LITTLE = re.compile(
    "(?:一(?=[个個些下次份条種种])|"
    "[的了着吗呢啊吧哦嗯呀是在和与及或也都还就很又再我你您他她它这那哪请把被让给从到想要个個些\u3041-\u3096])+"
)
"""Characters that mean nothing by themselves and separate words, as do the syllables of Japanese endings."""

_ENDINGS = ("ations", "ation", "ings", "ing", "ies", "ers", "er", "ed", "es", "s", "y", "e")
_NAME = re.compile(r"[\w./:@~-]*\w[./:@_-]+\w[\w./:@~-]*", re.ASCII)
"""A name with several parts: a file, a path, an identifier."""

_NUMBER = re.compile(r"\d")

_MIN_STEM_CHARS = 4
_MIN_SHARE = 0.5
_PLAIN = re.compile(r"(?<![\w-])[^\W\d_]{4,20}(?![\w-])")
"""A word by itself, not part of an identifier or a key."""

_LIKE = 0.75
"""Two words at least this similar may be the same, misspelt (difflib's ratio)."""
_ROOT_CHARS = 6
"""How many letters a root keeps: `cancelled`, `cancellation` and `cancel` share one."""
_MIN_ROOT_CHARS = 4
_COMPOUND = 3
"""From so many letters more than its root on, a word may be a compound."""
_PAIR, _PAIRS_SHARE = 2, 0.6


@cache
def _stopwords() -> frozenset[str]:
    return frozenset(
        files("core.compress.facts").joinpath("stopwords.txt").read_text(encoding="utf-8").split()
    )


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """A word without its most common English endings, at least four letters long."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _MIN_STEM_CHARS:
            return word[: -len(ending)]
    return word


def camel_apart(text: str) -> str:
    """A text with spaces between words that only capitals tell apart: `getOrder` as `get Order`."""
    return _CAMEL.sub(" ", text)


@lru_cache(maxsize=16384)
def terms(text: str) -> tuple[str, ...]:
    """The content words of a text as stems, in order, each once.

    Runs of Chinese, Japanese or Korean characters yield their pairs.
    """
    found: dict[str, None] = {}
    if not text.isascii():
        for run in _CJK.findall(_CJK_LITTLE.sub(" ", text)):
            found.update(dict.fromkeys(run[i : i + 2] for i in range(len(run) - 1)))
        text = _CJK.sub(" ", text)
    for word in _WORD.findall(camel_apart(text).lower()):
        if len(word) > 1 and word not in _stopwords():
            found[stem(word)] = None
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Topic:
    """A focus topic weighed against one conversation.

    Attributes:
        weights: Each stem's share of the topic; they sum to 1. Empty when the conversation never mentions it.
    """

    weights: Mapping[str, float]
    pattern: re.Pattern[str] | None

    @classmethod
    def of(cls, text: str, documents: Iterable[str]) -> Topic:
        """Weigh a topic's words by their rarity in `documents` (one text for each message).

        A name, such as a file's, is searched as a whole if the conversation mentions it; else without its
        folder, else by the words of the name: but another number is another thing. An extension alone is
        never the topic, and a name without one means the file of that name too.
        """
        texts = [document.lower() for document in documents]
        terms = tuple(_wanted(text, texts))
        pattern = _pattern(terms)
        if pattern is None:
            return cls({}, None)
        counts = dict.fromkeys(terms, 0)
        for document in texts:
            for term in set(pattern.findall(document)):
                counts[term] += 1
        raw = {term: math.log(1 + (len(texts) + 1) / n) for term, n in counts.items() if n}
        total = sum(raw.values())
        return cls({term: weight / total for term, weight in raw.items()}, pattern)

    def share(self, text: str) -> float:
        """How much of the topic a text mentions, 0 to 1."""
        if self.pattern is None or not self.weights:
            return 0.0
        found = set(self.pattern.findall(text.lower()))
        return math.fsum(self.weights.get(term, 0.0) for term in found) if found else 0.0

    def covers(self, text: str) -> bool:
        """Whether a text is about the topic: it mentions at least half of it by weight."""
        return self.share(text) >= _MIN_SHARE


def _wanted(text: str, texts: list[str]) -> Iterator[str]:
    """What is searched for a topic: its names, and the stems of its other words, each once."""
    alone = _NAME.fullmatch(text.strip()) is not None
    found: dict[str, None] = {}
    rest = text
    for match in _NAME.finditer(text):
        name = match.group().rstrip(".:").lower()
        if alone or _is_file(name) or _NUMBER.search(name):
            found.update(dict.fromkeys(_name_or_words(name, texts)))
            rest = rest.replace(match.group(), " ")
    found.update(dict.fromkeys(terms(rest)))
    yield from found


def _name_or_words(name: str, texts: list[str]) -> tuple[str, ...]:
    for form in dict.fromkeys((name, name.rpartition("/")[2])):
        whole_word = re.compile(_whole_word(form))
        if form and any(form in text and whole_word.search(text) for text in texts):
            return (form,)
    last = name.rpartition("/")[2]
    return () if _NUMBER.search(last) else terms(last.rpartition(".")[0] if _is_file(name) else name)


def _is_file(name: str) -> bool:
    return lexicon().file_name.fullmatch(name.rpartition("/")[2]) is not None


def _whole_word(name: str) -> str:
    """Matches a name that is not part of a longer one: `auth.py`, but not `test_auth.py` or `auth.pyc`."""
    literal, longer = re.escape(name), r"[\w-]|\.\w" if _is_file(name) else r"[\w-]"
    return rf"{literal}(?<![\w.-]{literal})(?!{longer})"


def _pattern(terms: tuple[str, ...]) -> re.Pattern[str] | None:
    """Matches the names and stems; a stem only at the start of a word or of an identifier's part."""
    if not terms:
        return None
    longest_first = sorted(terms, key=len, reverse=True)
    # The lookbehind comes after the literal, as a pattern that begins with its text is found fast.
    starts = (_start(term) for term in longest_first)
    return re.compile("|".join(starts))


def _start(term: str) -> str:
    literal = re.escape(term)
    return _whole_word(term) if _NAME.fullmatch(term) else f"{literal}(?<![a-z]{literal})"


def nearest(text: str, documents: Iterable[str]) -> str | None:
    """The word of a conversation that was probably meant by a topic which nobody mentions."""
    from difflib import get_close_matches

    known = {word.lower() for document in documents for word in _PLAIN.findall(document)}
    found = (get_close_matches(word.lower(), known, n=1, cutoff=_LIKE) for word in _PLAIN.findall(text))
    return next((match for matches in found for match in matches), None)


@lru_cache(maxsize=16384)
def roots(text: str) -> tuple[str, ...]:
    """The content words of a text as roots, in order, each once; figures and CJK pairs unchanged."""
    return tuple(dict.fromkeys(map(root, terms(text))))


@lru_cache(maxsize=65536)
def root(term: str) -> str:
    """A stem shortened further, without last vowel and doubled letter; synonyms share one root."""
    known = _synonyms().get(term)
    if known is not None:
        return known
    word = term
    if word.isascii() and word.isalpha() and len(word) > _MIN_ROOT_CHARS:
        word = word.rstrip("ieay") if len(word.rstrip("ieay")) >= _MIN_ROOT_CHARS else word
        if len(word) > _MIN_ROOT_CHARS and word[-1] == word[-2]:
            word = word[:-1]
        word = word[:_ROOT_CHARS]
    # A compound is another word than its first part: a changelog is no change.
    return _synonyms().get(word, word) if len(term) - len(word) < _COMPOUND else word


def share_that_tells(words: Sequence[str], share: float) -> float:
    """The share of some roots that identifies a text, from the one for words of letters.

    Of pairs of CJK characters every second one spans two words, and goes when their order changes.
    """
    pairs = sum(len(word) == _PAIR and not word.isascii() for word in words)
    return share * _PAIRS_SHARE if 2 * pairs > len(words) else share


@cache
def forms_of(root: str) -> tuple[str, ...]:
    """The forms of a root in texts: itself, or the words of its synonym group."""
    if not root.startswith("="):
        return (root,)
    return tuple(word for word, meant in _synonyms().items() if meant == root)


@cache
def _synonyms() -> Mapping[str, str]:
    table: list[list[str]] = load_table("core/compress/facts/wording.yaml")
    return {form: f"={group[0]}" for group in table for word in group for form in (word, stem(word))}
