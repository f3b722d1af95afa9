"""Passwords given to commands behind an option, and in calls: `connect("db", "root", "Tango-99x")`.

Which tools, options and calls there are is data: `tools`, `options` and `calls` in `words.yaml`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from core.redact.hints import Hints
from core.redact.key_formats import scrambled, variety
from core.redact.secret_names import looks_random
from core.redact.spans import Hit
from core.redact.table import issuers, unnamed_words
from core.redact.unnamed.passwords import could_be_password, is_password, is_thought_up
from core.redact.word_search import pattern

_REACH = 160
"""Characters of a command that are read."""
_DRAWN = pattern(r"[A-Za-z0-9_+/=-]{32,}")
"""What its mixture alone tells."""
_TWO_WORDS = pattern(r"[A-Za-z]+[-._+#][A-Z]|[A-Z][a-z]+[-._+#]")
_OPTION = r"(?P<option>--?[A-Za-z][\w-]{0,24}|/[a-z]{1,8})(?:[ =:]|(?<=-[pPw]))"
_USER = r"(?P<user>[\w.@\\-]{1,64}[:%,])?"
_ARGUMENT = pattern(
    rf"[ \t]{_OPTION}\\{{0,4}}[\"']?{_USER}(?P<value>(?!https?:)[^\s\"'`<>|;\\]{{6,128}})(?=[\s\"'`;|<\\]|$)"
)


def commands(text: str, hints: Hints) -> Iterator[Hit]:
    """Every value of an option that looks like a password, of a command that is given some.

    Args:
        text: The text.
        hints: The words found in it that lead to credentials.
    """
    words: set[str] = set()
    for number, places in hints.by_word("tools"):
        tool = _tools()[number]
        for at in places:
            for match in _arguments(text, at, tool):
                if _is_given(match, tool):
                    words = words or set(text.replace('"', " ").split())
                    if tool in words:  # somewhere, and no part of another
                        yield Hit(*match.span("value"), "secret-value")


@cache
def _tools() -> Sequence[str]:
    return sorted(issuers().tools)


def _arguments(text: str, at: int, tool: str) -> Iterable[re.Match[str]]:
    """The options of a command with their values, on its line."""
    end = at + len(tool)
    if text[at - 1 : at].isalnum() or not text.startswith(tool, at):
        return ()
    stop = _stop().search(text, end, end + _REACH)
    return _ARGUMENT.finditer(text, end, stop.start() if stop else end + _REACH)


@cache
def _stop() -> re.Pattern[str]:
    return pattern(r"[\n\x00]")


def _is_given(argument: re.Match[str], tool: str) -> bool:
    """Whether an option has a password for its value, or something drawn that is no hash."""
    words, value = unnamed_words(), argument["value"]
    named = tool in words["projects"] or (tool in words["attached"] and argument[0][-len(value) - 1] == " ")
    option = "" if named else argument["option"].lstrip("-/")
    if is_password(value):
        return True
    if argument["user"] or option in words["options"]:
        return could_be_password(value) and "/" not in value
    if option in words["rarely"] and is_thought_up(value):
        return _TWO_WORDS.match(value) is not None
    return _DRAWN.fullmatch(value) is not None and variety(value) == 3 and scrambled(value)


_REACH_OF_CALL = 400
"""Characters of a call that are read."""
_LITERAL = pattern(r"(?P<quote>[\"'])(?P<value>[^\"'\n]{0,200}?) ?(?P=quote)\s{0,4}(?P<next>[,)\]])")


def calls(text: str, lower: str, places: Iterable[int]) -> Iterator[Hit]:
    """Every literal behind the first of such a call that looks like a password.

    Args:
        text: The text.
        lower: The same in lower case.
        places: Where in it a word stands that leads to one.
    """
    for at in places:
        if match := _called().match(lower, at):
            for one in _behind_the_first(text, match.end()):
                value = one["value"]
                if is_password(value) or is_thought_up(value) or looks_random(value):
                    yield Hit(*one.span("value"), "secret-value")


@cache
def _called() -> re.Pattern[str]:
    calls = "|".join(unnamed_words()["calls"])
    made = r"(?:impl)?(?:(?:::|\.)(?:new|create|connect|with|from|build)\w{0,12})?"
    return pattern(rf"(?:{calls}){made}\s?(?:=\s?)?[(\[](?=[^()\n]{{0,200}}[\"'])")


def _behind_the_first(text: str, start: int) -> Iterator[re.Match[str]]:
    """The literals of a call up to its end; not the first argument, which says where or who."""
    for one in _LITERAL.finditer(text, start, start + _REACH_OF_CALL):
        before = text[start : one.start()]
        if ")" in before.replace("()", "") and one.start() > start:
            return
        if "," in before:
            yield one
        if one["next"] != ",":
            return
