"""The texts Hermes leaves in a transcript around a compaction, identified by release.

A summary row begins with one of a few openers. The long opener is followed by a prefix that differs between
releases; it is recognised by length and hash, so an exact match identifies the releases that wrote it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

from core.support.program_files import load_table

PREFILTERS = ("[CONTEXT COMPACTION", "[CONTEXT SUMMARY]:")
"""Every summary contains one of these; search for them with `instr`, then confirm with `find_summary`."""
UNBOOKED = (
    "You've reached the maximum",
    "[System: Your previous res",
    "[System: The previous resp",
    "[System: Your previous too",
)
"""How messages begin by which Hermes continues after a call it stores nowhere: the last of a turn, or one
that was cut off. All starts have the same length; `markers.yaml` has the texts."""
DESCRIBED = ("[The user attached an image. Here", "[The user sent an image~ Here's w")
"""How a request begins if another model described an image before the turn, in a call that Hermes stores
nowhere. Both starts have the same length."""
INTERRUPTED = "Operation interrupted: waiting for model response ("
"""How an answer begins that stands for one nobody waited for: the provider had the request by then."""
_LONGEST_NOTE = 20_000
"""What begins like a note and is longer is none."""
_MAX_DIGITS = 9
"""A number with more digits counts no messages, and Python refuses to read one of thousands."""
MAX_HEAD_LINES = 12
"""A protected head has at most this many rows before the summary."""


@dataclass(frozen=True, slots=True)
class SummaryMatch:
    """A summary found in the text of a message.

    Attributes:
        family: Name of the prefix family: the first release that wrote it, `early`, `legacy` or `unknown`.
        releases: Minor releases that write this prefix, oldest first; empty if unknown.
        exact: Whether the prefix is byte for byte a known one.
        body: The summary itself, without prefix and end marker. Untrusted.
        before: Live text wrapped before a merged summary (0.18 and later).
        after: Live text after the end marker: the tail message of a merge, or a restated request.
        restated: Whether `after` is the running request, repeated after the boundary (0.22).
        fallback: Whether no model wrote it.
        dropped: How many messages the fallback says it replaced.
        reason: Why the fallback was needed, in Hermes' words.
    """

    family: str
    releases: tuple[str, ...]
    exact: bool
    body: str
    before: str = ""
    after: str = ""
    restated: bool = False
    fallback: bool = False
    dropped: int | None = None
    reason: str | None = None

    @property
    def merged(self) -> bool:
        """Whether the summary shares its row with a message of the tail."""
        return bool(self.before.strip()) or (bool(self.after.strip()) and not self.restated)


class _Prefix(NamedTuple):
    """The text between a summary's opener and its body."""

    family: str
    releases: tuple[str, ...]
    exact: bool
    length: int


def find_summary(text: str) -> SummaryMatch | None:
    """Find a compaction summary in the text of a user or assistant message.

    A summary begins at the start of the text, or after the wrapper that 0.18 and later put around the live
    message they merge it into. A marker anywhere else is a quotation, not a summary.
    """
    start = summary_start(text) if any(sign in text for sign in PREFILTERS) else None
    if start is None:
        return None
    offset, before = start
    prefix = _read_prefix(text, offset)
    if prefix is None:
        return None
    body, after = _split_end(text[offset + prefix.length :], wrapped=bool(before))
    fallback = any(mark in body for mark in markers()["fallback"]["marks"])
    return SummaryMatch(
        family=prefix.family,
        releases=prefix.releases,
        exact=prefix.exact,
        body=body,
        before=before,
        after=after,
        restated=after.startswith(markers()["restated"]),
        fallback=fallback,
        dropped=_fallback_count(body) if fallback else None,
        reason=_fallback_reason(body) if fallback else None,
    )


def is_summary(text: str) -> bool:
    """Whether `find_summary` would find a summary; cheaper, as it does not identify the release."""
    start = summary_start(text)
    return start is not None and text.startswith(tuple(markers()["openers"].values()), start[0])


def shares_row(text: str) -> bool:
    """Whether a summary's row may also hold live text, before it or after its end marker."""
    end = markers()["end"]
    return text.lstrip().startswith(markers()["prior_open"]) or (
        end in text and not text.rstrip().endswith(end)
    )


def summary_start(text: str) -> tuple[int, str] | None:
    """The offset of the opener, and the live text wrapped before it; None if the wrapper is not closed."""
    lead = len(text) - len(text.lstrip())
    if not text.startswith(markers()["prior_open"], lead):
        return lead, ""
    close = text.rfind(markers()["prior_close"])
    if close < 0:
        return None
    after = close + len(markers()["prior_close"])
    offset = after + len(text[after:]) - len(text[after:].lstrip())
    return offset, text[lead + len(markers()["prior_open"]) : close].strip("\n")


def recognised_by(match: SummaryMatch, release: str) -> bool:
    """Whether a release takes this row for a summary of its own.

    Releases test for prefixes they know: 0.16 and later do not know the one that 0.13 to 0.15 wrote, and none
    before 0.22 knows that of 0.22. An unrecognised summary is treated as an ordinary turn.
    """
    return release in _readers().get(match.family if match.exact else "", ())


