"""Passwords people and programs tell each other: `log in as bob / Tango-99x`, `from Old11 to New22`.

A password looks less random than a key, so it is taken only from a line that speaks of one: anywhere on it
when it looks like nothing else, and right behind the word when it might be one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

from core.redact.spans import Hit
from core.redact.table import compiled, unnamed_words
from core.redact.unnamed.passwords import could_be_password, is_password, is_thought_up

_REACH = 96
"""Characters behind the word in which a password is looked for."""
_LINE_END = re.compile(r"\x00|\n(?=\s{0,8}\S{0,40}[A-Za-z]{2,}[ :]|\s*\Z)")
_OPENS = r"(?:(?<=[\s\"'`(/:|=>\]])|(?<=[\"'`]\())"
_CLOSES = r"(?=[\s\"'`),;|\\<]|$)"
_USER = r"(?:(?P<user>[A-Za-z][\w.@-]{0,40})[/:=]\s?)?"
_TOKEN = re.compile(rf"{_OPENS}{_USER}(?P<value>(?!https?:)[^\s\"'`(){{}}\[\]<>,;|\\]{{6,64}}){_CLOSES}")
_BEHIND_SIGN = r"[\w@.\"'`)*]\s{0,2}[:/→=]{1,2}\s{0,2}[\"'`(]{0,2}"
_BEHIND_WORD = r"[\s(][\"'`]|(?<!\w)[^\W\d_]{1,16} |\w {2,12}"
_BEFORE_VALUE = re.compile(rf"(?:{_BEHIND_SIGN}|{_BEHIND_WORD})$")
_REPLY = re.compile(
    r"[^\n?]{0,60}\?[ \t]{0,4}\n(?:[^\n]{0,24}?[:>-] {1,2})?[\"'`]?"
    r"(?P<value>[^\s\"'`<>]{6,64})[ \t]{0,8}(?=[\n\"'`]|$)"
)
"""A line of its own below a question: `what's the root password?`"""
_CALL = r"[\"')\] ]{0,8}\.\w{2,12}\("
"""What is called with a password: `find("password").type(`."""
_PAIR = r"(?m)^[ \t]{0,8}\"[\w.@-]{1,64}\" \"(?P<value>[^\"\n]{8,64})\"[ \t]*$"
_BEFORE_PAIR = 80


def spoken(text: str, lower: str, places: Iterable[int]) -> Iterator[Hit]:
    """Every password of a line that speaks of one.

    Args:
        text: The text.
        lower: The same in lower case.
        places: Where a word begins that may speak of one.
    """
    for word in _said(lower, places):
        for token in _tokens(text, word.end()):
            value = token["value"].rstrip(".:")
            if _is_meant(text, word, token, value):
                yield Hit(token.start("value"), token.start("value") + len(value), "secret-value")
        for match in (_REPLY.match(text, word.end()), _tried(text, word.start())):
            if match and (is_password(match["value"]) or is_thought_up(match["value"])):
                yield Hit(*match.span("value"), "secret-value")


def _is_meant(text: str, word: re.Match[str], token: re.Match[str], value: str) -> bool:
    """Whether a value is the password a word speaks of: it looks like one, or stands where it belongs."""
    between = text[word.end() : token.start("value")]
    if is_password(value):
        return _BEFORE_VALUE.search(text, word.start(), token.start("value")) is not None
    if word["inside"] and _leads().fullmatch(between):
        return could_be_password(value)
    told = token["user"] or _after_user().fullmatch(between)
    return bool(told and not word["inside"] and is_thought_up(value))


def paired(text: str, places: Iterable[int]) -> Iterator[Hit]:
    """The passwords behind users on lines of their own, as in the list of a connection pooler."""
    for at in places:
        match = compiled(_PAIR).match(text, text.rfind("\n", max(0, at - _BEFORE_PAIR), at) + 1)
        if match and is_password(match["value"]):
            yield Hit(*match.span("value"), "secret-value")


def _said(lower: str, places: Iterable[int]) -> Iterator[re.Match[str]]:
    """Where a text speaks of a password."""
    done = 0
    for at in places:
        if at >= done and (word := _speaks().match(lower, at)):
            done = word.end()
            yield word


@cache
def _speaks() -> re.Pattern[str]:
    """A word that speaks of a password, in lower case; in the group `inside` when of nothing else."""
    inside, whole = ("|".join(unnamed_words()[name]) for name in ("inside", "whole"))
    alone = r"(?<![a-z])(?:(?:pw|pwd|psk)(?![a-z]))"
    return re.compile(rf"(?P<inside>{inside}|{alone})|(?<![a-z])(?:(?:{whole})(?![a-z])|pass(?= [\"'`]|: ))")


@cache
def _leads() -> re.Pattern[str]:
    """What stands between a word and the password right behind it: `for bob is `, `: `, ` set to "`."""
    is_one, to = "|".join(unnamed_words()["is"]), "|".join(unnamed_words()["becomes"])
    tried = "|".join(unnamed_words()["tried"])
    some = r"(?: [^\W\d_]+['’]?[^\W\d_]*|\w+\d){0,5}?"
    said = rf"{some} (?:{is_one}) (?:now )?|{some} (?:{to}) (?:from|to) |, (?:{tried}) "
    told = rf"{some}\s{{0,2}}[:=→>]{{1,2}}\s{{0,2}}|{said}"
    return re.compile(rf"[\"'*_`)]{{0,3}}(?:(?i:{told})|{_CALL}|\s)[\"'`(*]{{0,3}}")


@cache
def _after_user() -> re.Pattern[str]:
    """What stands between a word for logging in and the password behind the user: ` as bob / `."""
    return re.compile(r"[^\n]{0,40}?[\w@.,\"'] (?:/|and|with|key|code|pass|pw) [\"'`(]{0,2}")


def _tokens(text: str, end: int) -> Iterator[re.Match[str]]:
    """What may be a password behind a word, on its line."""
    limit = min(len(text), end + _REACH)
    stop = _LINE_END.search(text, end, limit)
    return _TOKEN.finditer(text, end, stop.start() if stop else limit)


def _tried(text: str, end: int) -> re.Match[str] | None:
    """What stands before a word that speaks of a password: `try X as the password`."""
    return _before_word().search(text, max(0, end - _REACH), end)


@cache
def _before_word() -> re.Pattern[str]:
    words = "|".join(unnamed_words()["tried"])
    tried = rf"(?:\b(?i:{words})\b {{1,8}}(?i:it to |him |her |them |me )?|(?:^|[\n>\"]) ?)"
    leads = r"[\"'`]? {1,8}(?:(?i:as|for|is|was|still|in|into|to)\b[^\n.]{0,40}?|\((?:the |its |my )?)$"
    return re.compile(rf"{tried}[\"'`]?(?P<value>[^\s\"'`,;(){{}}<>]{{8,64}}){leads}")
