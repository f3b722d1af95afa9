"""Values beside a name that marks them as secret: assignments, headers, flags, form fields, tags, prose."""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.redact.key_formats import has_odd_case, is_gibberish, mixes_letters_and_digits
from core.redact.secret_names import (
    Strength,
    entropy,
    is_code,
    is_first_of_several_words,
    is_likely,
    is_path,
    is_reference,
    looks_random,
    strength,
)
from core.redact.spans import OPENS_MASK, Hints, Hit, pattern
from core.redact.unnamed.shapes import is_key
from core.redact.unnamed.spoken import mentioned, value_after

_IDENTIFIER = pattern(r"[\w.\-]{1,96}")
_BEFORE_NAME = pattern(r"(?s:.*[^\w.\-])?")
_MAX_NAME = 64

_QUOTED = (
    r"""(?P<open>(?:\\{0,8}"){3}|[']{3}|\\{0,8}["'`])"""
    r"""(?P<quoted>(?:(?!(?P=open))(?:\\.|[^\n\\])){1,4096}?)(?P=open)"""
)
_UNQUOTED = r"""(?P<bare>(?:[^\s\x1b"'`,;&=<>(){}\[\]\\|，。；]|[&=](?!\w{1,40}=)){1,512})"""
_COLOURED = r"(?:(?:\x1b|\\{1,8}(?:u001b|x1b|033|e))\[[0-9;]{0,12}m){0,3}"
_CLOSE = rf"""(?:\\{{0,8}}["'`]|\*\*)?(?:\]|\[\d{{0,4}}\])?{_COLOURED}"""
_ANNOTATION = (
    r"(?::[ \t]{0,4}(?:&(?:'\w{1,16} )?)?[A-Za-z_][\w.|\[\] ?]{0,40}?(?==)"
    r"|\{[ \t]?get;[^{}\n]{0,40}\}[ \t]?(?==))?"
)
_OPERATOR = (
    r"(?P<op>=>|:=|->(?= {0,4}\\{0,8}[\"'])|\?=|\|\|=|\|\|(?= {0,4}\\{0,8}[\"'])|\?\?=|%(?:25)?3[dD]|"
    r"[=!]=?=?|:(?!//|: )|::(?= )|：|(?:is|ist|es|è|é)(?= )|\.(?= \\{0,8}[\"'])|是|为)"
)
_BLOCK = r"(?:!!\w{3,12} |&\w{1,16} |\*\*[ \t]{1,4}|[|>][-+]?[ \t]{0,4}(?:\n|\\{1,8}n)\s{0,40}|-[ \t]{1,4})?"
"""What Markdown and YAML put before a value: `**Password:** x`, `>-` and a line end, `- x`."""

