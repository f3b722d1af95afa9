"""Passwords among the literals a program calls something with: `connect("db", "root", "Tango-99x")`.

The names of what is called so are data: `calls` in `words.yaml`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

from core.redact.secret_names import looks_random
from core.redact.spans import Hit
from core.redact.table import unnamed_words
from core.redact.unnamed.passwords import is_password, is_thought_up
from core.support.patterns import pattern

_REACH = 400
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
    return pattern(rf"(?:{'|'.join(unnamed_words()['calls'])})\s?(?:=\s?)?[(\[](?=[^()\n]{{0,200}}[\"'])")


def _behind_the_first(text: str, start: int) -> Iterator[re.Match[str]]:
    """The literals of a call up to its end; not the first argument, which says where or who."""
    for one in _LITERAL.finditer(text, start, start + _REACH):
        before = text[start : one.start()]
        if ")" in before.replace("()", "") and one.start() > start:
            return
        if "," in before:
            yield one
        if one["next"] != ",":
            return
