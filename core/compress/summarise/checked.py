"""Checks a model's summary against the messages: it is asked about unsupported claims once, then they go."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

from core.compress.facts.collect import Found, topic_of
from core.compress.facts.importance import weigh
from core.compress.facts.readable import one_line, views
from core.compress.facts.said import sentences
from core.compress.retention.ground.evidence import Evidence
from core.compress.retention.unsupported import check
from core.compress.summarise.answer_check import sections
from core.compress.summarise.base import (
    RESTART,
    Cancelled,
    Endpoint,
    FailureKind,
    OnText,
    SummaryFailure,
    SummaryRequest,
    SummaryResult,
    heading_line,
)
from core.compress.summarise.extract.content_selection import Estimate
from core.compress.summarise.extract.fact_lines import FactLine
from core.compress.summarise.extract.sections import NOTHING, render
from core.compress.summarise.extract.summariser import masked, quarter
from core.compress.summarise.faithful.coverage import lines_of, lost
from core.compress.summarise.faithful.recall import RecallIndex
from core.compress.summarise.prompt import repair_prompt
from core.compress.summarise.remote.base import ModelSummariser
from core.model.accounting.amounts import Buckets
from core.model.compaction.preview import Unsupported
from core.redact.text import redact_bulk, redact_text

_SAYS_NOTHING = re.compile(r"\s*(?:[-*•]|\d+[.)])?\s*(?:\*\*[^*]*\*\*:?|[\w ]{1,24}:)?[\W_]*")
"""Matches an item whose sentences are gone: only its bullet and label are left."""
_ADDED = 0.25
"""Share of the budget for adding facts that the model left out."""
_AS_GOOD = 0.9
"""The second answer is used if it keeps at least this share of the first answer's weight."""
_WHERE = 200
"""Characters that identify a claim; the report cuts longer ones."""
_MAX_QUOTED, _QUOTE_CHARS = 3, 80
"""How many removed sentences a note quotes, and characters of each."""


class Grounds:
    """The messages and previous summary that a model's answer is checked against, in full.

    If the request has a focus, only facts in focus count.
    """

    def __init__(self, request: SummaryRequest) -> None:
        request, before = masked(request)
        self._messages = request.originals or request.turns
        read = views(self._messages, clean=redact_bulk)
        topic = topic_of(request.focus, [*before, *read])
        facts = weigh([*before, *read], topic)
        self._facts = [fact for fact in facts.facts if topic is None or fact[0].in_focus]
        also = [text for text in (request.previous_summary, request.asked_before) if text and text.strip()]
        self._evidence = Evidence(read, self._messages, facts, also)

    def unsupported(self, text: str) -> tuple[Unsupported, ...]:
        """The claims of a text that nothing supports, without those that are only suspected."""
        return check(text, self._evidence, cautious=False).unsupported

    def lost(self, body: str) -> list[Found]:
        """The facts a body leaves out, heaviest first."""
        return lost(self._facts, body)

    def kept(self, body: str) -> float:
        """The sum of the squared weights of the facts a body states, as in the retention report."""
        lost_ids = {id(one) for one in self.lost(body)}
        return sum(weight**2 for one, weight in self._facts if id(one) not in lost_ids)

    def passages(self, claims: Sequence[Unsupported]) -> Iterator[str]:
        """For each claim, the line of the messages nearest to it, if there is one."""
        for claim in claims:
            yield from (hit.excerpt for hit in self._index.find(claim.where, 1))

    @cached_property
    def _index(self) -> RecallIndex:
        return RecallIndex(self._messages)


def without(body: str, is_wrong: Callable[[str], bool]) -> tuple[str, list[str]]:
    """A body without its wrong sentences, and those sentences; an item left empty is removed too."""
    lines, removed = list[str](), list[str]()
    for line in body.splitlines():
        wrong = [] if line.startswith("#") else [one for one in sentences(line) if is_wrong(one)]
        left = _less(line, wrong)
        if not wrong or left:
            lines.append(left)
        removed += wrong
    return "\n".join(lines), removed


def _less(line: str, wrong: Sequence[str]) -> str:
    """A line without some sentences; "" if nothing of substance is left."""
    if not wrong:
        return line
    for one in wrong:
        line = line.replace(one, "") if one in line else ""
    return "" if _SAYS_NOTHING.fullmatch(line) else line.rstrip()


def joined(body: str, lines: Sequence[FactLine], headings: Sequence[str]) -> str:
    """A body with lines added at the end of its sections; an empty section says so."""
    existing, added = sections(body), sections(render(lines, headings))
    blocks = [existing.pop("")] if "" in existing else []
    for heading in (*existing, *(one for one in added if one not in existing and added[one] != NOTHING)):
        more = added.get(heading, NOTHING)
        parts = [part for part in (existing.get(heading, ""), more) if part.strip() and part != NOTHING]
        blocks.append("\n".join((heading_line(heading), *(parts or [NOTHING]))))
    return "\n\n".join(blocks)


