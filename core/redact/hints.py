"""Where the words stand with which a rule begins: all words of all rules, looked for in one pass over a text.

Most texts hold none, and no long row of letters and digits either, so that nothing else is asked of them; in
the others each rule looks only where its own words stand.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain

from core.redact.spans import Search, lowered, search_for
from core.redact.table import issuers, kinds, manifests, names, places, unnamed_words

_LETTERS = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz+/-"
_CLASSES = bytes(87 if code in _LETTERS else 32 for code in range(256))
ROW = 20
"""Letters, digits and signs in a row at the least of a credential that no word begins."""


@dataclass(frozen=True, slots=True)
class Hints:
    """Where in a text each rule has to look.

    Attributes:
        lower: The text in lower case, each character where it was.
        rows: Where long rows of letters, digits, `+`, `/`, `-` and `_` begin and end.
        found: By rule and number of the word, where the words of rules begin.
    """

    lower: str
    rows: Sequence[tuple[int, int]]
    found: Mapping[str, Mapping[int, Sequence[int]]]

    def by_word(self, rule: str) -> Iterator[tuple[int, Sequence[int]]]:
        """The words of a rule that stand in the text, in the order of its table, and where."""
        return iter(sorted(self.found.get(rule, {}).items()))

    def places(self, rule: str) -> Sequence[int]:
        """Where any word of a rule begins."""
        return sorted(set(chain.from_iterable(self.found.get(rule, {}).values())))


def hints_of(text: str) -> Hints:
    """What a text holds of the words of all rules, whatever their case."""
    lower = lowered(text)
    found: dict[str, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for last, (length, uses) in _search()(lower):
        for rule, number in uses:
            found[rule][number].append(last - length + 1)
    return Hints(lower, list(rows(text)), found)


def rows(text: str) -> Iterator[tuple[int, int]]:
    """Where so many letters, digits and signs stand in a row as a drawn value has."""
    classes = text.encode("ascii", "replace").translate(_CLASSES)
    word = b"W" * ROW
    at = classes.find(word)
    while at >= 0:
        end = classes.find(b" ", at)
        end = len(text) if end < 0 else end
        yield at, end
        at = classes.find(word, end)


def words() -> Mapping[str, Sequence[str]]:
    """What stands in every text in which a rule finds anything, by rule."""
    unnamed = unnamed_words()
    return {
        "kinds": [needle for kind in kinds() for needle in kind.needles],
        "places": [needle for place in places() for needle in place.needles],
        "manifests": manifests(),
        "stems": names().stems,
        "tools": [f"{tool} " for tool in sorted(issuers().tools)],
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
