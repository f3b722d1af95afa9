"""The request for a summary, in our own words, which users can read before it is sent."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from typing import Any

from core.compress.summarise.base import SummaryRequest, heading_line
from core.compress.summarise.extract.sections import kind_of
from core.redact.text import redact_text
from core.support.program_files import load_table

_LIST = 8_000
"""Character limit of each list in a request to correct notes."""

_CHARACTERS = 4
"""Characters per token, about."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """The text sent to a model.

    Attributes:
        system: The model's role and rules.
        user: The material and the task.
    """

    system: str
    user: str

    @property
    def text(self) -> str:
        """Both parts, for display."""
        return f"{self.system}\n\n{self.user}"


def build_prompt(request: SummaryRequest) -> Prompt:
    """Write a request for a summary.

    All text from the session is redacted and cannot close the tag that encloses it.
    """
    return Prompt(system="\n\n".join(_system(request)), user="\n\n".join(_user(request)))


def repair_prompt(
    request: SummaryRequest,
    notes: str,
    doubts: Sequence[str],
    passages: Sequence[str],
    missing: Sequence[str],
) -> Prompt:
    """Write the request to correct notes in which a check found faults.

    `passages` are the lines of the transcript nearest to the doubted claims, `missing` lost facts, heaviest
    first.
    """
    words = _words()
    material = {
        "notes_tag": notes,
        "doubts_tag": _items(doubts, _LIST),
        "passages_tag": _items(dict.fromkeys(passages), _LIST),
        "missing_tag": _items(missing, request.budget * _CHARACTERS // 2),
    }
    parts = [_enclosed(words[tag], text) for tag, text in material.items() if text]
    closing = words["closing"].format(first=request.headings[0] if request.headings else "")
    return Prompt("\n\n".join((*_rules(request), words["repair"])), "\n\n".join((*parts, closing)))


def repair_size(request: SummaryRequest, estimate: Callable[[str], int]) -> int:
    """Tokens of the largest request to correct notes, about: notes of full length, every list full."""
    empty = repair_prompt(request, "", (), (), ())
    return estimate(empty.text) + request.budget + request.budget // 2 + 2 * _LIST // _CHARACTERS


def _items(texts: Iterable[str], room: int) -> str:
    """A list of as many texts as `room` characters hold."""
    lines = [f"- {text}" for text in texts]
    sizes = accumulate(len(line) + 1 for line in lines)
    return "\n".join(line for line, size in zip(lines, sizes, strict=True) if size <= room)


def _system(request: SummaryRequest) -> Iterator[str]:
    words = _words()
    yield from _rules(request)
    if request.previous_summary:
        yield words["update"]


def _rules(request: SummaryRequest) -> Iterator[str]:
    words = _words()
    yield words["system"]
    yield words["language"]
    yield words["shape"].format(headings="\n".join(map(_described, request.headings)))
    yield words["rules"].format(budget=f"{request.budget:,}")
    if request.temporal:
        today = f" (today is {request.today})" if request.today else ""
        yield words["temporal"].format(today=today)


def _user(request: SummaryRequest) -> Iterator[str]:
    words = _words()
    if request.previous_summary:
        yield _enclosed(words["previous_tag"], request.previous_summary)
    yield _enclosed(words["transcript_tag"], request.transcript)
    if request.focus:
        yield words["focus"].format(focus=" ".join(redact_text(request.focus).split()))
    elif request.auto_focus:
        yield words["auto_focus"].format(focus=redact_text(request.auto_focus))
    yield words["closing"].format(first=request.headings[0] if request.headings else "")


def _described(heading: str) -> str:
    purpose = _words()["purposes"].get(kind_of(heading), "")
    return f"{heading_line(heading)}\n({purpose})" if purpose else heading_line(heading)


def _enclosed(tag: str, text: str) -> str:
    mention = re.compile(rf"<(/?\s*{re.escape(tag)})", re.IGNORECASE)
    safe = mention.sub(r"&lt;\1", redact_text(text))
    return f"<{tag}>\n{safe}\n</{tag}>"


@cache
def _words() -> Mapping[str, Any]:
    words: Mapping[str, Any] = load_table("core/compress/summarise/prompt.yaml")
    return words