@dataclass(frozen=True, slots=True)
class _Corrected:
    """A body without the sentences removed, with lost facts added; `kept` weighs the facts it states."""

    answer: SummaryResult
    body: str
    removed: Sequence[str]
    added: int
    kept: float


class CheckedSummariser:
    """Asks a model, checks its answer against the messages, and asks it once more if they disagree.

    Claims still unsupported after that are removed, and the heaviest facts the model lost are added from the
    messages, within the budget.
    """

    def __init__(self, model: ModelSummariser, estimate: Estimate = quarter) -> None:
        self.name = model.name
        self._model = model
        self._estimate = estimate

    def describe(self) -> Endpoint:
        """Where the turns would be sent."""
        return self._model.describe()

    def describe_second(self) -> Endpoint | None:
        """Where the turns would be sent if the first model fails."""
        return self._model.describe_second()

    def summarise(
        self, request: SummaryRequest, *, on_text: OnText | None = None, cancelled: Cancelled | None = None
    ) -> SummaryResult:
        """Ask and check; ask again if needed; correct the answer.

        Raises:
            SummaryFailure: The first answer is unusable; an unusable second answer only adds a note.
        """
        answers = [self._model.summarise(request, on_text=on_text, cancelled=cancelled)]
        grounds = Grounds(request)
        claims = grounds.unsupported(answers[0].body)
        failed = ""
        if claims:
            try:
                answers.append(self._asked_again(answers[0], request, grounds, claims, on_text, cancelled))
            except SummaryFailure as failure:
                if failure.kind is FailureKind.CANCELLED:
                    raise
                failed = f"; asked about them, it failed ({failure.what})"
        first, *again = [self._corrected(answer, grounds, request) for answer in answers]
        best = next((one for one in again if one.kept >= _AS_GOOD * first.kept), first)
        warnings = (*best.answer.warnings, f"{_said(best, len(claims))}{failed}")
        return replace(best.answer, body=best.body, usage=_usage(answers), warnings=warnings)

    def _asked_again(
        self,
        answer: SummaryResult,
        request: SummaryRequest,
        grounds: Grounds,
        claims: Sequence[Unsupported],
        on_text: OnText | None,
        cancelled: Cancelled | None,
    ) -> SummaryResult:
        """Ask the model again about unsupported claims and about facts it left out."""
        if on_text is not None:
            on_text(RESTART)
        doubts = [f"{claim.value} (in: {claim.where})" for claim in claims]
        missing = [one.value for one in grounds.lost(answer.body)]
        prompt = repair_prompt(request, answer.body, doubts, tuple(grounds.passages(claims)), missing)
        return self._model.ask(prompt, request, on_text=on_text, cancelled=cancelled)

    def _corrected(self, answer: SummaryResult, grounds: Grounds, request: SummaryRequest) -> _Corrected:
        """An answer without unsupported claims, and with the heaviest facts it lost."""
        body, removed = answer.body, list[str]()
        for closely in (True, False):  # a claim over two lines is unsupported in neither of them alone
            claims = grounds.unsupported(body)
            if claims:
                body, removed_now = without(body, partial(_makes, claims, grounds if closely else None))
                removed += removed_now
        missing = grounds.lost(body)
        room = min(int(_ADDED * request.budget), request.budget - self._estimate(body))
        lines = lines_of(missing, body, max(0, room), self._estimate)
        body = redact_text(joined(body, lines, request.headings))
        return _Corrected(answer, body, removed, len(missing) - len(grounds.lost(body)), grounds.kept(body))


def _makes(claims: Sequence[Unsupported], grounds: Grounds | None, sentence: str) -> bool:
    """Whether a sentence makes one of the claims; given grounds, its own values must also be unsupported."""
    made = {claim.category for claim in claims if claim.value[:_WHERE].lstrip("-* ") in sentence}
    is_needed = grounds is None or not made.isdisjoint(("done", "constraints"))
    return bool(made) and (is_needed or bool(grounds and grounds.unsupported(sentence)))


def _usage(answers: Sequence[SummaryResult]) -> Buckets | None:
    """The token usage of all calls; None if the provider did not count one of them."""
    counted = [answer.usage for answer in answers if answer.usage is not None]
    return sum(counted[1:], counted[0]) if len(counted) == len(answers) else None


def _said(best: _Corrected, claims: int) -> str:
    quoted = "; ".join(f"“{one_line(one, _QUOTE_CHARS)}”" for one in best.removed[:_MAX_QUOTED])
    removed = f"{len(best.removed)} sentences removed: {quoted}" if best.removed else "nothing removed"
    return f"checked: {claims} unsupported claims, {removed}; {best.added} lost facts added"
