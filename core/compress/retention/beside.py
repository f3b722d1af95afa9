"""Values a summary tells of one thing that the messages tell of another: figures, ids, places.

A value is another's when places of the messages that tell of the rest of the claim hold a different value of
the same kind, and those that hold the value itself tell much less of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from core.compress.facts.topic import forms_of, roots
from core.compress.facts.values import FactValue
from core.compress.retention.attributed import subject
from core.compress.retention.evidence import Evidence

Claims = Iterator[tuple[str, str]]
Weights = Mapping[str, float]

_NUMBERS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_WORDS = {word: str(number) for number, word in enumerate(_NUMBERS, 2)}
_FIGURE = rf"(?<![\w.,/#:$+-])(?P<figure>\d[\d,]*|{'|'.join(_WORDS)})"
COUNTED = frozenset(
    ("line", "lines", "rows", "messages", "calls", "turns", "files", "char", "chars", "characters")
)
"""What whoever writes a summary counts, whatever its number."""

_SMALL_WORD = "and|or|of|in|to|the|is|are|was|were|with|on|at|for|by"
_COUNTED = re.compile(
    rf"{_FIGURE}(?P<things>(?:\s+(?!(?:{_SMALL_WORD})\b)[a-z][\w-]*\b(?![/\\=])){{1,3}})", re.IGNORECASE
)
_BEFORE = re.compile(rf"{_FIGURE}[ \t]+(?:[^\W\d][\w*`'-]*[ \t]+){{0,2}}[^\W\d]*$", re.IGNORECASE)
"""A figure and at most two words, in front of what it counts."""

_CLAUSE = re.compile(r"[;:]\s+|,\s+(?:and |but |so |then )|\s+then\s+")
_PART = re.compile(r"[;:]\s+")
_ITEM = re.compile(r"[;:,]\s+")
_KINDS = {
    "hashes": re.compile(r"(?<![\w-])(?=\d*[a-f])(?=[a-f]*\d)[0-9a-f]{7,40}(?![\w-])"),
    "tickets": re.compile(r"(?<![\w-])[A-Z]{2,10}-\d+(?![\w-])"),
    "issues": re.compile(r"(?<!\w)#\d+\b"),
    "codes": re.compile(r"(?<![\w-])(?=[A-Z]*\d)(?=\d*[A-Z])[A-Z0-9]{5,8}(?![\w-])"),
}
"""What an id is one of."""

_LIKE = {kind: re.compile(pattern.pattern, re.IGNORECASE) for kind, pattern in _KINDS.items()}

_INSIDE = re.compile(
    r"\b(?:in|to|into|from|of|at|inside|within)\s+(?:the (?:file )?)?[`'\"(]?$", re.IGNORECASE
)
_NAME = re.compile(r"[A-Za-z_][\w.]*(?:\(\))?")
_ROUGH = re.compile(
    r"(?:~|≈|about|around|roughly|approximately|circa|over|almost|nearly)\s*[$€£¥]?$", re.IGNORECASE
)

_NEAR, _CLOSE, _NEAR_ID, _FAR, _BACK = 200, 60, 150, 250, 40
"""Characters on both sides that tell what is counted, what a figure is of, what another id is of and what the
one claimed; and those in front of what a figure counts."""

_OTHER, _LESS = 0.6, 0.4
"""Share of the rest of a claim that a place with another value holds, and how much less its own do."""

_SHORTEST, _HASH, _RAREST = 4, 7, 2
"""Letters of a thing that is counted; digits by which a commit is known; words a place is looked for by."""

_TELLING, _LONGEST = 1.0, 1000
"""Weight of the rest of a claim from which it tells what it is about; characters of a sentence looked at."""


def beside(sentence: str, facts: Sequence[FactValue], evidence: Evidence) -> Claims:
    """The values of a sentence that belong to something else, by category.

    Args:
        sentence: A sentence of the summary, without what it quotes.
        facts: The values in it.
        evidence: What the messages bear out.
    """
    if len(sentence) > _LONGEST:
        return
    for clause in _CLAUSE.split(sentence):
        yield from _counted(clause, facts, evidence)
    for part in _PART.split(sentence):
        yield from _identified(part, facts, evidence)
    for part in _ITEM.split(sentence):
        yield from _placed(part, facts, evidence)


def _figure(text: str) -> str:
    plain = text.lower().replace(",", "").removesuffix(".00")
    return _WORDS.get(plain, plain)


def _rest(match: re.Match[str], facts: Sequence[FactValue], evidence: Evidence) -> Weights:
    """What a claim speaks of but for a match, weighed; empty when that tells too little."""
    text = f"{match.string[: match.start()]} {match.string[match.end() :]}"
    names, words = subject(text, facts, whole=True)
    weights = evidence.accounts.weigh(names, [word for word in words if not word.isdigit()])
    rough = _ROUGH.search(match.string[max(0, match.start() - 16) : match.start()])
    return {} if rough or sum(weights.values()) < _TELLING else weights


def _share(place: str, weights: Weights) -> float:
    held = (weight for term, weight in weights.items() if any(form in place for form in forms_of(term)))
    return sum(held) / sum(weights.values())


def _is_another_s(figure: str, places: Iterable[tuple[str, str]], weights: Weights) -> bool:
    """Whether places with another figure tell more of the rest than those with this one."""
    own = other = 0.0
    for found, place in places:
        share = _share(place, weights)
        if _figure(found) == figure:
            own = max(own, share)
        else:
            other = max(other, share)
    return other >= _OTHER and own <= other - _LESS


def _counted(clause: str, facts: Sequence[FactValue], evidence: Evidence) -> Claims:
    """How many of a thing there are."""
    for match in _COUNTED.finditer(clause):
        weights, figure = _rest(match, facts, evidence), _figure(match["figure"])
        things = [thing.lower() for thing in match["things"].split() if len(thing) >= _SHORTEST]
        labels = (f"{thing}{between}{figure}" for thing in things for between in (": ", " (", " "))
        if not weights or COUNTED.intersection(things) or any(map(evidence.mentions, labels)):
            continue
        for thing in (thing for thing in reversed(things) if thing.endswith("s")):
            stands = evidence.places(_stem(thing), _NEAR)
            figures = ((_BEFORE.search(front[-_BACK:]), f"{front}{behind}") for front, behind in stands)
            places = [(found["figure"], place) for found, place in figures if found]
            if len(figure) > 1 and places:
                places += [(figure, "".join(place)) for place in evidence.places(figure, _CLOSE)]
            if places:
                if _is_another_s(figure, places, weights):
                    yield "numbers", match.group()
                break


def _stem(thing: str) -> str:
    root = next(iter(roots(thing)), thing)
    return root if root in thing else thing.rstrip("s")


def _identified(part: str, facts: Sequence[FactValue], evidence: Evidence) -> Claims:
    """The one id of a clause."""
    found = [(kind, match) for kind, pattern in _KINDS.items() for match in pattern.finditer(part)]
    weights = _rest(found[0][1], facts, evidence) if len(found) == 1 else {}
    if not weights:
        return
    kind, match = found[0]
    key = match.group().lower()[: _HASH if kind == "hashes" else None].lstrip("#")
    own = max((_share("".join(place), weights) for place in evidence.places(key, _FAR)), default=0.0)
    if own > 1 - _LESS:
        return
    rarest = sorted(weights, key=weights.__getitem__)[-_RAREST:]
    stands = (
        place for term in rarest for form in forms_of(term) for place in evidence.places(form, _NEAR_ID)
    )
    places = (place for place in map("".join, stands) if key not in place)
    told = (place for place in places if _share(place, weights) >= max(_OTHER, own + _LESS))
    if any(evidence.found(other) for place in told for other in _LIKE[kind].findall(place)):
        yield ("hashes" if kind == "hashes" else "ids"), match.group()


def _placed(part: str, facts: Sequence[FactValue], evidence: Evidence) -> Claims:
    """The file a name of code is said to be in."""
    paths = [fact.value for fact in facts if fact.category == "paths" and fact.value in part]
    if len(paths) != 1 or not _INSIDE.search(part[: part.find(paths[0])]):
        return
    file = paths[0].lower().rpartition("/")[2]
    names = [fact.value for fact in facts if fact.category in ("names", "ids") and fact.value in part]
    for name in names[:2]:
        last = name.lower().removesuffix("()").rpartition(".")[2]
        plain = _NAME.fullmatch(name) and not name.isupper() and part.find(name) < part.find(paths[0])
        if plain and file and not evidence.side_by_side(last, file):
            yield "names", name