_MADE_OF = r"(?:\[\]byte|bytes|bytearray|Buffer\.from|SecretStr|Secret|Sensitive|String|str|Some)\(\s{0,4}b?"
_PREFIX = rf"""(?:[bruf@N]{{1,2}}(?=["'])|<<(?=\\{{0,8}}")|{_MADE_OF}(?=\\{{0,8}}["']))?"""
_ASSIGNED = pattern(
    rf"{_CLOSE}[ \t]{{0,8}}{_ANNOTATION}{_OPERATOR}{_COLOURED}"
    rf"\s{{0,16}}{_BLOCK}{_COLOURED}(?:{_PREFIX}{_QUOTED}|{_UNQUOTED})"
)
_PAIRED = pattern(
    rf"""{_CLOSE}(?:[\s,]|\\{{1,8}}n){{0,40}}(?:-F |--form )?(?:\\{{0,8}}["'])?(?:Parameter)?[vV]alue"""
    rf"""{_CLOSE}\s{{0,4}}[:=]\s{{0,4}}(?:{_QUOTED}|{_UNQUOTED})"""
)
_NESTED = pattern(
    rf"""{_CLOSE}\s{{0,8}}[:=]?\s{{0,8}}\{{[^{{}}]{{0,240}}?(?<![\w-])(?:\\{{0,8}}["'])?(?:value|plain|plaintext|default)"""
    rf"""{_CLOSE}\s{{0,4}}[:=]\s{{0,4}}{_QUOTED}"""
)
_BELOW = pattern(
    rf"""{_CLOSE}:[ \t]{{0,4}}(?:(?:\n|\\{{1,8}}n)[ \t]{{1,40}}"""
    r"""(?i:type|description|label|no_?echo|sensitive|required):[^\n\\]{0,120}){0,4}"""
    rf"""(?:\n|\\{{1,8}}n)[ \t]{{1,40}}(?i:value|default):[ \t]{{1,4}}(?:{_QUOTED}|{_UNQUOTED})"""
)
"""A template's parameter: its default is below its name."""
_LISTED = pattern(rf"""\\{{0,8}}["'`]?\s{{0,4}},\s{{0,24}}{_PREFIX}{_QUOTED}""")
_TAGGED = pattern(r"[^<>\n]{0,80}>(?:(?:\s|\\{1,4}n){0,20}<\w{1,32}>)?(?P<bare>[^<>\n]{1,512})</")
_CELL = pattern(rf"{_CLOSE}[ \t]{{1,40}}\|[ \t]{{1,8}}`?(?P<bare>[^\s|`]{{4,512}})`?[ \t]{{1,40}}\|")
_BEFORE_CELL = pattern(r"\|[ \t]{1,8}[`*]{0,2}$")
_LISTED_KEY = pattern(
    r":?(?:</[\w:-]{1,24}>:?(?:\s|\\{1,8}n){0,40}){1,3}(?:<[\w:-]{1,24}(?: [^<>\n]{0,80})?>){0,3}"
    r"(?:\s|\\{1,8}n){0,20}"
    r"(?P<bare>[^<>\s\"'\\]{1,512})(?=<|\s|\\|$)"
)
_ESCAPED = pattern(
    r"(?:=&(?:quot|#39|#34|apos);|&gt;)(?P<bare>[^&<>\s\"']{3,512})&(?:lt;/|quot|#39|#34|apos)"
)
"""A value in HTML that shows HTML."""
_QUOTE_SPELLED = r"(?:&quot;|&#3[49];|%22|\\{1,8}u0022)"
_SPELLED = pattern(
    rf"{_QUOTE_SPELLED}[ \t]?(?:[:=]|%3(?:[aA]|[dD]))(?: |%20)?"
    rf"(?P<open>{_QUOTE_SPELLED})(?P<quoted>[^\s\"'<>]{{3,512}}?)(?P=open)"
)
"""Quotes as URLs, HTML and JSON encode them."""
_ATTRIBUTE = pattern(r"\\{0,8}[\"'][^<>\n]{0,80}>(?:\s{0,20}<value>)?(?P<bare>[^<>\s]{1,512})</")
_OPENS_TAG = pattern(r"<(?:[\w-]{1,20}:)?$")
_BEFORE_ATTRIBUTE = pattern(r"<[\w.:-]{1,40} [^<>\n]{0,80}$")
_DEFAULT = pattern(r":?[-=]\\{0,4}[\"']?(?P<bare>[^\s\"'`{}$\\]{4,256})\\{0,4}[\"']?\}")
_VALUE_FIRST = pattern(
    r"\\{0,8}[\"'][vV]alue\\{0,8}[\"']\s{0,4}:\s{0,4}\\{0,8}[\"'](?P<quoted>[^\"'\\\n]{3,512})\\{0,8}[\"']\s{0,4},"
    r"(?:\s|\\{1,4}n){0,40}\\{0,8}[\"'](?:key|name|designation|label|field|title|purpose|Key|Name)\\{0,8}[\"']\s{0,4}:\s{0,4}\\{0,8}[\"']$"
)
_CALLED = pattern(rf"[({{]\s{{0,8}}{_QUOTED}")
_SPACED = pattern(
    rf"(?:[ \t]{{1,4}}|\\{{0,8}}[\"']?(?:\n|\\{{1,8}}n)[ \t]{{0,24}}- )(?:{_QUOTED}|(?![-&|]){_UNQUOTED})"
)
_JOINED = pattern(r"""\\{0,8}["'`]\s{0,4}[+\\]\s{0,40}\\{0,8}["'`](?P<rest>[^"'`\s\\]{4,512})""")
_RESOURCE = pattern(r"\b(?:arn|urn|crn):[^\s\"'`]{1,110}:$")
_PATTERN = pattern(r"[\[\](){}|]")
"""Characters of regular expressions, which credentials hardly ever contain."""
_MIN_SALT, _RANDOM_BITS = 48, 4.8
"""An exception, drawn from all characters: its minimum length, and minimum bits per character."""

_HEX_PAIR = pattern(r"[0-9A-F]{2}(?=[a-z])")
_COLOUR = pattern(r"[0-9;]{1,12}m(?=\w)")
_DIGIT, _SPACE = pattern(r"\d"), pattern(r"\s")
_AFTER_CODE, _AFTER_NAME = "([{", "([{,)"
_LINE_LEAD = pattern(
    r"(?:(?:\x1b|\\u001b|\\x1b|\\033|\\e)\[[0-9;]{0,12}m){0,3}"
    r"[ \t>|*+-]{0,40}(?:\d{1,6}[|:\t-][ \t]{0,24})?(?:export |set |ENV |ARG |setx )?[ \t]{0,4}[\"']?$"
)
_DECLARES = ("ENV ", "setenv ", "setx ", "set -x ", "set -gx ", "set -Ux ", "set -xg ")
"""Commands that set the variable whose name follows to the value after it."""