def without_prefix(text: str, release: str) -> str:
    """A summary without its prefix; unchanged if the release does not know the prefix."""
    prefix = _read_prefix(text, 0)
    known = prefix is not None and prefix.exact and release in _readers().get(prefix.family, ())
    return text[prefix.length :].lstrip() if known and prefix is not None else text


def scaffold_kind(text: str) -> str | None:
    """Name a text that Hermes itself put into a transcript (`todo_snapshot`, ...); None for real text."""
    stripped = text.strip()
    return next((m["kind"] for m in markers()["scaffolding"] if _stands(m["text"], m["at"], stripped)), None)


def typed(text: str) -> str:
    """What a person typed, without the notes that Hermes puts beside it; with a skill, as `/skill words`."""
    if "[" not in text:
        return text
    plain = text
    for start, end in _notes():
        plain = _without(plain, start, end)
    plain = text if plain == text else plain.strip()
    found = next(filter(None, (skill.match(plain.lstrip()) for skill in _skills())), None)
    if found is None:
        return plain
    name = f"/{found['name'].removeprefix('/')}" if found["name"] else ""
    return f"{name} {(found['words'] or '').strip()}".strip()


def _without(text: str, start: re.Pattern[str], end: re.Pattern[str]) -> str:
    """A text without everything from a start to the next end, in time linear in its length."""
    kept, at, close = [], 0, None
    for begin in start.finditer(text):
        if close is None or close.start() < begin.end():
            close = end.search(text, begin.end())
        if close is None:
            break
        if begin.start() >= at and close.end() - begin.start() <= _LONGEST_NOTE:
            kept.append(text[at : begin.start()])
            at = close.end()
    return "".join((*kept, text[at:]))


def _stands(marker: str, where: str, text: str) -> bool:
    if where == "whole":
        return text == marker
    return text.startswith(marker) if where == "start" else marker in text


def _read_prefix(text: str, offset: int) -> _Prefix | None:
    openers = markers()["openers"]
    if text.startswith(openers["long"], offset):
        return _exact_prefix(text, offset) or _nearest_prefix(text, offset)
    for name, bare in markers()["bare"].items():
        if text.startswith(openers[name], offset):
            # The early prefix is one line of directions; the legacy one is only the opener.
            line = _first_line_length(text, offset) if name == "short" else len(openers[name])
            return _Prefix(bare["family"], tuple(bare["releases"]), True, line)
    return None


def _exact_prefix(text: str, offset: int) -> _Prefix | None:
    from hashlib import sha256  # takes 3 ms, and counting generations needs no families

    for family in markers()["families"]:
        candidate = text[offset : offset + family["length"]]
        digest = sha256(candidate.encode("utf-8", "surrogatepass")).hexdigest()
        if digest.startswith(family["sha256"]):
            return _Prefix(family["name"], tuple(family["releases"]), True, family["length"])
    return None


def _nearest_prefix(text: str, offset: int) -> _Prefix:
    """A prefix in no table: its length from its first line, its family from typical phrases."""
    length = _first_line_length(text, offset)
    line = text[offset : offset + length]
    for hint in markers()["hints"]:
        if hint["text"] in line:
            return _Prefix(hint["family"], (), False, length)
    return _Prefix("unknown", (), False, length)


def _first_line_length(text: str, offset: int) -> int:
    end = text.find("\n", offset)
    if end < 0:
        # Everything is on one line: only the opener is certainly not part of the summary.
        return text.index("]", offset) + 1 - offset
    return end - offset


def _split_end(rest: str, *, wrapped: bool) -> tuple[str, str]:
    """The summary body and the live text after its end marker."""
    marker = markers()["end"]
    closes_row = wrapped or rest.rstrip().endswith(marker)
    at = rest.rfind(marker) if closes_row else rest.find(marker)
    if at < 0:
        return rest.strip(), ""
    return rest[:at].strip(), rest[at + len(marker) :].strip()


def _fallback_count(body: str) -> int | None:
    found = (re.search(pattern, body) for pattern in markers()["fallback"]["counts"])
    return next((int(match[1]) for match in found if match and len(match[1]) <= _MAX_DIGITS), None)


def _fallback_reason(body: str) -> str | None:
    found = re.search(markers()["fallback"]["reason"], body)
    return found[1] if found else None


@cache
def markers() -> dict[str, Any]:
    """The table of texts around a compaction, from markers.yaml."""
    loaded: dict[str, Any] = load_table("core/hermes/markers/markers.yaml")
    return loaded


@cache
def _notes() -> Sequence[tuple[re.Pattern[str], re.Pattern[str]]]:
    both = ((note["from"], note["to"]) for note in markers()["notes"])
    return [(re.compile(start, re.MULTILINE), re.compile(end, re.MULTILINE)) for start, end in both]


@cache
def _skills() -> Sequence[re.Pattern[str]]:
    return [re.compile(pattern, re.DOTALL) for pattern in markers()["skills"]]


@cache
def _readers() -> Mapping[str, Sequence[str]]:
    known = {family["name"]: family["readers"] for family in markers()["families"]}
    return known | {bare["family"]: bare["readers"] for bare in markers()["bare"].values()}
