"""Passwords that commands are given: behind an option, or at a place of their own.

Which tools and options there are is data: `tools` and `options` in `words.yaml`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from core.redact.hints import Hints
from core.redact.key_formats import scrambled, variety
from core.redact.spans import Hit
from core.redact.table import issuers, unnamed_words
from core.redact.unnamed.passwords import could_be_password, is_password, is_thought_up
from core.support.patterns import pattern

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
    option = argument["option"].lstrip("-/") if tool not in words["projects"] else ""
    if is_password(value):
        return True
    if argument["user"] or option in words["options"]:
        return could_be_password(value) and "/" not in value
    if option in words["rarely"] and is_thought_up(value):
        return _TWO_WORDS.match(value) is not None
    return _DRAWN.fullmatch(value) is not None and variety(value) == 3 and scrambled(value)
