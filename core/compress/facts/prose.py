"""What only prose tells: names of code, codes of places, dates, and plain figures."""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.compress.facts.lexicon import lexicon
from core.compress.facts.topic import terms
from core.compress.facts.values import AnchorValue, classify

_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_QUOTED = re.compile(r"(?<![`\w])`([^`\n]{2,60})`(?!`)")
_NAME = re.compile(
    r"(?<![\w/.$-])(?:"
    r"--[a-z][\w-]{2,40}"  # a flag
    r"|(?:[A-Za-z_]\w{0,40}\.){0,3}[A-Za-z_]\w{0,60}\(\)"  # a function
    r"|[A-Za-z]\w{0,40}\.[A-Z]\w{1,60}"  # a member
    r"|[A-Za-z][a-z0-9]{1,40}(?:[A-Z][A-Za-z0-9]{0,40})+"  # camel case
    r"|[A-Z]{2,20}[a-z][A-Za-z0-9]{2,60}"
    r"|[A-Za-z][A-Za-z0-9]{0,40}(?:_[A-Za-z0-9]{1,40}){1,8}"  # snake case
    r"|(?<![A-Z] )[A-Z]{3,4}(?! [A-Z]{2})"  # a code, such as that of an airport
    r")(?![\w/-])"
)
_CALLED = re.compile(r"[\w.*&]{3,60}\([^()]{0,40}\)")
_ISO = re.compile(r"(?<![\d-])(\d{4})-(\d{2})-(\d{2})(?![\d-])")
_MONTHS = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
_SPOKEN = re.compile(
    rf"\b(?P<month>{_MONTHS})[a-z]{{0,6}}\.?\s(?P<day>\d{{1,2}})(?:[snrt][tdh])?\b(?:,?\s(?P<year>\d{{4}}))?"
    rf"|\b(?P<day2>\d{{1,2}})\.?\s(?P<month2>{_MONTHS})[a-z]{{0,6}}\b\.?(?:\s(?P<year2>\d{{4}}))?",
    re.IGNORECASE,
)
_PLAIN = re.compile(r"(?<![\w.,\-/#$€£¥:])\d{3,6}(?:\.\d{1,4})?(?![\w%/:-]|[.,]\d)")
_WORD = re.compile(r"[A-Za-z]+")


def without_code(text: str) -> str:
    """A text without its blocks of code."""
    return _FENCE.sub("\n", text) if "```" in text else text


def prose_values(text: str) -> Iterator[AnchorValue]:
    """The names, dates and plain figures a person or an assistant says; code blocks are not read."""
    spoken = without_code(text)
    found: dict[AnchorValue, None] = {}
    for quoted in _QUOTED.findall(spoken) if "`" in spoken else ():
        if classify(quoted) is None and any(map(str.isalpha, quoted)):
            name = quoted.strip()
            found[AnchorValue("names", name.partition("(")[0] if _CALLED.fullmatch(name) else name)] = None
    telling = " ".join(word for word in dict.fromkeys(spoken.split()) if not _is_plain(word))
    for name in dict.fromkeys(_NAME.findall(telling)):
        if name not in lexicon().known_codes and classify(name) is None and terms(name):
            found[AnchorValue("names", name.removesuffix("()"))] = None
    for date in dates(spoken):
        found[AnchorValue("dates", date)] = None
    for figure in _PLAIN.findall(spoken):
        found[AnchorValue("numbers", figure)] = None
    yield from found


def _is_plain(word: str) -> bool:
    """Whether a word is of the language and no name of code."""
    if "_" in word or "(" in word or word.startswith("--"):
        return False
    return word.islower() or (word[:1].isupper() and word[1:].islower() and "." not in word)


def dates(text: str) -> Iterator[str]:
    """The days a text names, as it names them."""
    if "-" in text:
        yield from (match.group() for match in _ISO.finditer(text))
    lower = text.lower()
    if any(month in lower for month in _MONTHS.split("|")):
        yield from (match.group() for match in _SPOKEN.finditer(text))


def day_of(date: str) -> tuple[int, int] | None:
    """Month and day of a date in any form it is written in; the year is often left out."""
    iso = _ISO.search(date)
    if iso:
        return int(iso[2]), int(iso[3])
    spoken = _SPOKEN.search(date)
    if spoken is None:
        return None
    month, day = spoken["month"] or spoken["month2"], spoken["day"] or spoken["day2"]
    return _MONTHS.split("|").index(month.lower()[:3]) + 1, int(day)


def parts_of(name: str) -> tuple[str, ...]:
    """The words of a name of code, in lower case."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name)
    return tuple(word.lower() for word in _WORD.findall(spaced))
