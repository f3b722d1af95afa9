"""Passwords people and programs tell each other: `log in as bob / Tango-99x`, `from Old11 to New22`.

A password looks less random than a key, so it is taken only from a line that speaks of one, or from one of a
command that is given one, and only when it looks like nothing but a password.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

from core.redact.spans import Hit
from core.redact.table import compiled, issuers, unnamed_words
from core.redact.unnamed.passwords import is_password

Place = tuple[int, int, re.Pattern[str]]
"""Where a word begins and ends, and what stands before a password behind it."""

_REACH = 96
"""Characters behind the word in which a password is looked for."""
_LINE_END = re.compile(r"\x00|\n(?=\s{0,8}\S{0,40}[A-Za-z]{2,}[ :]|\s*\Z)")
_OPENS = r"(?:(?<=[\s\"'`(/:|=>\]])|(?<=[\"'`]\())"
_CLOSES = r"(?=[\s\"'`),;|\\<]|$)"
_TOKEN = re.compile(rf"{_OPENS}(?P<value>(?!https?:)[^\s\"'`(){{}}\[\]<>,;|=\\]{{8,64}}){_CLOSES}")
_BEHIND_SIGN = r"[\w@.\"'`)*]\s{0,2}[:/→=]{1,2}\s{0,2}[\"'`(]{0,2}"
_BEHIND_WORD = r"[\s(][\"'`]|(?<!\w)[^\W\d_]{1,16} |\w {2,12}"
_BEFORE_VALUE = re.compile(rf"(?:{_BEHIND_SIGN}|{_BEHIND_WORD})$")
_BEFORE_ARGUMENT = re.compile(
    r"(?:[ \t](?:--?[A-Za-z][\w-]{0,24}[ =]|/[a-z]{1,8}[ :])|[\w@.-]:|[\w]%)\\{0,4}[\"']?$"
)
_OPTION = re.compile(r"[^\n|]*?[ =]?[-/]")
_PAIR = r"(?m)^[ \t]{0,8}\"[\w.@-]{1,64}\" \"(?P<value>[^\"\n]{8,64})\"[ \t]*$"


def spoken(text: str, lower: str) -> Iterator[Hit]:
    """Every password of a line that speaks of one.

    Args:
        text: The text.
        lower: The same in lower case.
    """
    words = list(_said(lower))
    for start, end, before in (*words, *_commanded(text)):
        for token in _tokens(text, end):
            value = token["value"].rstrip(".:")
            if is_password(value) and before.search(text, start, token.start()):
                yield Hit(token.start(), token.start() + len(value), "secret-value")
    for match in (*_tried(text, words), *_paired(text)):
        if is_password(match["value"]):
            yield Hit(*match.span("value"), "secret-value")


def _said(lower: str) -> Iterator[Place]:
    """Where a text speaks of a password."""
    words = unnamed_words()
    if any(word in lower for word in ("pass", *words["inside"], *words["whole"])):
        yield from ((*match.span(), _BEFORE_VALUE) for match in _speaks().finditer(lower))


@cache
def _speaks() -> re.Pattern[str]:
    """A word that speaks of a password, in lower case."""
    words = unnamed_words()
    inside, whole = "|".join(words["inside"]), "|".join(words["whole"])
    return re.compile(rf"{inside}|(?<![a-z])(?:(?:{whole})(?![a-z])|pass(?= [\"'`]|: ))")


def _tokens(text: str, end: int) -> Iterator[re.Match[str]]:
    """What may be a password behind a word, on its line."""
    limit = min(len(text), end + _REACH)
    stop = _LINE_END.search(text, end, limit)
    return _TOKEN.finditer(text, end, stop.start() if stop else limit)


def _commanded(text: str) -> Iterator[Place]:
    """Where the commands of a text begin that are given passwords."""
    if " -" not in text and " /" not in text:
        return
    for tool in issuers().tools.intersection(text.replace('"', " ").split()):
        at = text.find(f"{tool} ")
        while at >= 0:
            end = at + len(tool) + 1
            if not text[at - 1 : at].isalnum() and _OPTION.match(text, end, end + _REACH):
                yield at, end, _BEFORE_ARGUMENT
            at = text.find(f"{tool} ", end)


def _tried(text: str, words: Iterable[Place]) -> Iterator[re.Match[str]]:
    """What stands before a word that speaks of a password: `try X as the password`."""
    for start, _, _ in words:
        if match := _before_word().search(text, max(0, start - _REACH), start):
            yield match


@cache
def _before_word() -> re.Pattern[str]:
    tried = rf"\b(?i:{'|'.join(unnamed_words()['tried'])})\b (?i:it to |him |her |them |me )?[\"'`]?"
    leads = r"[\"'`]? (?i:as|for|is|was|still|in|into|to)\b[^\n.]{0,40}?$"
    return re.compile(rf"{tried}(?P<value>[^\s\"'`,;(){{}}<>]{{8,64}}){leads}")


def _paired(text: str) -> Iterator[re.Match[str]]:
    """A user and a password on a line of their own, as in the list of a connection pooler."""
    return compiled(_PAIR).finditer(text) if '" "' in text else iter(())
