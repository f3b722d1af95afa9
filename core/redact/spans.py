"""Finds words (Aho and Corasick, 1975) and credentials in a text, and masks credentials.

The words with which rules begin are searched for in one pass over a text. Most texts contain none, and no
long row of letters and digits either, so nothing else is checked; in the others each rule is tried only where
its own words are.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

Value = TypeVar("Value")
Search = Callable[[str], Iterable[tuple[int, Value]]]
"""Yields, for every occurrence of every word, its last index and the word's value."""
BETWEEN = "\n\x00\n"
"""A separator that no credential runs across."""
_OPENS = frozenset(("", *"([{=:,"))
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t"}
_ASCII_LOWER = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}
_LETTERS = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz+/-"
_CLASSES = bytes(87 if code in _LETTERS else 32 for code in range(256))
ROW = 20
"""Minimum run of letters, digits and signs in a credential that begins with no known word."""
BEGINNING, _MOST_LEFT = 8, 256
"""Characters that a cut must leave of a value, and up to which they are looked for."""
_CUT_MARK = re.compile(r"…|\.{3}")


def search_for(words: Mapping[str, Value]) -> Search[Value]:
    """A search for some words, each with its value."""
    if not words:
        return lambda text: ()
    try:
        from ahocorasick import Automaton
    except ImportError:  # it is written in C for CPython; elsewhere search word by word
        return lambda text: one_by_one(text, words)
    automaton = Automaton()
    for word, value in words.items():
        automaton.add_word(word, value)
    automaton.make_automaton()
    search: Search[Value] = automaton.iter
    return search


def one_by_one(text: str, words: Mapping[str, Value]) -> Iterator[tuple[int, Value]]:
    """The same search for a few words, which need no preparation."""
    for word, value in words.items():
        at = text.find(word)
        while at >= 0:
            yield at + len(word) - 1, value
            at = text.find(word, at + 1)


def beginnings(text: str, values: Mapping[str, Sequence[str]]) -> Iterator[tuple[int, int, str]]:
    """Where the beginning of a value is all that a cut left of it, as in `abcd1234…`, and which value.

    `values` has them by their own beginning. Half a credential is not recognised by itself, and Hermes cuts
    texts before it stores or sends them.
    """
    for mark in _CUT_MARK.finditer(text) if values else ():
        end = mark.start()
        for at in range(max(0, end - _MOST_LEFT), end - BEGINNING + 1):
            known = values.get(text[at : at + BEGINNING], ())
            if (value := next((one for one in known if one.startswith(text[at:end])), None)) is not None:
                yield at, end, value
                break


class _Pattern:
    """Stands in for a regular expression until it is used: most texts need few. Caches what is requested."""

    def __init__(self, source: str, flags: int = 0) -> None:
        self._source, self._flags = source, flags

    def __getattr__(self, name: str) -> Any:
        found = getattr(re.compile(self._source, self._flags), name)
        setattr(self, name, found)
        return found


if TYPE_CHECKING:

    def pattern(source: str, flags: int = 0) -> re.Pattern[str]:
        """A regular expression, like that of `re.compile`."""

else:
    pattern = _Pattern


OPENS_MASK = "[redacted:"
MASKED = pattern(r"\[redacted:[a-z0-9-]+\]")
"""The replacement of a credential."""

ODD_WORD = pattern(
    r"(?<![^\s\"'`:=,({>|])[A-Za-z0-9@][A-Za-z0-9._-]{0,40}+"
    r"(?:(?<=[a-z]-\d\d)|(?<=[a-z]-\d\d\d)|(?<=[a-z]{3}\d\d)|(?<=[a-z]{3}\d\d[\d_.])|(?<=[a-z]{3}\d\d\d[_.])"
    r"|[!#$%^&*?@+~][^\s\"'`(){}\[\]<>,;|\\/:=]{0,40}+)(?=[\s\"'`)},;|\\<]|$)"
)
"""A word with a digit and a sign that names and paths lack; or one that may be memorable."""
_ESCAPE = pattern(r"\\(?<!\\\\)(?:\\{1,15}([nrt\"'`])|([\"'`]))")
"""An escape of several signs, or of a quote; it begins with a plain character, which is found fast."""


class Hit(NamedTuple):
    """A credential at `text[start:end]`."""

    start: int
    end: int
    kind: str


def unescaped(text: str) -> str:
    """A text with JSON escapes of line ends, tabs and quotes decoded, each character at its old offset."""
    if "\\" not in text:
        return text
    text = _ESCAPE.sub(_plain, text)
    for letter, sign in _ESCAPED.items():
        text = text.replace(f"\\{letter}", sign.rjust(2))
    return text