_NOT_A_VALUE = frozenset("=:|>")
_MIN_LENGTH = 3
_NAME_OF_ITS_OWN = pattern(r"[\w.-]{1,64}=|.*:$")


_CLUE = pattern(r"[0-9]|[A-Za-z+/=_-]{10}")
"""Every value of a weak name matches this."""
_FAR_BEFORE, _FAR_BEHIND = 1_200, 2_048
"""Most characters before and after a name that are searched for its value."""


def named(text: str, hints: Hints) -> Iterator[Hit]:
    """Every value whose name marks it as a secret."""
    empty = (0, 0)  # if a weak name can have no value here
    for start, end in _identifiers(text, hints):
        if text.startswith(OPENS_MASK, start - len(OPENS_MASK)):
            continue  # the name of a kind inside a mask
        if text[start - 1 : start] == ":" and _RESOURCE.search(text, max(0, start - 120), start):
            continue  # `arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/db` is a location
        name = text[start:end]
        force = strength(name)
        if force is Strength.WEAK and not empty[0] <= start - _FAR_BEFORE <= end + _FAR_BEHIND < empty[1]:
            clue = _CLUE.search(text, max(0, start - _FAR_BEFORE))
            empty = (start - _FAR_BEFORE, clue.start() if clue else len(text) + _FAR_BEHIND)
        if force > Strength.WEAK or (force and end + _FAR_BEHIND >= empty[1]):
            value = _value(text, start, end, force)
            if value:
                joined = _JOINED.match(text, value[1])
                yield Hit(value[0], joined.end("rest") if joined else value[1], "secret-value")


def _identifiers(text: str, hints: Hints) -> Iterator[tuple[int, int]]:
    """Spans of the identifiers that contain the stem of a secret word."""
    seen: set[int] = set()
    for _, places in hints.by_word("stems"):
        end = 0
        for at in places:
            if at < end:
                continue
            begins = at == 0 or not (text[at - 1].isalnum() or text[at - 1] in "_.-")
            before = None if begins else _BEFORE_NAME.match(text, max(0, at - _MAX_NAME), at)
            start = _after_escape(text, before.end() if before else at)
            if text.startswith(("-D", "-P"), start) and text[start + 2 : start + 3].islower():
                start += 2  # a property passed to Java
            elif text[start - 1 : start] == "%" and _HEX_PAIR.match(text, start):
                start += 2  # a URL within a URL
            match = _IDENTIFIER.match(text, min(start, at))
            end = match.end() if match else at + 1
            if start not in seen:
                seen.add(start)
                yield start, end


def _after_escape(text: str, start: int) -> int:
    r"""Skip the letter of a `\n` in a JSON string, or the rest of a colour code, before a name."""
    colour = _COLOUR.match(text, start) if text[start - 1 : start] == "[" else None
    if colour:
        return colour.end()
    return start + 1 if start > 0 and text[start - 1] == "\\" and text[start : start + 1] in "nrt" else start


def _value(text: str, start: int, end: int, force: Strength) -> tuple[int, int] | None:
    """The span of the secret that belongs to the name at `text[start:end]`."""
    nested = _NESTED.match(text, end)
    if nested:
        return _quoted(nested, force)
    if text.startswith("${", start - 2) and (match := _DEFAULT.match(text, end)):
        return _unquoted(text, match, max(force, Strength.LIKELY), plain=True)
    if text.startswith(("&quot;", "&#3", "%22", "\\"), end) and (match := _SPELLED.match(text, end)):
        return _quoted(match, force)
    if text.startswith(("=&", "&gt;"), end) and (match := _ESCAPED.match(text, end)):
        return _unquoted(text, match, force, plain=True)
    if text.startswith((":\n", ":\\n"), end) and (match := _BELOW.match(text, end)):
        return _quoted(match, force) if match["open"] else _unquoted(text, match, force, plain=True)
    assigned = _ASSIGNED.match(text, end)
    if assigned:
        return _assigned(text, start, assigned, force)
    for regex in (_PAIRED, _LISTED):
        match = regex.match(text, end)
        if match:
            strict = force if regex is _PAIRED else min(force, Strength.LIKELY)
            return _quoted(match, strict) if match["open"] else _unquoted(text, match, strict, plain=True)
    if _OPENS_TAG.search(text, max(0, start - 24), start) and (match := _TAGGED.match(text, end)):
        return _unquoted(text, match, force, plain=True)
    if _BEFORE_CELL.search(text, max(0, start - 12), start) and (match := _CELL.match(text, end)):
        return _unquoted(text, match, force, plain=False)
    if match := _LISTED_KEY.match(text, end):
        return _unquoted(text, match, force, plain=text.startswith(("</key", "</name"), end))
    if (match := _ATTRIBUTE.match(text, end)) and _BEFORE_ATTRIBUTE.search(text, max(0, start - 120), start):
        return _unquoted(text, match, force, plain=True)
    if match := _VALUE_FIRST.search(text, max(0, start - 640), start):
        return _quoted(match, force)
    declared = text.endswith(_DECLARES, max(0, start - 9), start)
    if (declared or text.startswith("-", start)) and (match := _SPACED.match(text, end)):
        return _quoted(match, Strength.STRONG) if match["open"] else _unquoted(text, match, force, plain=True)
    if (match := _CALLED.match(text, end)) and mixes_letters_and_digits(match["quoted"]):
        return _quoted(match, force)
    return value_after(text, start, end, force) or mentioned(text, end)


