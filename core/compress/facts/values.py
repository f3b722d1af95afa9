"""Facts of one text: paths, addresses, ids, hashes, numbers with units, error lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from core.compress.facts.lexicon import dates, lexicon
from core.compress.facts.topic import camel_apart, terms

MAX_VALUES_PER_TEXT = 60
"""The most facts of one category taken from one text, as a listing of many files is one fact."""

MAX_FACT_CHARS = 200
"""The longest fact, in characters."""

_EDGE = r"\s\"'`<>(){},;|\[\]=*（）「」，。；：、"
_TOKEN = re.compile(rf"(?<![^{_EDGE}])[^{_EDGE}\d/\\.]{{0,80}}[\d/\\.][^{_EDGE}]{{1,300}}")
"""A word with a digit, a slash or a dot: only such a word can be a fact."""

_DIFF = re.compile(r"^(?:---|\+\+\+|diff --git) [ab]/", re.MULTILINE)
"""A line of a diff, which puts a letter before the paths of both sides."""

_SECTION = re.compile(r"^[ \t]*(?:#+ )?\d+(?:\.\d+){2,} (?=[A-Z])", re.MULTILINE)
"""The number of a heading, which looks like a version."""

_TELLING = re.compile(r"[\d/\\.]").search
_RUN_ON = re.compile(
    r"(?<=[\u3040-\u9fff])(?=[\dA-Za-z][\dA-Za-z_-]{4,}(?![\w./\\]*[/\\.])|~?/(?:Users|home|root|tmp|var|etc|opt)/)"
    r"|(?<=[\u3040-\u309f])(?=[\w./~])|(?<=\w)(?=[\u3040-\u309f\uac00-\ud7a3])"
    r"|(?<=[\u30a0-\u9fff])(?=[A-Za-z_][\w-]{2,}(?:/[\w.-]+)*\.[A-Za-z]\w{0,5}(?![\w./-]))"
    r"|(?<=[\w.-]{4}[\da-z])(?=[\u4e00-\u9fff])",
    re.ASCII,
)
"""Where a script without spaces is followed by an id, figure or path, follows a name, or has a particle."""

_WEB = re.compile(
    r"https?://[^\s\"'`<>()\[\]{}|\\，。；、（）：,/?#]{3,250}"
    r"(?:[/?#](?:[^\s\"'`<>()\[\]{}|\\，。；、（）,]|,(?![\u3040-\u9fff])){0,400})?"
)
_URL = re.compile(r"[a-z][a-z0-9+.-]{1,12}://[^\s]{3,}", re.IGNORECASE)
_PATH = re.compile(r"(?:[A-Za-z]:)?(?:~|\.{1,2})?[/\\]?(?:[\w.@+%~$-]+[/\\])+[\w.@+%~$-]*")
_LABEL = r"(?:[a-z0-9][a-z0-9-]{0,40}\.)"
_HOST = re.compile(
    rf"{_LABEL}{{1,4}}(?:com|org|net|edu|gov|info|xyz|cn|ir|jp|kr|ru|tw|ua|vn)|{_LABEL}{{2,4}}(?:io|dev|app|ai|eu|uk|de|fr|es)"
)
_UUID = re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_HASH = re.compile(r"(?:sha\d{1,3}:)?(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{7,64}")
_ID = re.compile(
    r"[A-Z][A-Z0-9]{1,9}(?:-\d{1,9}){1,3}|[A-Za-z]-\d{2,9}|#\d{1,7}|!\d{2,7}"  # tickets, requests to merge
    r"|[A-Z]{1,2}\d{2,4}|#[A-Z]{1,3}\d{3,10}"  # rooms, rules, entries, orders
    r"|(?!\d{1,3}(?:\.\d{3})+$|\d\d?\.\d\d?\.\d{4}$)"  # no sum and no day, but
    r"v?\d{1,3}(?:\.\d{1,5}){2,3}(?:-?[a-z]{1,5}\.?\d{0,4})?"  # versions and hosts
    r"|0\d{1,4}-\d{5,10}|\+?\d{1,3}(?:-\d{3}){1,2}-\d{4}"  # telephones
    r"|[A-Za-z][A-Za-z0-9]{0,30}(?:_[A-Za-z0-9]{1,40}){0,4}_(?=[A-Za-z0-9]*\d[A-Za-z0-9]*\d)[A-Za-z0-9]{3,64}"
    r"|(?=[A-Z0-9]*[A-Z])(?=[A-Z0-9]*\d)(?!\d+[KMGT]B$)[A-Z0-9]{5,16}"  # booking codes, no sizes
    r"|\d{7,16}"
)
_COLOUR = re.compile(r"#?(?=[0-9A-F]*[A-F])(?=[0-9A-F]*\d)[0-9A-F]{6}")
"""A colour in digits, which looks like a booking code."""

_LINE_SUFFIX = re.compile(r":\d+(?::\d+)?:?$|(?<=[a-z])-\d+-.{0,3}$")
_FOUND_LINE = re.compile(r"(?P<end>\.[A-Za-z]\w{0,7})(?::\d+:|-\d+-).*$")
"""A file name followed by the number and start of a line that a search found in it."""
_DIGIT = re.compile(r"\d")
_REST = r"[\d,]{0,15}+(?:\.\d{1,9}+)?(?:,\d\d(?!\d))?"
_UNIT = r"[%％€£¥]|°?[A-Za-zµ]{1,8}(?:/s)?|[\u4e00-\u9fff]"
_MEASURE = re.compile(  # begins with its digit, which is found fast; what stands before it is looked at after
    rf"\d(?:(?<![A-Za-z\d_.,\-/#$€£¥]\d){_REST}\s?(?P<unit>{_UNIT})(?![A-Za-z0-9_目])|(?<=[$€£¥]\d){_REST})"
)
_STRIP = ".,:;!?'\"`*_#)"
_ESCAPE = re.compile(r"(?<!:)\\(?:u[0-9a-fA-F]{4}|[nrt](?![a-z]))")
"""Left over from text that was encoded twice; `C:\\notes` is not one."""

_RELEASE = re.compile(r"[A-Za-z]+/\d+(?:\.\d+)+")
"""A program with its version: `Mozilla/5.0`."""

_PATTERN, _DRIVE = re.compile(r"\\(?!\w|\\)"), re.compile(r"[A-Za-z]:")
"""A backslash that no name follows is part of a pattern: `report\\.csv`."""

_LINES = re.compile(r"[^\\/:]*(?:\\[nrt][^\\/]*)+")
"""Lines of a text that was encoded twice, unless they end in a file name."""

_AROUND = re.compile(r"^(?:output|std(?:out|err)): |^\s*<\w{1,30}>|</\w{1,30}>\s*$")
"""What a tool or a client puts around a line that reports a failure."""

_MAX_LINE_CHARS = 300
_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_QUOTED, _LONGEST_NAME = re.compile(r"(?<![`\w])`(?=\S)([^`\n]{1,600})(?<=\S)`(?!`)"), 60
"""What a text sets as code, which is a name up to so many characters."""

_NAME = re.compile(
    r"(?<![\w/.$-])(?:"
    r"--[a-z][\w-]{2,40}"  # a flag
    r"|(?:[A-Za-z_]\w{0,40}\.){0,3}[A-Za-z_]\w{0,60}\(\)"  # a function
    r"|[A-Za-z]\w{0,40}\.[A-Z]\w{1,60}"  # a member
    r"|[A-Za-z][a-z0-9]{1,40}[A-Z][A-Za-z0-9]{0,120}"  # camel case
    r"|[A-Z]{2,20}[a-z][A-Za-z0-9]{2,60}|i[A-Z][a-z][A-Za-z0-9]{1,60}"
    r"|[A-Za-z][A-Za-z0-9]{0,40}(?:_[A-Za-z0-9]{1,40}){1,8}"  # snake case
    r"|(?<![A-Z] )[A-Z]{3,4}(?! [A-Z]{2})"  # a code, such as that of an airport
    r")(?![\w/-])"
)
_CALLED = re.compile(r"[\w.*&]{3,60}\([^()]{0,40}\)")
_BOLD, _PHRASE_WORDS = re.compile(r"\*\*([^*\n]{3,50})\*\*"), 5
"""What an assistant sets in bold, and how many words of it are a name rather than a sentence."""

_CAPITALISED = re.compile(r"(?<=[a-z,(:*] )[A-Z][a-zA-Z0-9]{2,15}(?: [A-Z][a-zA-Z0-9]{2,15}){1,3}(?![\w-])")
_HEADING = re.compile(r"^#{1,6} .*$", re.MULTILINE)
_PLAIN = re.compile(
    r"(?<![\w.,\-/#$€£¥:])(?:\d{3,6}(?:\.\d{1,4})?|\d{1,3}(?:,\d{3})+(?:\.\d{1,4})?|\d{1,2}\.\d{2,4})(?![\w%/:-]|[.,]\d)"
)
_WORD = re.compile(r"[A-Za-z]+")


class FactValue(NamedTuple):
    """One fact of a text."""

    category: str
    value: str


def values(text: str, *, errors: bool = True, limit: int = MAX_VALUES_PER_TEXT) -> list[FactValue]:
    """The facts of a text, each value once, ordered by kind.

    Args:
        text: Any text; the scan takes time linear in its length.
        errors: Also take error lines, which are facts in tool output but talk elsewhere.
        limit: How many facts of one category are taken.
    """
    found = list(dict.fromkeys(_all(text, errors)))
    if len(found) <= limit:
        return found
    left = dict.fromkeys((fact.category for fact in found), limit)
    kept = []
    for fact in found:
        left[fact.category] -= 1
        if left[fact.category] >= 0:
            kept.append(fact)
    return kept


def _all(text: str, errors: bool) -> list[FactValue]:
    """Web addresses, then facts that are words, then measures and errors."""
    found: list[FactValue] = []
    if _TELLING(text):
        text = _SECTION.sub("", text)
        found += [FactValue("urls", url.rstrip(_STRIP)[:MAX_FACT_CHARS]) for url in _WEB.findall(text)]
        words = " ".join(filter(_TELLING, dict.fromkeys(text.split())))
        words = words if words.isascii() else _RUN_ON.sub(" ", words)
        tokens = _TOKEN.findall(words)
        if _DIFF.search(text):
            tokens = [token.removeprefix("a/").removeprefix("b/") for token in tokens]
        found += filter(None, map(classify, dict.fromkeys(tokens)))
        found += [FactValue("numbers", measure) for measure in measures(text)]
    if errors:
        found += [FactValue("errors", line) for line in error_lines(text)]
    return found


@lru_cache(maxsize=65536)
def classify(token: str) -> FactValue | None:
    """What a token is, without the punctuation around it; None if it is no fact."""
    value = token.rstrip(_STRIP)
    if not 2 < len(value) <= MAX_FACT_CHARS:
        return None
    if "://" in value:
        return FactValue("urls", value) if _URL.match(value) and not _WEB.match(value) else None
    plain = _LINE_SUFFIX.sub("", _FOUND_LINE.sub(r"\g<end>", value))
    if "/" in plain or "\\" in plain:
        return FactValue("paths", plain) if _is_path(plain) else None
    if lexicon().file_name.fullmatch(plain):
        return None if lexicon().device.match(plain) else FactValue("paths", plain)
    if _EMAIL.fullmatch(value):
        return FactValue("ids", value)
    if _HOST.fullmatch(value):
        return FactValue("urls", value)
    if not _DIGIT.search(value):
        return None
    if _COLOUR.fullmatch(value) or value in lexicon().known_codes:
        return None
    if _UUID.fullmatch(value) or _ID.fullmatch(value):
        return FactValue("ids", value)
    return FactValue("hashes", value) if _HASH.fullmatch(value) else None


def _is_path(value: str) -> bool:
    match = _PATH.match(value)
    other = _ESCAPE.search(value) or _RELEASE.fullmatch(value)
    if match is None or other or not any(map(str.isalpha, value)):
        return False
    if _LINES.fullmatch(value) and not lexicon().file_name.search(value):
        return False
    if lexicon().device.match(value) or (_PATTERN.search(value) and not _DRIVE.match(value)):
        return False
    if match.end() < len(value) and not value.startswith(("/", "~", ".")):
        return False
    parts = [part for part in re.split(r"[/\\]", value) if part]
    rooted = value[0] in "/~." or value[1:3] in (":\\", ":/")
    named = "." in parts[-1][1:] if parts else False
    return bool(parts) and (named or (rooted and len(parts) >= 2) or len(parts) >= 3 or value.endswith("/"))


def measures(text: str) -> Iterator[str]:
    """Numbers with their units, and amounts of money."""
    units = lexicon().units
    for match in _MEASURE.finditer(text):
        unit = match["unit"]
        if unit is None:
            yield text[match.start() - 1 : match.end()].rstrip(",")
        elif unit in units or unit.lower() in units:
            yield " ".join(match.group().split())


_STATED = re.compile(r"error: [A-Z](?!one\b)")
"""An error that a JSON result names, and no code that mentions one."""


def error_lines(text: str) -> Iterator[str]:
    """Lines that report a failure, with white space collapsed; not code, nor counts of zero."""
    words = lexicon()
    stems = [stem for stem in words.error_stems if stem in text]
    starts = sorted({start for stem in stems for start in _lines_with(text, stem)})
    for start in starts:
        end = text.find("\n", start)
        raw = text[start : min(len(text) if end < 0 else end, start + _MAX_LINE_CHARS)]
        failed = words.error.search(raw) or words.error_words.search(raw.lower())
        if failed and (_STATED.match(raw) or not words.harmless.search(raw)):
            line = " ".join(_AROUND.sub("", raw).split())[:MAX_FACT_CHARS].rstrip()
            if line:
                yield line


def _lines_with(text: str, stem: str) -> Iterator[int]:
    """Start positions of lines that contain a stem."""
    at = text.find(stem)
    while at >= 0:
        yield text.rfind("\n", 0, at) + 1
        end = text.find("\n", at)
        at = text.find(stem, end) if end >= 0 else -1


def without_code(text: str) -> str:
    """A text without its code blocks."""
    return _FENCE.sub("\n", text) if "```" in text else text


def prose_values(text: str) -> Iterator[FactValue]:
    """The names, dates and plain figures in prose; code blocks are not read."""
    prose = without_code(text)
    found: dict[FactValue, None] = {}
    for quoted in _QUOTED.findall(prose) if "`" in prose else ():
        if 1 < len(quoted) <= _LONGEST_NAME and classify(quoted) is None and any(map(str.isalpha, quoted)):
            name = quoted.strip()
            found[FactValue("names", name.partition("(")[0] if _CALLED.fullmatch(name) else name)] = None
    unusual = " ".join(word for word in dict.fromkeys(prose.split()) if not _is_plain(word))
    known = lexicon().known_codes | lexicon().dull_units
    for name in dict.fromkeys(_names(unusual)):
        if name not in known and classify(name) is None and terms(name):
            found[FactValue("names", name.removesuffix("()"))] = None
    for date in dates(prose):
        found[FactValue("dates", date)] = None
    for figure in _PLAIN.findall(prose):
        found[FactValue("numbers", figure)] = None
    yield from found


def _names(words: str) -> Iterator[str]:
    """The words written as names in programs are; the first part of a file's name is none of its own."""
    for match in _NAME.finditer(words):
        word = words[match.start() : match.start() + MAX_FACT_CHARS].partition(" ")[0]
        whole = classify(word) if word != match.group() else None
        if whole is None or whole.category != "paths":
            yield match.group()


def emphasised(text: str) -> Iterator[str]:
    """The short phrases a text sets in bold, and its names of several capitalised words; no headings."""
    prose = _HEADING.sub("", without_code(text))
    yield from dict.fromkeys(
        phrase
        for phrase in (bold.strip(" :.") for bold in _BOLD.findall(prose))
        if len(phrase.split()) <= _PHRASE_WORDS and terms(phrase)
    )
    yield from dict.fromkeys(_CAPITALISED.findall(prose))


def _is_plain(word: str) -> bool:
    """Whether a word is plain language, not a name in code."""
    if "_" in word or "(" in word or word.startswith("--"):
        return False
    return word.islower() or (word[:1].isupper() and word[1:].islower() and "." not in word)


def parts_of(name: str) -> tuple[str, ...]:
    """The words of a name in code, in lower case."""
    return tuple(word.lower() for word in _WORD.findall(camel_apart(name)))
