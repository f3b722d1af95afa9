"""Whether a value of a summary occurs in the messages, in any form."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from core.compress.facts.collect import endings
from core.compress.facts.lexicon import lexicon, spellings
from core.compress.facts.values import FactValue, parts_of
from core.compress.retention.claims.days import is_day, is_named_day
from core.compress.retention.ground.claim_words import claim_words
from core.compress.retention.ground.evidence import Evidence
from core.compress.retention.ground.figures import is_apart, is_small, plain_number

COUNTED = frozenset(
    ("line", "lines", "rows", "messages", "calls", "turns", "files", "char", "chars", "characters", "times")
)
"""Things that the writer of a summary counts, if they are few."""

_FEW_DIGITS, _ADDED = 2, 8
"""Digits of a count that a writer may make; how many figures of a sentence are tried as addends."""

_LONG, _COMPARED = 1_000, 60
"""A figure from this on is no sum of others by chance; how many others are tried."""

_ROUNDED = 3
"""A rounded figure has at most this many digits: `about 2,198` was said exactly somewhere."""

_LEAST_WORDS = 3
_TELLING, _BRIEF_LINE = re.compile(r"[\w./-]*(?:\d[\w./-]{3}|[\w/-]{3}\d|_\w{3})[\w./-]*"), 200
"""A name or figure that identifies one thing; and the longest line, in characters, about one thing."""

_EXACT = 3
"""A figure with a fraction and more characters than this identifies its subject, as in `cpu 0.684 total`."""

_FRAMEWORK = re.compile(r"[A-Z]\w*\.js")
"""A library that is called as a file, but by its name alone elsewhere: `Next.js`."""

_CODE = re.compile(r"\b(?:HTTP|status|codes?|exit) $", re.IGNORECASE)
_CODES = re.compile(r"[45]\d\ds")
_STATUS = re.compile(r"[45]\d\d (?!of |and |or |in |to )(?:errors|[a-z]*[a-rt-z])\b")
_GLUED = re.compile(r"^[\u3040-\u9fff]+(?=[A-Za-z][\w.-]*$)|^[^/]*[\u3040-\u309f](?=[^/\u3040-\u309f]+$)")
"""Words of a script without spaces before the name of a file: `効果音BREAK.mp3`."""

_WORDS_ALONE = re.compile(r"[^\x00-\x7f]+(?:/[^\x00-\x7f]+)+")
"""Words of a script without spaces with slashes between them, as in a list: `新华网/中新网`."""

_FIGURE = re.compile(r"\d[\d,]*(?:\.\d+)?")
_CURRENCIES = frozenset((*"€£¥", "eur", "usd", "gbp", "chf", "cny", "jpy", "dollars", "euros", "pounds"))
_SECONDS = frozenset(("s", "sec", "secs", "second", "seconds"))
_PLACEHOLDER = re.compile(r"/(?:[A-Z_]+|[<{].*[>}])$")
"""Stands in an address for what everybody puts there: `/KEY`."""

_NUMBERED = re.compile(r"(?:#|v(?=\d))(.+)")
"""An issue or a version, which texts also give without the sign: `v0.4.4`."""

_ALONE = re.compile(r"(?<![\w.,/#:+-])(?:0x[0-9a-f]+|\d+(?:[.,:]\d+)*)(?![\w/-]|[.,:]\d)", re.ASCII)
_ADDRESS = re.compile(r"(\d+(?:\.\d+){3}):(\d+)")
_GENERATED = re.compile(
    r"(?<![\w./#@:+-])(?=[\w-]*\d[\w-]*\d)(?=\w*[_-])[A-Za-z][\w-]{7,}(?![\w/@]|\.\w)", re.ASCII
)
"""A name of letters, figures and dashes, as programs generate them."""

_MODEL = re.compile(
    r"(?<![\w./#@:+-])(?=[a-z-]{0,60}+\d)[a-z]{3,20}+"
    r"(?:(?:-[a-z\d]{1,24}+(?:\.\d{1,6}+[a-z]{0,8}+)*+){2,5}+|-\d{1,2}(?:[a-rt-z]|(?:\.\d{1,3})+[a-z]?))"
    r"(?![\w/@-]|\.\w)",
    re.ASCII,
)
"""A name of parts with dashes, one of which is a version: `gpt-4o-mini`, `gpt-4o`."""

_IDENTIFIER = re.compile(r"[\w.-]+")
_LONG_WORD = re.compile(r"\w{3,}")


def stands(fact: FactValue, sentence: str, evidence: Evidence) -> bool:
    """Whether the messages hold a value.

    Args:
        fact: The value.
        sentence: The sentence of the summary with the value.
        evidence: What the messages support.
    """
    value = fact.value
    if evidence.found(value):
        return True
    match fact.category:
        case "paths":
            return _path(value, evidence)
        case "numbers":
            return _number(value, sentence, evidence)
        case "dates":
            return is_named_day(value, sentence, evidence)
        case "urls":
            address = _PLACEHOLDER.sub("", value.partition("?")[0].rstrip("/"))
            return evidence.holds(address.partition("://")[2] or address)
        case "hashes":
            return evidence.holds(value.removeprefix("sha256:")[:7])
        case "names":
            return _name(value, evidence)
        case _:
            numbered = _NUMBERED.match(value)
            known = evidence.holds(value) or (numbered is not None and evidence.mentions(numbered[1]))
            return known or _is_range(value, evidence)


def _is_range(value: str, evidence: Evidence) -> bool:
    """Whether a value is the first and the last of several ids: `B1001-B1003`."""
    ends = re.split("[-–]", value)
    return len(ends) == len(("first", "last")) and all(map(evidence.mentions, ends))


def may_be_own_count(figure: str, counted: str, sentence: str, evidence: Evidence) -> bool:
    """Whether the writer of a summary, or the program that recorded a call, may have counted that many."""
    few = len(figure.partition(".")[0]) <= _FEW_DIGITS
    return counted.rstrip(".,;)") in COUNTED and (few or evidence.is_record(sentence))


def _path(path: str, evidence: Evidence) -> bool:
    """A file is known by its name and folder, anything else if its parent folders are known."""
    parts = endings(_GLUED.sub("", path))
    of_program = _FRAMEWORK.fullmatch(path) and evidence.mentions(path.removesuffix(".js"))
    if not parts or of_program or _WORDS_ALONE.fullmatch(path):
        return True
    if any(map(evidence.holds, (path, path.replace("\\", "/"), parts[0].replace("/", "\\")))):
        return True
    if not evidence.mentions(parts[-1]):
        return False
    names = path.rstrip("/").split("/")
    in_folder = "/".join(names[-2:]).lower()
    if lexicon().file_name.fullmatch(parts[-1]):
        either = all(lexicon().file_name.fullmatch(name) and evidence.mentions(name) for name in names)
        return either or evidence.holds(parts[-2:][0]) or _is_in_listing(in_folder, evidence)
    words = len(names) >= _LEAST_WORDS and "".join(names).isalpha() and not evidence.holds(f"{names[0]}/")
    alike = words or all(name[:1].isupper() for name in names) or all(name[:1] == "." for name in names)
    enumerated = alike and all(map(evidence.mentions, names))
    return enumerated or len(parts) == 1 or _is_route(path, evidence) or _is_in_listing(in_folder, evidence)


def _is_route(path: str, evidence: Evidence) -> bool:
    """Whether code puts an address together: `"/api/bookings"` of a class and `"/reserve"` of a method."""
    halves = ((path[: one.start()], path[one.start() :]) for one in re.finditer("(?<=.)/", path))
    quoted = ((f"{quote}{start}", f"{quote}{end}") for start, end in halves for quote in "\"'`")
    return any(evidence.holds(start) and evidence.holds(end) for start, end in quoted)


def _is_in_listing(path: str, evidence: Evidence) -> bool:
    """Whether a listing, or a command in its folder, has a file: the folder, and its name near or behind."""
    folder, _, name = path.rpartition("/")
    if not folder:
        return False
    alone = re.compile(rf"(?<![\w./\\-]){re.escape(name)}(?![\w-])")
    entered = re.compile(rf"\bcd \S*{re.escape(folder)}/?[\\\"']* *(?:&&|;)")
    has_ending = "." in name  # without one it is a word, which stands somewhere behind any folder
    listed = any(map(alone.search, evidence.near(folder, behind=has_ending)))
    return listed or any(map(entered.search, evidence.lines(name)))


def _number(value: str, sentence: str, evidence: Evidence) -> bool:
    match, at = _FIGURE.search(value), sentence.find(value)
    if match is None:
        return True
    before, counted = sentence[:at], sentence[at + len(value) :].split(maxsplit=1)[:1]
    figure = plain_number(match.group().rstrip(","))
    unit = value[match.end() :].strip()
    unit = "" if unit in claim_words().classifiers else unit
    own = [word for word in (unit, *counted) if word.rstrip(".,;)") in COUNTED]
    if own:
        known = any(map(evidence.mentions, spellings(figure)))
        return known or may_be_own_count(figure, own[0], sentence, evidence)
    if is_code(before, value):
        return evidence.holds(figure)
    money = value[:1] in "$€£¥" or unit.lower() in _CURRENCIES
    few = is_small(figure) and not money and unit not in lexicon().dull_units
    apart = claim_words().apart.match(value[match.end() :] + sentence[at + len(value) :])
    if few or apart or is_rough(sentence, at, figure) or _is_sum(figure, sentence):
        return True
    if claim_words().limit.search(before) and evidence.mentions(figure):
        return True
    if _is_put_otherwise(figure, unit, evidence, money=money):
        return True
    return _is_written(figure, unit, sentence, evidence, money=money)


def _is_put_otherwise(figure: str, unit: str, evidence: Evidence, *, money: bool) -> bool:
    """Whether the messages give a figure more exactly, as a fraction, in another unit or as a day."""
    times, figures = lexicon().scales.get(unit.lower(), 1), evidence.figures
    if (figure == "0" and unit in lexicon().dull_units) or is_day(figure, evidence):
        return True
    if figures.is_share(figure, unit) or figures.rounds_to(figure, times):
        return True
    if unit in _SECONDS and evidence.mentions(f"{figure}000"):
        return True  # programs are given milliseconds: `timeout(15000)`
    return not money and figures.in_other_unit(figure, times)


def _is_written(figure: str, unit: str, sentence: str, evidence: Evidence, *, money: bool) -> bool:
    """Whether the messages have a figure as it is, with its unit or beside what the sentence names."""
    if evidence.accounts.voices.gives(figure) or (len(figure) > _EXACT and evidence.mentions(figure)):
        return True
    if unit and not money:
        return _has_unit(figure, unit, evidence) or _is_beside(figure, sentence, evidence)
    forms = (*spellings(figure), *((f"{figure}.0", *spellings(f"{figure}.00")) if money else ()))
    return any(map(evidence.mentions, forms)) or (not money and evidence.tells(figure))


def _has_unit(figure: str, unit: str, evidence: Evidence) -> bool:
    """Whether the messages give a figure with its unit, exactly, as code, or have that many things."""
    return (
        any(evidence.measures(form, unit) for form in spellings(figure))
        or figure in evidence.counts(claim_words().counted.get(unit.removesuffix("s"), ()))
        or evidence.codes(figure)
    )


def _is_sum(figure: str, sentence: str) -> bool:
    """Whether a figure is reported as the sum or difference of two or three others in its sentence."""
    if not claim_words().sums.search(sentence):
        return False
    figures = {float(one.replace(",", "")) for one in _FIGURE.findall(sentence)}
    others = sorted(figures - {float(figure)})[:_ADDED]
    sums = {sum(some) for count in (2, 3) for some in combinations(others, count)}
    return float(figure) in sums or any(one + float(figure) in others for one in others)


def computed(known: Mapping[FactValue, bool]) -> Iterator[FactValue]:
    """The long figures that are the sum or difference of two others of the summary, which the messages hold.

    Args:
        known: The values of a summary, and whether the messages hold each.
    """
    figures = {fact: _FIGURE.search(fact.value) for fact in known if fact.category == "numbers"}
    numbers = {fact: float(plain_number(one.group().rstrip(","))) for fact, one in figures.items() if one}
    held = sorted({number for fact, number in numbers.items() if known[fact]})[-_COMPARED:]
    results = {result for one, other in combinations(held, 2) for result in (one + other, other - one)}
    yield from (fact for fact, number in numbers.items() if number >= _LONG and number in results)


def strange_figures(
    sentence: str, facts: Sequence[FactValue], evidence: Evidence
) -> Iterator[tuple[str, str]]:
    """Figures and codes that occur in no message."""
    for match in _ALONE.finditer(sentence):
        figure, next_word = match.group(), sentence[match.end() :].split(maxsplit=1)[:1]
        known = any(figure in fact.value for fact in facts)
        known = known or any(may_be_own_count(figure, word, sentence, evidence) for word in next_word)
        apart = is_apart(figure, sentence) or claim_words().apart.match(sentence, match.end())
        rough = apart or is_rough(sentence, match.start(), figure)
        told = evidence.tells(figure) or _is_address(figure, evidence) or is_day(figure, evidence)
        if not (known or is_small(figure) or rough or told):
            yield "numbers", figure
    named = (*_GENERATED.findall(sentence), *_MODEL.findall(sentence))
    codes = (code for code in named if not (evidence.mentions(code) or _is_range(code, evidence)))
    yield from (("ids", code) for code in codes if all(code not in fact.value for fact in facts))


def _is_address(figure: str, evidence: Evidence) -> bool:
    """Whether it is a host with a port, and the messages tell both: `DB_HOST=127.0.0.1`, `DB_PORT=3307`."""
    address = _ADDRESS.fullmatch(figure)
    return address is not None and all(map(evidence.mentions, address.groups()))


def is_rough(sentence: str, at: int, figure: str) -> bool:
    """Whether a figure is called approximate, or is round and follows one that is."""
    if len(re.sub("[,.:]", "", figure).strip("0")) > _ROUNDED:
        return False
    before = sentence[:at]
    if claim_words().rough_behind.match(sentence, at):
        return True
    places = [at, *(match.start() for match in _FIGURE.finditer(before) if figure.endswith("0"))]
    return any(claim_words().rough.search(before[max(0, place - 16) : place]) for place in places)


def is_code(before: str, value: str = "") -> bool:
    """Whether a number, by the words before it or by itself, is an error code and not a count."""
    return any((_CODE.search(before), _STATUS.match(value), _CODES.fullmatch(value)))


def _is_beside(figure: str, sentence: str, evidence: Evidence) -> bool:
    """Whether a figure, without its unit, is beside another name or figure of its sentence there too."""
    others = [one for one in _TELLING.findall(sentence.lower()) if figure not in one]
    return any(one in line for line in evidence.lines(figure) if len(line) < _BRIEF_LINE for one in others)


def _name(value: str, evidence: Evidence) -> bool:
    """A name in code as written or by its last part; quoted words only approximately."""
    if evidence.holds(value.removesuffix("s")):
        return True
    acronym = value.isupper() and "_" not in value
    if not _IDENTIFIER.fullmatch(value) or acronym:
        words = _LONG_WORD.findall(value)
        return acronym or 2 * sum(map(evidence.holds, words)) >= len(words)
    match parts_of(value):
        case (first, second) if evidence.writes_as_two(first, second):
            return True
    last = value.rpartition(".")[2]
    return len(last) > _LEAST_WORDS and last != value and evidence.mentions(last)
