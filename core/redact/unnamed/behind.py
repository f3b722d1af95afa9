"""Values behind the name of a secret that nothing assigns: in files of settings, and in what people write."""

from __future__ import annotations

from core.redact.key_formats import drawn, variety
from core.redact.secret_names import Strength, is_reference, looks_random
from core.redact.table import compiled
from core.redact.unnamed.passwords import could_be_password
from core.redact.word_search import pattern

_MENTIONED = (
    r"""(?=[\s:"'`(])[^\w\n]{1,4}(?:[A-Za-z]{1,10}[^\w\n]{1,3}){0,4}["'`(]{0,2}"""
    r"""(?P<bare>[A-Za-z0-9_+/=.~-]{16,512})(?=$|[\s\x1b"'`),.;\\<。，；、」])"""
)
_BEHIND = (
    r"""[ \t]{1,24}\\{0,4}["'`]?(?P<bare>[A-Za-z0-9_+/=.~!?@#$%^&*:-]{6,256})\\{0,4}["'`]?"""
    r"""(?:(?P<last>;?[ \t]*(?:$|(?<=;[ ])|[\n\x1b]|\\{1,8}[nr]|\\{0,8}["'`]))|(?=[\s.,;)]))"""
)
"""A value right behind a name; `last` when nothing else stands on the line."""
_SET_TO = r"""[`"']? (?:set )?(?:to|is|as) [`"']?(?P<bare>[^\s`"',;()<>]{6,256}?)(?=[.]?(?:$|[\s`"',;]))"""
"""What somebody writes of a variable: `ADMIN_PASS to hunter2`."""
_SAYS_SECRET = pattern(r"(?i:pass|pwd|pw|secret|cred|phrase|key|token|psk)")
_DIRECTIVE = r"(?:^|[\n\"'`;]|\\[nrt])[ \t]{0,24}(?:#\s?define )?(?:[\w.:*/@-]{1,64}[ \t]{1,8}){0,12}$"


def behind(text: str, start: int, end: int, force: Strength) -> tuple[int, int] | None:
    """What a file of settings, or somebody in haste, writes right behind a name: `password hunter2`."""
    match = compiled(_BEHIND).match(text, end)
    if match is None and text[start:end].isupper() and (match := compiled(_SET_TO).match(text, end)):
        return match.span("bare") if could_be_password(match["bare"]) else None
    if match is None or is_reference(match["bare"]):
        return None
    value = match["bare"].rstrip(".,")
    alone = match["last"] is not None and compiled(_DIRECTIVE).search(text, max(0, start - 160), start)
    told = alone and force >= Strength.LIKELY and _SAYS_SECRET.search(text, start, end)
    if (told and _stands_behind(value)) or drawn(value):
        return match.start("bare"), match.start("bare") + len(value)
    return None


def _stands_behind(value: str) -> bool:
    """Whether a value right behind a name, alone on the line, is one: no plain word, time or place."""
    return could_be_password(value.rstrip("*=:._")) and ":" not in value


def mentioned(text: str, end: int) -> tuple[int, int] | None:
    """A random-looking word a few words behind the name of a secret."""
    match = compiled(_MENTIONED).match(text, end)
    if match is None:
        return None
    value = match["bare"].rstrip(".")
    random = looks_random(value) and variety(value) == 3
    return (
        (match.start("bare"), match.start("bare") + len(value))
        if random and not is_reference(value)
        else None
    )
