"""The tables of credentials, read once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import takewhile
from typing import NamedTuple

from core.support.program_files import shared_table

KINDS, PLACES, WORDS = (f"core/redact/{name}.yaml" for name in ("kinds", "places", "words"))
"""Credentials by their form, by their place, and the words for names, issuers and speech."""
_CAPITALS, _ANY_WORD = re.compile("[A-Z]{2,}"), r"{quote}[^\s\"']{1,200}{quote}"
"""A command's argument that is not the secret."""
_PART = re.compile(r"\{([a-z_]+)\}")


class Kind(NamedTuple):
    """One form of credential.

    Attributes:
        needles: Literal prefixes; if empty, the pattern is searched for.
        pattern: The regular expression.
        row: Without needles: the run of letters, digits, `-` and `_` that every such credential contains.
        back: Characters of the credential before its needle, or before that run.
        bound: Whether the needle must not continue a word.
        opaque: Whether the match must contain a letter and a digit after its prefix.
        holds: Without needles: a part of every such credential that is found faster.
    """

    kind: str
    needles: tuple[str, ...]
    pattern: str
    row: int = 0
    holds: str = ""
    back: int = 0
    bound: bool = True
    opaque: bool = False

    @property
    def regex(self) -> re.Pattern[str]:
        """The expression, compiled."""
        return compiled(self.pattern)


class Place(NamedTuple):
    """A place for a credential in a protocol.

    Attributes:
        needles: Searched for in lower case.
        pattern: The regular expression tried at a needle; its group `secret` is the credential.
        random: Whether only a random-looking value counts.
        likely: Whether only a value that looks like a password or key counts.
        odd: Whether only a value that is not a plain word, number or path counts.
        sure: Whether only a value that looks like a password and like nothing else counts.
        back: Characters before a needle in which the pattern is searched for.
        requires: Text that every text with such a credential also contains, such as the dash of a flag.
    """

    kind: str
    needles: tuple[str, ...]
    pattern: str
    random: bool = False
    likely: bool = False
    odd: bool = False
    sure: bool = False
    back: int = 0
    requires: str = ""

    def found(self, text: str, at: int, end: int) -> re.Match[str] | None:
        """The match at a needle at `text[at:end]`, if it is such a place."""
        regex = compiled(self.pattern)
        return regex.search(text, max(0, at - self.back), end) if self.back else regex.match(text, at)


class Issuers(NamedTuple):
    """Words before a random run: `telling` ones mean that a key follows; after `secret` even a UUID is one.

    Attributes:
        names: Names of issuers; those in `plain` are ordinary words too.
        ids: Words on a value's line that mean it is an id, a hash or the like.
        tools: Commands that take passwords.
    """

    telling: frozenset[str]
    secret: frozenset[str]
    harmless: frozenset[str]
    names: frozenset[str]
    plain: frozenset[str]
    ids: frozenset[str]
    tools: frozenset[str]


class Names(NamedTuple):
    """The words that mark a value's name as that of a secret."""

    strong: frozenset[str]
    likely: frozenset[str]
    likely_caps: frozenset[str]
    passes: frozenset[str]
    pairs: Mapping[str, frozenset[str]]
    weak: frozenset[str]
    about: frozenset[str]
    lookups: frozenset[str]
    pointers: frozenset[str]
    public: frozenset[str]
    noise: frozenset[str]
    placeholders: frozenset[str]
    stems: tuple[str, ...]


@cache
def compiled(source: str) -> re.Pattern[str]:
    """A pattern of a table, compiled on first use: most texts need none, and compiling all takes 50 ms."""
    return re.compile(source)


def built(source: str) -> str:
    """A pattern with its named pieces, such as `{quote}`, filled in."""
    parts: Mapping[str, str] = shared_table(PLACES)["parts"]
    return _PART.sub(lambda name: parts[name[1]], source)


@cache
def kinds() -> tuple[Kind, ...]:
    """Every form of credential that is recognisable by its own text."""
    return tuple(
        Kind(**{**entry, "needles": tuple(entry.get("needles", ()))})
        for entry in shared_table(KINDS)["known"]
    )


@cache
def places() -> tuple[Place, ...]:
    """Every place whose content is a credential."""
    table = shared_table(PLACES)
    entries = (
        Place(**{**entry, "needles": tuple(entry["needles"]), "pattern": built(entry["pattern"])})
        for entry in table["places"]
    )
    return (*entries, *map(_usage, table["usages"]))


def _usage(line: str) -> Place:
    """The place of a secret in a command, from its usage line in a manual."""
    words = line.split()
    lead = usage_lead(line)
    rest = [_usage_word(word) for word in words[len(lead.split()) :]]
    return Place(
        "login",
        (lead,),
        built(f"(?i:{re.escape(lead)}){' '.join(rest)}".replace("{words} ", "{words}")),
        odd=True,
    )


def usage_lead(line: str) -> str:
    """The words a command begins with, and a blank."""
    return " ".join((*takewhile(str.islower, line.split()), ""))


def _usage_word(word: str) -> str:
    if word in ("...", "SECRET"):
        return "{words}" if word == "..." else "{quote}{argument}"
    return _CAPITALS.sub(lambda _: _ANY_WORD, re.escape(word))


@cache
def manifests() -> tuple[str, ...]:
    """Texts that identify a manifest whose values are all credentials."""
    return tuple(shared_table(PLACES)["manifests"])


@cache
def issuers() -> Issuers:
    """The words that begin credentials of unlisted issuers, and those that begin ids, hashes and files."""
    words = {name: _words(given) for name, given in shared_table(WORDS)["issuers"].items()}
    return Issuers(**{**words, "names": words["names"] | words["plain"]})


@cache
def unnamed_words() -> Mapping[str, Sequence[str]]:
    """The words that identify a value without a name, by their meaning."""
    words: Mapping[str, Sequence[str]] = shared_table(WORDS)["unnamed"]
    return words


@cache
def letter_pairs() -> Mapping[str, str]:
    """For each letter, the letters that often follow it in words."""
    pairs: Mapping[str, str] = shared_table(WORDS)["letter_pairs"]
    return pairs


@cache
def names() -> Names:
    """The words of secret names."""
    table = shared_table(WORDS)["names"]
    words = {name: _words(table[name]) for name in Names._fields if name not in ("pairs", "stems")}
    pairs = {last: _words(before) for last, before in table["pairs"].items()}
    return Names(**words, pairs=pairs, stems=tuple(table["stems"]))


def _words(values: Iterable[object]) -> frozenset[str]:
    return frozenset(str(value) for value in values)