def _plain(escape: re.Match[str]) -> str:
    """An escape decoded and padded to its width; a closing quote stays next to what it closes."""
    sign, before = escape[1] or escape[2], escape.string[escape.start() - 1 : escape.start()]
    if sign in _ESCAPED or before in _OPENS or before.isspace():
        return _ESCAPED.get(sign, sign).rjust(len(escape[0]))
    return sign.ljust(len(escape[0]))


def lowered(text: str) -> str:
    """A text in lower case, each character at its old offset."""
    lower = text.lower()
    return lower if len(lower) == len(text) else text.translate(_ASCII_LOWER)


def mask(kind: str) -> str:
    """The replacement of a credential of a kind."""
    return f"{OPENS_MASK}{kind}]"


def merge(hits: Iterable[Hit]) -> list[Hit]:
    """Hits in text order, overlapping ones joined under the kind of the first one."""
    merged: list[Hit] = []
    order = sorted(enumerate(hits), key=lambda pair: (pair[1].start, pair[0]))
    for _, hit in order:
        if hit.end <= hit.start:
            continue
        if merged and hit.start < merged[-1].end:
            last = merged[-1]
            merged[-1] = last._replace(end=max(last.end, hit.end))
        else:
            merged.append(hit)
    return merged


def cut(text: str, hits: list[Hit]) -> str:
    """The text with every hit masked; `hits` are in order and disjoint."""
    pieces: list[str] = []
    at = 0
    for hit in hits:
        pieces += (text[at : hit.start], mask(hit.kind))
        at = hit.end
    pieces.append(text[at:])
    return "".join(pieces)


def tally(hits: Iterable[Hit]) -> Mapping[str, int]:
    """How many hits there are of each kind."""
    return dict(Counter(hit.kind for hit in hits))


class Hints(NamedTuple):
    """Where in a text each rule must be tried.

    Attributes:
        lower: The text in lower case, each character at its old offset.
        rows: Start and end of long runs of letters, digits, `+`, `/`, `-` and `_`.
        found: By rule and number of the word, the offsets of the rules' words.
    """

    lower: str
    rows: Sequence[tuple[int, int]]
    found: Mapping[str, Mapping[int, Sequence[int]]]

    def by_word(self, rule: str) -> Iterator[tuple[int, Sequence[int]]]:
        """The words of a rule that occur in the text, in the order of its table, and where."""
        return iter(sorted(self.found.get(rule, {}).items()))

    def places(self, rule: str) -> Sequence[int]:
        """The offsets of all words of a rule."""
        return sorted(set(chain.from_iterable(self.found.get(rule, {}).values())))


def hints_of(text: str) -> Hints:
    """The occurrences of all rules' words in a text, ignoring case."""
    lower = lowered(text)
    found: dict[str, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for last, (length, uses) in _search()(lower):
        for rule, number in uses:
            found[rule][number].append(last - length + 1)
    return Hints(lower, list(rows(text)), found)


def rows(text: str) -> Iterator[tuple[int, int]]:
    """Runs of letters, digits and signs that are as long as a random value's."""
    classes = text.encode("ascii", "replace").translate(_CLASSES)
    word = b"W" * ROW
    at = classes.find(word)
    while at >= 0:
        end = classes.find(b" ", at)
        end = len(text) if end < 0 else end
        yield at, end
        at = classes.find(word, end)


def words() -> Mapping[str, Sequence[str]]:
    """For each rule, words of which every text it matches contains one."""
    from core.redact import table  # most texts need none

    unnamed = table.unnamed_words()
    return {
        "kinds": [needle for kind in table.kinds() for needle in kind.needles],
        "places": [needle for place in table.places() for needle in place.needles],
        "manifests": table.manifests(),
        "stems": table.names().stems,
        "tools": [f"{tool} " for tool in sorted(table.issuers().tools)],
        "columns": unnamed["columns"],
        "inserts": ("insert", "replace"),
        "groups": unnamed["groups"],
        "calls": [call.partition(".")[0] for call in unnamed["calls"]],
        "said": ("pass", *unnamed["inside"], *unnamed["alone"], *unnamed["whole"]),
        "pairs": unnamed["pairs"],
        "files": unnamed["files"],
        "arguments": ('"-', "'-"),
    }


@cache
def _search() -> Search[tuple[int, list[tuple[str, int]]]]:
    """Each word with its length, and the rules and numbers it has there."""
    uses: dict[str, tuple[int, list[tuple[str, int]]]] = {}
    for rule, spelled in words().items():
        for number, word in enumerate(spelled):
            uses.setdefault(word.lower(), (len(word), []))[1].append((rule, number))
    return search_for(uses)
