"""Quickly checks whether a text could contain a credential, so that every title and number can be checked.

Most of what is shown contains none, and the full search costs its imports and about forty patterns. What is
checked here is necessary for each of its rules to match: the words come from the same table, and a test
proves that no text it would mask passes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Set
from functools import cache
from itertools import chain
from typing import NamedTuple

from core.redact.known_values import KNOWN
from core.redact.spans import BETWEEN, ODD_WORD, Search, lowered, pattern, search_for
from core.support.program_files import load_table

_BRACED = pattern(r"\{[A-Z][A-Z0-9]{2}")
"""How the name of a scheme before a hash begins."""
_ROW = pattern(r"[A-Za-z0-9_+/=.~%,-]{12}|-----BEGIN ")
"""Every credential recognised by its own text contains such a row."""
_GIVEN = pattern(
    r"""[=:：<|]|->|--|\s-\w|["'`]\s*,|\(\s*\\*["'`]|\bist? |\bes |[èé] |是|为|\d{6}|[A-Za-z0-9_+/=.~-]{16}"""
    r"""|(?i:pass|pwd|pw|secret|cred|phrase|key|token|psk)[\w.-]{0,64}[ \t]{1,4}\\{0,4}["'`]?"""
    r"""(?=\S{0,255}[0-9+/=~!@#$%^&*])[A-Za-z0-9_+/=.~!@#$%^&*-]{6}"""
)
"""What separates the name of a secret from its value, or a value that stands out among words."""
_CALL = pattern(r"[(\[](?=[^()\n]{0,200}[\"'])")
"""How the arguments of a call begin that is given a password."""
_DRAWN = pattern(
    r"[A-Za-z]{10}|[a-z]{4}(?:-[a-z]{4}){3}|(?=\S{0,64}[^\W\d_])(?=[^\s\d!$%^&*?+~#=]{0,64}[\d!$%^&*?+~#=])\S{6}"
)
"""A word that may be a password."""
_NAME = pattern(r"^[a-z]+(?:_[a-z]+)+$", re.MULTILINE)
"""A word of code, such as `official_docs_snapshot`: keys without a word have digits or capitals."""
_PATH = pattern(
    r"^~?(?:/\.?[A-Z]?[a-z]+\d{0,3}(?:[-_.](?:[a-z]+\d{0,3}|\d{1,6}))*)+/?$",
    re.MULTILINE,
)
"""A path of plain words: within one of its parts, keys mix letters, digits and capitals."""
_COUNTED = pattern(r"(?<![\w.\-])(?:rough_)?tokens(?=[,.;)]?(?:[ ”](?!\{)|$)|=~)")
"""A number's unit, in most sentences of this program: the word alone is the name of no secret."""
_SEVERAL = pattern(r"\n|\\n|echo|printf|<<<")
"""Without this nothing that `_COUNTED` matches heads a column or names a file of credentials."""
_READ_AFTER = 2_000
"""Characters read beyond those requested."""
_MIN_WORD_LENGTH = 10
"""Minimum length of the word, between blanks, in which a credential with a form of its own begins."""
_MENTIONS = ("inside", "alone", "whole", "people", "files")
"""The lists of words that mention a password."""
_SHORTEST = 4
"""Characters of the shortest name with its value."""


class _Clues(NamedTuple):
    """What to search for, from the table of credentials.

    Attributes:
        placed: The search for what begins a credential's place: its length, and the numbers of these places.
    """

    needles: Search[None]
    placed: Search[tuple[int, list[int]]]
    stems: Search[None]
    hashes: tuple[str, ...]
    password_words: Search[None]
    calls: Search[None]
    pairs: tuple[str, ...]
    tools: frozenset[str]
    row: re.Pattern[str]


def may_hold_credential(text: str) -> bool:
    """False only if `core.redact.text` would find nothing; True proves nothing."""
    if KNOWN.may_hold(text):
        return True
    clues = _clues()
    if _is_placed(text, clues):
        return True
    text = _without_counts(text)
    # Many texts in one say the same words again.
    words = set(text.replace('"', " ").replace("\\n", " ").split())
    lower = _lower(f"{' '.join(words)} ")
    if _may_be_named(text, words, lower, clues) or _may_hold_hash(text, lower, clues):
        return True
    return _ROW.search(text) is not None and _may_hold_row(words, clues)


def _may_be_named(text: str, words: Set[str], lower: str, clues: _Clues) -> bool:
    """Whether something may be a secret because of the name, call or tool before it."""
    whole = _lower(text)
    has_stem = _occurs(clues.stems, lower)
    if has_stem and _GIVEN.search(text):
        return True
    return bool(
        has_stem
        or any(sign in text for sign in clues.pairs)
        or _occurs(clues.password_words, whole)
        or (_CALL.search(text) and _occurs(clues.calls, whole))
        or not clues.tools.isdisjoint(words)
    ) and bool(_DRAWN.search(text))


