"""Checks that a model's answer is a usable summary, and splits a summary into its sections."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from core.compress.summarise.base import (
    FailureKind,
    SummaryFailure,
    SummaryRequest,
    SummaryResult,
    SummaryStatus,
    heading_line,
)
from core.model.accounting.amounts import Buckets
from core.redact.text import redact_text

_THINKING = re.compile(r"<(think|thinking|reasoning|thought)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_FENCE = re.compile(r"\A```[a-z]*\n(?P<body>.*?)\n?```\Z", re.DOTALL)
_HEADING = re.compile(r"^ {0,3}(?:#{1,6} *|\*\*)(?P<name>[^#*\n]{2,80}?)(?:\*\*)?:?\s*#*$", re.MULTILINE)
_REFUSAL = re.compile(
    r"\A\W{0,3}(?:I(?:'m| am)(?: very| so| really)? sorry|Sorry,|As an AI|Unfortunately, I"
    r"|I (?:can(?:no|')t|am (?:not able|unable)|won't|must decline)"
    r"|(?:很)?抱歉|对不起|我(?:无法|不能)|Lo siento|Je suis désolé|Es tut mir leid)",
    re.IGNORECASE,
)
CUT = frozenset({"length", "max_tokens", "model_context_window_exceeded"})
"""The stop reasons of an answer that was cut off."""
_REFUSED = frozenset({"refusal", "content_filter", "safety"})
_ENOUGH_HEADINGS = 0.5
_OVER = 1.5
_TAKEN_ALL_THE_SAME = (
    "The summary ends where the output limit cut it off; this release takes it all the same. "
    "Better: a model with a larger output limit."
)
_RETRY = "Try again, choose another model with --model, or preview with --summariser extractive"


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """A model's answer.

    Attributes:
        finish: The stop reason the provider gave; None if it gave none.
        model: The model that answered, as the provider names it.
    """

    text: str
    finish: str | None = None
    usage: Buckets | None = None
    model: str | None = None


def checked(answer: ModelAnswer, request: SummaryRequest, where: str) -> tuple[str, tuple[str, ...]]:
    """Check that an answer is usable; return its body, tidied and redacted, and notes on what is odd.

    Raises:
        SummaryFailure: The answer is empty, cut off, a refusal, or lacks most of the headings.
    """
    body = redact_text(_tidy(answer.text, request.headings))
    _refuse_cut(answer, body, where)
    if not body:
        raise SummaryFailure(FailureKind.EMPTY, "the model answered with nothing", where=where, remedy=_RETRY)
    missing = _missing(body, request.headings)
    unshaped = len(missing) > (1 - _ENOUGH_HEADINGS) * len(request.headings)
    if answer.finish in _REFUSED or (unshaped and _REFUSAL.match(body)):
        raise SummaryFailure(
            FailureKind.REFUSED, "the model refused to summarise", where=where, remedy=_RETRY
        )
    if unshaped:
        what = f"the answer has {len(request.headings) - len(missing)} of {len(request.headings)} headings"
        raise SummaryFailure(FailureKind.UNSHAPED, what, where=where, remedy=_RETRY)
    return body, (*_missing_notes(missing), *_length_notes(body, request.budget))


def _refuse_cut(answer: ModelAnswer, body: str, where: str) -> None:
    if answer.finish not in CUT:
        return
    what, remedy = "the answer was cut off at the output limit", "Choose a model with a larger output limit"
    there_is = SummaryResult(body, SummaryStatus.MODEL, answer.model, answer.usage, (_TAKEN_ALL_THE_SAME,))
    raise SummaryFailure(
        FailureKind.TRUNCATED, what, where=where, remedy=remedy, partial=there_is if body else None
    )


def _tidy(text: str, headings: Sequence[str]) -> str:
    """The notes without thinking, code fence or preface, their headings spelt as requested."""
    body = _THINKING.sub("", text).strip()
    fence = _FENCE.match(body)
    body = fence["body"].strip() if fence else body
    names = {_plain(heading): heading for heading in headings}
    body = _HEADING.sub(lambda match: _heading(match, names), body)
    first = re.search(r"^## ", body, re.MULTILINE)
    return _without_loose_fence(body[first.start() :].strip()) if first else body


def _without_loose_fence(body: str) -> str:
    """A body without a closing fence whose opening fence was in the preface."""
    return body[:-3].rstrip() if body.endswith("```") and body.count("```") % 2 else body


def _heading(match: re.Match[str], names: dict[str, str]) -> str:
    heading = names.get(_plain(match["name"]))
    return heading_line(heading) if heading else match.group()


def _plain(heading: str) -> str:
    return re.sub(r"\W+", " ", heading.lower().replace("&", "and")).strip()


def _missing(body: str, headings: Sequence[str]) -> list[str]:
    found = sections(body)
    return [heading for heading in headings if heading not in found]


def _missing_notes(missing: Sequence[str]) -> tuple[str, ...]:
    return (f"the model left out: {', '.join(missing)}",) if missing else ()


def _length_notes(body: str, budget: int) -> tuple[str, ...]:
    tokens = (len(body) + 3) // 4
    return (
        (f"about {tokens:,} tokens, more than the {budget:,} asked for",) if tokens > _OVER * budget else ()
    )


def sections(body: str) -> dict[str, str]:
    """Split a summary at its `## ` headings; text before the first one is under ""."""
    found: dict[str, list[str]] = {"": []}
    current = found[""]
    for line in body.splitlines():
        if line.startswith("## "):
            current = found.setdefault(line[3:].strip(), [])
        else:
            current.append(line)
    texts = {name: "\n".join(lines).strip() for name, lines in found.items()}
    return {name: text for name, text in texts.items() if name or text}
