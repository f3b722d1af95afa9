"""Passwords passed to commands and calls, and those in credential files that commands show or write.

`tools`, `options` and `calls` in `words.yaml` list the known ones. A credential file is recognised by its
name: `.vault_pass`, `chap-secrets`, `db_password.txt`. Its lines are only a password, or fields of which one
is a password.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from core.redact.key_formats import class_count, is_scrambled
from core.redact.spans import Hints, Hit, pattern
from core.redact.table import issuers, unnamed_words
from core.redact.unnamed.shapes import could_be_password, is_password, is_thought_up, looks_secret

_REACH, _END_OF_COMMAND = 160, pattern(r"[\n\x00]")
"""Characters of a command that are searched, and what ends it before that."""
_DRAWN = pattern(r"[A-Za-z0-9_+/=-]{32,}")
"""A value recognised by its mixture alone."""
_TWO_WORDS = pattern(r"[A-Za-z]+[-._+#][A-Z]|[A-Z][a-z]+[-._+#]")
_OPTION = r"(?P<option>--?[A-Za-z][\w-]{0,24}|/[a-z]{1,8})(?:[ =:]|(?<=-[pPw]))"
_USER = r"(?P<user>[\w.@\\-]{1,64}[:%,])?"
_TAGGED = pattern(r"[a-z][\w./-]{0,80}(?:::?[\w.-]{1,80}){1,4}")
"""An image, task, package or key with a tag, such as `app:run-10`."""
_ARGUMENT = pattern(
    rf"[ \t]{_OPTION}\\{{0,4}}[\"']?{_USER}(?P<value>(?!https?:)[^\s\"'`<>|;\\]{{6,128}})(?=[\s\"'`;|<\\]|$)"
)
_REACH_OF_CALL = 400
"""Characters of a call that are searched."""
_LITERAL = pattern(r"(?P<quote>[\"'])(?P<value>[^\"'\n]{0,200}?) ?(?P=quote)\s{0,4}(?P<next>[,)\]])")
_MAX_LINES, _MAX_LENGTH = 40, 200
_REDIRECTS = (">", "tee")
_SHOWN = pattern(
    r"(?:\b(?:cat|type|less|more|head|tail|bat|gc|Get-Content)\b[^\n|;]{0,120}"
    r"|(?:^|[\n:\"]) ?[#;/=>]{1,3} (?:[^\n]{0,40}/|(?:[a-z]{2,8} ){0,3})"
    r"|\"\w{0,12}(?:path|file)\w{0,8}\"\s{0,4}:\s{0,4}\"[^\"\n]{0,160})$"
)
"""The text before the name of a file that is shown or written."""
_BEGIN = pattern(r"[\w.-]{0,40}$")
"""The part of a file name before the telling word."""
_LABEL = pattern(r"(?:^|\n)[ \t]{0,4}(?:[#>*-]{1,4} )?[*_]{0,2}(?:[A-Za-z]{2,12} ){0,2}$")
_SENT = pattern(
    r"(?:echo|printf|<<<)(?: -\w{1,3})? {1,8}(?:[\"']?%s(?:\\n)?[\"']? )?\\{0,4}[\"']?"
    r"(?:\S{3,80} [\w.@-]{1,40} )?"
    r"(?P<value>[^\s\"'`<>|\\$]{5,256})"
    r"(?:\\{1,4}n)?\\{0,4}[\"']? {0,8}(?:>{1,2}|\| ?(?:sudo )?tee(?: -\w{1,2})?)[^\n|;&]{0,80}$"
)
"""A command that writes the file, up to its name."""
_FIELD = pattern(r"[^\s:,;|=\"'`]{5,128}")
_END = pattern(r"[ \t]*(?:\$ .*|```.*|\"\s*[,}].*|)(?=\n|\Z)")
_PROSE, _NAMED = pattern(r"(?:\S+ ){5}"), pattern(r"[\w.-]+: ")


def commands(text: str, hints: Hints) -> Iterator[Hit]:
    """Every option value that looks like a password, of a command that takes one."""
    words: set[str] = set()
    for number, places in hints.by_word("tools"):
        tool = _tools()[number]
        for at in places:
            for match in _arguments(text, at, tool):
                if _is_given(match, tool):
                    words = words or set(text.replace('"', " ").split())
                    if tool in words:  # as a word of its own, anywhere
                        yield Hit(*match.span("value"), "secret-value")


@cache
def _tools() -> Sequence[str]:
    return sorted(issuers().tools)


def _arguments(text: str, at: int, tool: str) -> Iterable[re.Match[str]]:
    """The options of a command with their values, on its line."""
    end = at + len(tool)
    if text[at - 1 : at].isalnum() or not text.startswith(tool, at):
        return ()
    stop = _END_OF_COMMAND.search(text, end, end + _REACH)
    return _ARGUMENT.finditer(text, end, stop.start() if stop else end + _REACH)


def _is_given(argument: re.Match[str], tool: str) -> bool:
    """Whether an option's value is a password, or random and not a hash."""
    words, value = unnamed_words(), argument["value"]
    named = tool in words["projects"] or (tool in words["attached"] and argument[0][-len(value) - 1] == " ")
    given = argument["option"].lstrip("-/")
    option = "" if named else given
    logs_in = argument["user"] and given in words["users"] and not (named and len(given) < 5)
    if not logs_in and _TAGGED.fullmatch((argument["user"] or "") + value):
        return False
    if is_password(value):
        return True
    if logs_in or option in words["options"]:
        return could_be_password(value) and "/" not in value
    if option in words["rarely"] and is_thought_up(value):
        return _TWO_WORDS.match(value) is not None
    return _DRAWN.fullmatch(value) is not None and class_count(value) == 3 and is_scrambled(value)