def _assigned(text: str, start: int, match: re.Match[str], force: Strength) -> tuple[int, int] | None:
    if match["open"]:
        return _quoted(match, force)
    operator = match["op"]
    if operator in ("==", "===", "!=", "!==", "!"):
        return None
    if _NAME_OF_ITS_OWN.match(match["bare"]) and "\n" in text[match.end("op") : match.start("bare")]:
        return None  # on a line of its own
    if is_code(match["bare"]) and text[match.start()] in "\\\"'":
        return None  # a quoted name with a bare value is a program, not YAML
    lead = _line_lead(text, start)
    tight = operator == "=" and match.start("bare") == match.end("op")
    plain = (
        (lead and (tight or operator == ":"))
        or (tight and text[max(0, start - 1) : start] in "?&;\"'")
        or (tight and operator == "=" and text[start : match.start()].isupper())
        or text.startswith("--", start)
    )
    return _unquoted(text, match, force, plain=plain)


def _quoted(match: re.Match[str], force: Strength) -> tuple[int, int] | None:
    value = match["quoted"]
    if is_reference(value):
        return None
    if force is Strength.WEAK:
        if _PATTERN.search(value) and not (len(value) >= _MIN_SALT and entropy(value) > _RANDOM_BITS):
            return None
        scheme = re.match(r"(?:[Bb]earer|[Bb]asic|[Tt]oken)\s+", value)
        offset = scheme.end() if scheme else 0
        return (match.start("quoted") + offset, match.end("quoted")) if is_key(value[offset:]) else None
    if force is Strength.LIKELY:
        return match.span("quoted") if is_likely(value) and not _PATTERN.search(value) else None
    if _SPACE.search(value) and not _DIGIT.search(value) and len(value.split()) < 4:
        return None
    return match.span("quoted") if len(value) >= 3 else None


def _unquoted(text: str, match: re.Match[str], force: Strength, *, plain: bool) -> tuple[int, int] | None:
    """Judge an unquoted value; `plain` says that it cannot be code."""
    start, end = match.span("bare")
    if is_reference(match["bare"]):
        return None
    while end > start and text[end - 1] in ".:!?":
        end -= 1
    value = text[start:end]
    if not value.strip("-*") or value[0] in _NOT_A_VALUE or is_reference(value) or end - start < _MIN_LENGTH:
        return None
    if is_first_of_several_words(text, start, end) or (value[0] == "#" and value[1:].isalpha()):
        return None
    if value[0] == "&" and text.startswith(f" {OPENS_MASK}", end):
        return None  # the anchor of a value that is masked
    if force is Strength.WEAK:
        return (start, end) if looks_random(value) or (plain and is_key(value)) else None
    if force is Strength.LIKELY and not is_likely(value):
        return None
    if text[end : end + 1] and text[end] in (_AFTER_NAME if is_code(value) else _AFTER_CODE):
        return None
    if plain:
        return (start, end)
    mixed = (
        bool(_DIGIT.search(value))
        or has_odd_case(value)
        or is_gibberish(value)
        or not value.replace("_", "").replace(".", "").isalnum()
    )
    return (start, end) if mixed and len(value) >= 4 and not is_code(value) and not is_path(value) else None


def _line_lead(text: str, start: int) -> bool:
    """Whether a name on its line follows only indentation, a line number or `export`."""
    newline = max(
        text.rfind("\n", max(0, start - 80), start), text.rfind("\\n", max(0, start - 80), start) + 1
    )
    if newline <= 0 and start > 80:
        return False
    return bool(_LINE_LEAD.fullmatch(text, newline + 1 if newline > 0 else 0, start))
