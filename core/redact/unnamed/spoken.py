"""Passwords that people and programs mention, or write right after a name: `log in as bob / Tango-99x`.

A password looks less random than a key, so it is taken only from a line that mentions one: anywhere on it if
it looks like nothing else, and right after the word if it might be one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

from core.redact.key_formats import class_count, is_random
from core.redact.secret_names import Strength, is_reference, looks_random
from core.redact.spans import Hints, Hit, pattern
from core.redact.table import names, unnamed_words
from core.redact.unnamed.shapes import could_be_password, is_key, is_password, is_thought_up

_REACH, _MAX_LENGTH = 96, 64
"""Characters after the word in which a password is searched for, and its maximum length."""
_LINE_END = pattern(r"\x00|\n(?=\s{0,8}\S{0,40}[A-Za-z]{2,}[ :]|\s*\Z)")
_WIDE = "\u00ab\u00bb\u2010-\uffef"
"""Quotes, dashes and letters of scripts without blanks, at which a password ends."""
_OPENS = rf"(?:(?<=[\s\"'`(/:;|=>\]{_WIDE}])|(?<=[\"'`]\())"
_CLOSES = rf"(?=[\s\"'`),;|\\<{{{_WIDE}]|$)"
_USER = r"(?:(?P<user>[A-Za-z][\w.@-]{0,40})[/:=]\s?)?"
_TOKEN = pattern(rf"{_OPENS}{_USER}(?P<value>(?!https?:)[^\s\"'`(){{}}\[\]<>,;|\\{_WIDE}]{{6,64}}){_CLOSES}")
_BEHIND_SIGN = r"[\w@.\"'`)*]\s{0,2}(?:[:/→=|]{1,2}|[-–—]{1,2}>?)\s{0,2}[\"'`(]{0,2}|[：「『“„«是为為]"
_BEHIND_WORD = r"[\s(][\"'`]|(?<!\w)[^\W\d_]{1,16},? [(]?|[?] |\w {2,12}"
_BEFORE_VALUE = pattern(rf"(?:{_BEHIND_SIGN}|{_BEHIND_WORD})$")
_ONWARD = pattern(r"[^.!?;\n]{0,48}[ \"'`(„“«：:/]")
"""The rest of a sentence up to a password."""
_REPLY = pattern(
    r"[^\n?]{0,90}[?:][ \t]{0,4}\n{1,2}[ \t]{0,8}(?:[^\n]{0,24}?[:>\]-] {1,2})?"
    r"(?:(?:sure|yes|yeah|ok),? )?(?i:it'?s |it is )?[\"'`]?"
    r"(?P<value>[^\s\"'`<>]{6,64})[ \t]{0,8}(?=[\n\"'`]|$)"
)
"""A line of its own after a question: `what's the root password?`"""
_CALL = r"[\"')\] ]{0,8}\.\w{2,12}\( {0,4}"
"""A call with a password: `find("password").type(`."""
_QUOTED_PAIR = pattern(r"(?<=[\w.@-])\"[ ]{1,8}\"(?P<value>[^\"\n]{8,64})\"[ \t]*(?:[\n}\"]|$)")
_PAIRED = {
    " / ": pattern(r" / (?<=[\w.@+-] / )[\"'`]?(?P<value>[^\s\"'`/|]{8,64})(?=[\s\"'`),;.]|$)"),
    "@": pattern(
        r"@(?<=[\w+-]@)[\w-]{1,64}\.[\w.]{2,64}"
        r"(?: [/|:-] |: ?| (?:with|using) |, | \(| (?=\S{8,64}[.,]?(?:\s*\Z|\n)))[\"'`]?"
        r"(?P<value>[^\s\"'`/|),:]{8,64})(?=[\s\"'`),;|]|$)"
    ),
    "\nhttp": pattern(
        r"\nhttps?://\S{3,120}[ \t]{1,8}[\w.@+-]{1,64}[ \t]{1,8}\"?"
        r"(?P<value>[^\s:\"]{8,64})\"?[ \t]*(?:\n|$)"
    ),
}
"""A user and a password without a word for either, by the text between or before them."""
_MENTIONED = pattern(
    r"""(?=[\s:"'`(])[^\w\n]{1,4}(?:[A-Za-z]{1,10}[^\w\n]{1,3}){0,4}["'`(]{0,2}"""
    r"""(?P<bare>[A-Za-z0-9_+/=.~-]{16,512})(?=$|[\s\x1b"'`),.;\\<。，；、」])"""
)
_AFTER_NAME_VALUE = pattern(
    r"""[ \t]{1,24}\\{0,4}["'`]?(?P<bare>[A-Za-z0-9_+/=.~!?@#$%^&*:-]{6,256})\\{0,4}["'`]?"""
    r"""(?:(?P<last>;?[ \t]*(?:$|(?<=;[ ])|[\n\x1b]|\\{1,8}[nr]|\\{0,8}["'`]))|(?=[\s.,;)]))"""
)
"""A value right after a name; `last` matches if nothing else is on the line."""
_SET_TO = pattern(
    r"""[`"']? (?:set )?(?:to|is|as) [`"']?(?P<bare>[^\s`"',;()<>]{6,256}?)(?=[.]?(?:$|[\s`"',;]))"""
)
"""What people write about a variable: `ADMIN_PASS to hunter2`."""
_SAYS_SECRET = pattern(r"(?i:pass|pwd|pw|secret|cred|phrase|key|token|psk)")
_DIRECTIVE = pattern(
    r"(?:^|[\n\"'`;]|\\[nrt])[ \t]{0,24}(?:#\s?define )?(?:[\w.:*/@-]{1,64}[ \t]{1,8}){0,12}$"
)


def spoken_passwords(text: str, lower: str, places: Iterable[int]) -> Iterator[Hit]:
    """Every password of a line that mentions one."""
    for word in _password_mentions(lower, places):
        for token in _tokens(text, word.end()):
            value = token["value"].rstrip(".:")
            if _is_meant(text, word, token, value):
                yield Hit(token.start("value"), token.start("value") + len(value), "secret-value")
        for match in (_REPLY.match(text, word.end()), _value_before(text, word.start())):
            if match and (is_key(match["value"]) or is_thought_up(match["value"])):
                yield Hit(*match.span("value"), "secret-value")


def _is_meant(text: str, word: re.Match[str], token: re.Match[str], value: str) -> bool:
    """Whether a value is the password that a word mentions: it looks like one, or is in its place."""
    between = text[word.end() : token.start("value")]
    if is_password(value) and _BEFORE_VALUE.search(text, word.start(), token.start("value")):
        return True
    if word["inside"] and (
        _between_word_and_value().fullmatch(between) or not (between or word[0].isascii())
    ):
        return could_be_password(value)
    is_stated = word["inside"] or token["user"] or _after_user().fullmatch(between)
    return bool(is_stated and is_thought_up(value) and _ONWARD.fullmatch(between))


def paired(text: str, hints: Hints) -> Iterator[Hit]:
    """The passwords after users, as connection poolers and mounts list them, or people write them."""
    for number, places in hints.by_word("pairs"):
        sign = unnamed_words()["pairs"][number]
        for at in places:
            match = _PAIRED.get(sign, _QUOTED_PAIR).match(text, at)
            if match and (is_password(match["value"]) or (sign != " / " and is_thought_up(match["value"]))):
                yield Hit(*match.span("value"), "secret-value")


def _password_mentions(lower: str, places: Iterable[int]) -> Iterator[re.Match[str]]:
    """Where a text mentions a password."""
    done = 0
    for at in places:
        if at >= done and (word := _password_word().match(lower, at)):
            done = word.end()
            yield word


@cache
def _password_word() -> re.Pattern[str]:
    """A word that mentions a password, in lower case; in the group `inside` if it has no other meaning."""
    inside, whole = ("|".join(unnamed_words()[name]) for name in ("inside", "whole"))
    alone = rf"(?<![a-z0-9+])(?:(?:{'|'.join(unnamed_words()['alone'])})(?![a-z0-9+]))"
    passes = r"(?<![a-z])pass(?= is | for [a-z ]{1,24} is )"
    whole = rf"(?<![a-z0-9+:/])(?:(?:{whole})(?![a-z0-9+])|pass(?= [\"'`]|: ))"
    about = "|".join(names().about)
    return pattern(rf"(?P<inside>{inside}|{alone}|{passes})(?![a-z]{{0,3}}[_-]?(?:{about}))|{whole}")


@cache
def _between_word_and_value() -> re.Pattern[str]:
    """Text between a word and the password right after it: `for bob is `, `: `, ` set to "`."""
    is_one, to = "|".join(unnamed_words()["is"]), "|".join(unnamed_words()["becomes"])
    tried = "|".join(unnamed_words()["tried"])
    some = r"(?: [^\W\d_]+['’]?[^\W\d_]*|\w+\d){0,5}?"
    still = "|".join(unnamed_words()["still"])
    towards = "|".join(unnamed_words()["to"])
    said = rf"{some} (?:{is_one}) (?:(?:{still}) )?|{some} (?:{to}) (?:{towards}) |, (?:{tried}) "
    signs = r"\s{0,2}(?:[:=→>|：?]{1,2}|[.]{3,24}|[-–—]{1,2}>)\s{0,2}| [-–—]{1,2} |\s?[是为為はが은는]\s?"
    stated = rf"{some}(?:{signs})(?:it'?s |it is )?|{said}"
    return pattern(
        rf"(?:(?![A-Z])[^\W\d_]|S){{0,6}}[\"'*_`)]{{0,3}}(?:(?i:{stated})|{_CALL}|\s)(?:<(?:b|i|em|tt|code|strong|kbd|span)>|&nbsp;){{0,2}}[\"'`(*「『“„«]{{0,3}}"
    )


@cache
def _after_user() -> re.Pattern[str]:
    """Text between a word for logging in and the password after the user: ` as bob / `."""
    word = rf"/|{'|'.join(unnamed_words()['beside'])}|(?:the )?(?:key|code|pass|pw)(?: is|:)?"
    return pattern(rf"(?:[^\n]{{0,40}}?[\w@.,\"'])?(?: it| them| this)? (?:{word}) [\"'`(]{{0,2}}")


def _tokens(text: str, end: int) -> Iterator[re.Match[str]]:
    """Possible passwords after a word, on its line."""
    limit = end + _REACH
    stop = _LINE_END.search(text, end, limit + _MAX_LENGTH)
    found = _TOKEN.finditer(text, end, stop.start() if stop else limit + _MAX_LENGTH)
    return (one for one in found if one.start() < limit and not text[one.end() : one.end() + 1].isalnum())


def _value_before(text: str, end: int) -> re.Match[str] | None:
    """Text before a word that mentions a password: `try X as the password`."""
    return _value_with_words_before().search(text, max(0, end - _REACH), end)


@cache
def _value_with_words_before() -> re.Pattern[str]:
    words = "|".join(unnamed_words()["tried"])
    tried = rf"(?:\b(?i:{words})\b:? {{1,8}}(?i:it to |him |her |them |me )?|(?:^|[\n>\"]) ?)"
    said = "|".join(unnamed_words()["said"])
    leads = (
        rf"[\"'`]?(?:</\w{{1,8}}>)?,? {{1,8}}"
        rf"(?:|-{{1,2}} (?:(?i:that'?s|this is|it'?s|das ist|c'est|es) [^\n.]{{0,24}}?)?"
        rf"|(?i:{said})\b[^\n.]{{0,40}}?"
        r"|(?:<-|←)[^\n]{0,16}?|\((?:(?:the|its|my|our|for|new|old) ){0,2}(?:\w{2,12} )?)$"
    )
    return pattern(rf"{tried}[\"'`]?(?P<value>[^\s\"'`,;(){{}}<>]{{8,64}}){leads}")


def value_after(text: str, start: int, end: int, force: Strength) -> tuple[int, int] | None:
    """The value that a settings file, or somebody in haste, writes right after a name: `password hunter2`."""
    match = _AFTER_NAME_VALUE.match(text, end)
    if match is None and text[start:end].isupper() and (match := _SET_TO.match(text, end)):
        return match.span("bare") if could_be_password(match["bare"]) else None
    if match is None or is_reference(match["bare"]):
        return None
    value = match["bare"].rstrip(".,")
    alone = match["last"] is not None and _DIRECTIVE.search(text, max(0, start - 160), start)
    is_stated = alone and force >= Strength.LIKELY and _SAYS_SECRET.search(text, start, end)
    if (is_stated and _stands_behind(value)) or is_random(value):
        return match.start("bare"), match.start("bare") + len(value)
    return None


def _stands_behind(value: str) -> bool:
    """Whether a value right after a name, alone on the line, is one: no plain word, time or place."""
    return could_be_password(value.rstrip("*=:._")) and ":" not in value


def mentioned(text: str, end: int) -> tuple[int, int] | None:
    """A random-looking word a few words behind the name of a secret."""
    match = _MENTIONED.match(text, end)
    if match is None:
        return None
    value = match["bare"].rstrip(".")
    random = looks_random(value) and class_count(value) == 3
    return (
        (match.start("bare"), match.start("bare") + len(value))
        if random and not is_reference(value)
        else None
    )