def calls(text: str, lower: str, places: Iterable[int]) -> Iterator[Hit]:
    """Every literal after the first of such a call that looks like a password."""
    for at in places:
        if match := _called().match(lower, at):
            for one in _behind_the_first(text, match.end()):
                if looks_secret(one["value"]):
                    yield Hit(*one.span("value"), "secret-value")


@cache
def _called() -> re.Pattern[str]:
    calls = "|".join(unnamed_words()["calls"])
    made = r"(?:impl)?(?:(?:::|\.)(?:new|create|connect|with|from|build)\w{0,12})?"
    return pattern(rf"(?:{calls}){made}\s?(?:=\s?)?[(\[](?=[^()\n]{{0,200}}[\"'])")


def _behind_the_first(text: str, start: int) -> Iterator[re.Match[str]]:
    """The literals of a call up to its end, without the first argument, which says where or who."""
    for one in _LITERAL.finditer(text, start, start + _REACH_OF_CALL):
        before = text[start : one.start()]
        if ")" in before.replace("()", "") and one.start() > start:
            return
        if "," in before:
            yield one
        if one["next"] != ",":
            return


def files(text: str, lower: str, places: Iterable[int]) -> Iterator[Hit]:
    """Every value of a credential file that looks like a secret."""
    done = 0
    sent_anywhere = any(sign in lower for sign in _REDIRECTS)
    for name in (_name().match(lower, at) for at in places):
        if not name or name.start() < done:
            continue
        done = name.end()
        if not (name["content"] or sent_anywhere):
            continue
        begin = _BEGIN.search(lower, max(0, name.start() - 40), name.start())
        start = begin.start() if begin else name.start()
        before = lower[max(0, start - 80) : start]
        if any(sign in before for sign in _REDIRECTS):
            sent = _SENT.search(text, max(0, start - _MAX_LENGTH), start)
            if sent and could_be_password(sent["value"]):
                yield Hit(*sent.span("value"), "secret-value")
        if name["content"] and _is_shown(text, start, name.start("content")):
            yield from _lines(text, name.end())


@cache
def _name() -> re.Pattern[str]:
    """A credential file's name, from the telling word on, in lower case, and what opens its content."""
    words = "|".join(map(re.escape, unnamed_words()["files"]))
    end = r"[\w-]{0,24}(?:\.(?:txt|conf|cfg|client|list|lst|dat|map|secrets?))?(?![\w./({-])"
    lines = r"[\"'`*_]{0,3}(?: <==|:|\))?[*_]{0,2}[ \t]*\n\s?"
    text = r"\"\s{0,4},\s{0,8}\"\w{2,16}\"\s{0,4}:\s{0,4}\"[ \t]*"
    return pattern(rf"(?:{words}){end}(?P<content>{lines}|{text})?")


def _is_shown(text: str, start: int, end: int) -> bool:
    """Whether the file is shown or written, or a word alone on its line announces the content."""
    before = max(0, start - _MAX_LENGTH)
    alone = text[start:end].isalpha() and _LABEL.search(text, before, start)
    return bool(alone or _SHOWN.search(text, before, start))


def _lines(text: str, at: int) -> Iterator[Hit]:
    """The passwords of the lines from an offset on, up to an empty one or another command."""
    for _ in range(_MAX_LINES):
        if _END.match(text, at) or text[at : at + 1] in ("", "\x00"):
            return
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        yield from _fields(text, at, min(end, at + _MAX_LENGTH))
        at = end + 1


def _fields(text: str, start: int, end: int) -> Iterator[Hit]:
    """The password of a line; a possible one counts if it is alone on it, or last after a user."""
    line = text[start:end].lstrip()
    if line.startswith(("#", ";", "//")) or _PROSE.match(line) or _NAMED.match(line):
        return
    found = list(_FIELD.finditer(text, start, end))
    last = found[-1] if found and not text[found[-1].end() : end].strip("\"'`* \t}") else None
    for one in found:
        few = one is last and len(line.split()) <= 2 and "/" not in one[0] and one[0][0].isalnum()
        if is_password(one[0]) or is_thought_up(one[0]) or (few and could_be_password(one[0])):
            yield Hit(*one.span(), "secret-value")
