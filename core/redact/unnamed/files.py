"""What a file of credentials holds: shown, written by a tool, or sent to it by a command.

Its name tells: `.vault_pass`, `chap-secrets`, `db_password.txt`. Its lines are a password alone, or fields of
which one is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

from core.redact.spans import Hit
from core.redact.table import compiled, unnamed_words
from core.redact.unnamed.passwords import could_be_password, is_password, is_thought_up
from core.redact.word_search import pattern

_MOST_LINES, _LONGEST = 40, 200
_REDIRECTS = (">", "tee")
_SHOWN = pattern(
    r"(?:\b(?:cat|type|less|more|head|tail|bat|gc|Get-Content)\b[^\n|;]{0,120}"
    r"|(?:^|[\n:\"]) ?[#;/=>]{1,3} (?:[^\n]{0,40}/|(?:[a-z]{2,8} ){0,3})"
    r"|\"\w{0,12}(?:path|file)\w{0,8}\"\s{0,4}:\s{0,4}\"[^\"\n]{0,160})$"
)
"""What stands before the name of a file that is shown or written."""
_BEGIN = pattern(r"[\w.-]{0,40}$")
"""The name up to the word that tells."""
_LABEL = pattern(r"(?:^|\n)[ \t]{0,4}(?:[#>*-]{1,4} )?[*_]{0,2}(?:[A-Za-z]{2,12} ){0,2}$")
_SENT = pattern(
    r"(?:echo|printf|<<<)(?: -\w{1,3})? {1,8}(?:[\"']?%s(?:\\n)?[\"']? )?\\{0,4}[\"']?"
    r"(?:\S{3,80} [\w.@-]{1,40} )?"
    r"(?P<value>[^\s\"'`<>|\\$]{5,256})"
    r"(?:\\{1,4}n)?\\{0,4}[\"']? {0,8}(?:>{1,2}|\| ?(?:sudo )?tee(?: -\w{1,2})?)[^\n|;&]{0,80}$"
)
"""A command that writes it, up to the name."""
_FIELD = pattern(r"[^\s:,;|=\"'`]{5,128}")
_END = pattern(r"[ \t]*(?:\$ .*|```.*|\"\s*[,}].*|)(?=\n|\Z)")
_PROSE, _NAMED = pattern(r"(?:\S+ ){5}"), pattern(r"[\w.-]+: ")


def files(text: str, lower: str, places: Iterable[int]) -> Iterator[Hit]:
    """Every value of a file of credentials that looks like one.

    Args:
        text: The text.
        lower: The same in lower case.
        places: Where a word begins that the name of such a file may hold.
    """
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
            sent = _SENT.search(text, max(0, start - _LONGEST), start)
            if sent and could_be_password(sent["value"]):
                yield Hit(*sent.span("value"), "secret-value")
        if name["content"] and _is_shown(text, start, name.start("content")):
            yield from _lines(text, name.end())


@cache
def _name() -> re.Pattern[str]:
    """The name of such a file, from the word that tells, in lower case; and what opens its content."""
    words = "|".join(map(re.escape, unnamed_words()["files"]))
    end = r"[\w-]{0,24}(?:\.(?:txt|conf|cfg|client|list|lst|dat|map|secrets?))?(?![\w./({-])"
    lines = r"[\"'`*_]{0,3}(?: <==|:|\))?[*_]{0,2}[ \t]*\n\s?"
    text = r"\"\s{0,4},\s{0,8}\"\w{2,16}\"\s{0,4}:\s{0,4}\"[ \t]*"
    return pattern(rf"(?:{words}){end}(?P<content>{lines}|{text})?")


def _is_shown(text: str, start: int, end: int) -> bool:
    """Whether the file is shown or written, or a word alone on its line says what follows."""
    before = max(0, start - _LONGEST)
    alone = text[start:end].isalpha() and _LABEL.search(text, before, start)
    return bool(alone or _SHOWN.search(text, before, start))


def _lines(text: str, at: int) -> Iterator[Hit]:
    """The passwords of the lines from a place on, up to one that is empty or another command."""
    for _ in range(_MOST_LINES):
        if _END.match(text, at) or text[at : at + 1] in ("", "\x00"):
            return
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        yield from _fields(text, at, min(end, at + _LONGEST))
        at = end + 1


def _fields(text: str, start: int, end: int) -> Iterator[Hit]:
    """The password of a line; what might be one counts where it stands alone, or last behind a user."""
    line = text[start:end].lstrip()
    if line.startswith(("#", ";", "//")) or _PROSE.match(line) or _NAMED.match(line):
        return
    found = list(compiled(_FIELD.pattern).finditer(text, start, end))
    last = found[-1] if found and not text[found[-1].end() : end].strip("\"'`* \t}") else None
    for one in found:
        few = one is last and len(line.split()) <= 2 and "/" not in one[0] and one[0][0].isalnum()
        if is_password(one[0]) or is_thought_up(one[0]) or (few and could_be_password(one[0])):
            yield Hit(*one.span(), "secret-value")