def _may_hold_row(words: Set[str], clues: _Clues) -> bool:
    """Whether long words may hold a row of characters that is a secret by its form."""
    long = "\n".join(word for word in words if len(word) >= _MIN_WORD_LENGTH)
    if _occurs(clues.needles, long):
        return True
    if clues.row.search(long) is None:
        return False
    return clues.row.search(_PATH.sub("", _NAME.sub("", long))) is not None


def _occurs(words: Search[None], text: str) -> bool:
    """Whether a text contains one of the words of a search."""
    return any(True for _ in words(text))


def masked(text: str) -> str:
    """A text without its credentials; text that can contain none, which is most, needs only a quick check."""
    if len(text) < _SHORTEST or not may_hold_credential(text):
        return text
    from core.redact.text import redact_text  # takes long to load, and most texts do without

    return redact_text(text)


def masked_start(text: str, chars: int) -> str:
    """The first `chars` characters of a text, masked before the cut: half a credential is not recognised."""
    return _masked_beyond(text, chars)[:chars]


def masked_line(text: str, chars: int) -> str:
    """The same for a text of several lines, as one line."""
    return masked_start(" ".join(text.split()), chars)


def masked_excerpt(text: str, chars: int) -> str:
    """The masked start of a text for a quotation: if it is cut, an ellipsis ends it."""
    start = _masked_beyond(text, chars)
    return start if len(start) <= chars else f"{start[: chars - 1].rstrip()}…"


def _masked_beyond(text: str, chars: int) -> str:
    """The masked start of a text, further than `chars`: masks are shorter than what they stand for."""
    read = chars + _READ_AFTER
    found = masked(text[:read])
    while read < len(text) and len(found) < chars + _READ_AFTER // 2:
        read *= 2
        found = masked(text[:read])
    return found


def _is_placed(text: str, clues: _Clues) -> bool:
    """Whether a text has the form of a credential's place, or the words of one in a list of arguments."""
    lower = lowered(text)
    for last, (length, numbers) in clues.placed(lower):
        from core.redact.table import places  # few texts need it

        at, listed = last - length + 1, '"-' in text or "'-" in text
        if not numbers or listed:
            return True
        for place in (places()[number] for number in numbers if places()[number].requires in lower):
            if place.found(text, at, last + 1) or place.found(lower, at, last + 1):
                return True
    return False


def _without_counts(text: str) -> str:
    """A text without the unit of its numbers, where it can mean nothing else."""
    if "tokens" not in text or _SEVERAL.search(text) or ODD_WORD.search(text):
        return text
    return _COUNTED.sub("", text)


def _may_hold_hash(text: str, lower: str, clues: _Clues) -> bool:
    """Whether there may be a password hash, which has separators in it and so need not contain a long row."""
    if "$" in text and any(needle in text for needle in clues.hashes):
        return True
    return "pbkdf2" in lower or "scrypt:" in lower or _BRACED.search(text) is not None


def _lower(text: str) -> str:
    return text.lower() if text.isascii() else f"{text.lower()}\n{text.casefold()}"


@cache
def _clues() -> _Clues:
    from core.redact.table import usage_lead  # not needed until the first text is checked

    table, words = load_table("core/redact/kinds.yaml"), load_table("core/redact/words.yaml")
    table_of_places, unnamed = load_table("core/redact/places.yaml"), words["unnamed"]
    needles = [entry["needles"] for entry in table_of_places["places"]]
    needles += [(usage_lead(line),) for line in table_of_places["usages"]]
    placed: dict[str, tuple[int, list[int]]] = {}
    for number, spelled in enumerate(needles):
        for needle in spelled:
            placed.setdefault(needle.lower(), (len(needle), []))[1].append(number)
    placed.update({word.lower(): (len(word), []) for word in table_of_places["manifests"]})
    known = [(entry["kind"], needle) for entry in table["known"] for needle in entry.get("needles", ())]
    rows = [entry["row"] for entry in table["known"] if "needles" not in entry]
    return _Clues(
        needles=_any_of(needle.rstrip() for _, needle in known),
        hashes=tuple(needle for kind, needle in known if kind == "password-hash" and "$" in needle),
        placed=search_for(placed),
        stems=_any_of(words["names"]["stems"]),
        password_words=_any_of(("pass", *chain.from_iterable(map(unnamed.__getitem__, _MENTIONS)))),
        calls=_any_of(call.partition(".")[0] for call in unnamed["calls"]),
        pairs=tuple(unnamed["pairs"]),
        tools=frozenset(words["issuers"]["tools"]),
        row=pattern(rf"[A-Za-z0-9_-]{{{min(rows)}}}|(?=[A-Za-z+/_-]{{0,60}}\d)[A-Za-z0-9+/_-]{{20}}"),
    )


def _any_of(words: Iterable[str]) -> Search[None]:
    return search_for(dict.fromkeys(words))


def mask_all(texts: Sequence[str]) -> Sequence[str]:
    """Mask the credentials in many short texts: one check of all costs a fifth of a check of each."""
    return list(map(masked, texts)) if may_hold_credential(BETWEEN.join(texts)) else texts


def warm() -> None:
    """Load what masking needs, in a worker, so that the first row drawn need not wait for it."""
    from core.redact.text import redact_text

    redact_text("")
