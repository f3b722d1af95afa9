"""A compaction as a dry run: what it would say, keep and lose. Nothing is written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from core.compress.assembly.agent_steps import as_next_request, may_hide_todos
from core.compress.assembly.assemble import Sides, assemble, had_user, marked, sides, with_handoff
from core.compress.assembly.feedback import Outcome, caveats, feedback, focus_caveats
from core.compress.assembly.last_changes import reduced, salvaged
from core.compress.planning.measure import Measured
from core.compress.planning.summary_window import part_of
from core.compress.requests.failure import accepted, consequence, invents_user
from core.compress.requests.request import completed, finish_of, summary_request
from core.compress.retention.score import retention_of
from core.compress.sizing.estimate import message_size, total_tokens
from core.compress.summarise.base import (
    Cancelled,
    FailureKind,
    OnText,
    Summariser,
    SummaryFailure,
    SummaryRequest,
    SummaryResult,
    SummaryStatus,
)
from core.compress.summarise.fallback.summariser import StaticSummariser
from core.hermes.markers.wording import OURS, release_wording
from core.model.compaction.plan import Plan
from core.model.compaction.preview import Feedback, Preview, Retention, SummaryCall
from core.model.transcript.message import Message
from core.redact.text import redact_text

_HIDDEN_TODOS = (
    "Unknown: open to-dos that only a running agent holds. This release adds them to the end of the list, "
    "and no result in the conversation shows them."
)
_NO_USER = (
    "No message is from a user: this release accepts a model's summary only if its first section says so, "
    "and would otherwise write its fallback."
)


@dataclass(frozen=True, slots=True)
class Agent:
    """The agent that would run a compaction, as its home configures it.

    Attributes:
        session: The session it would continue in; notes in the list refer to it.
        aborts: After a failed summary it leaves the list unchanged, if the release allows that.
        rules: Notes on whose rules the figures follow, where these are not the rules in force.
        hosted: Include the agent's own steps after the compressor; otherwise only what that returns.
    """

    session: str | None = None
    aborts: bool = False
    rules: tuple[str, ...] = ()
    hosted: bool = True


NO_AGENT = Agent(hosted=False)


@dataclass(frozen=True, slots=True)
class Attempt:
    """The result of asking for a summary.

    Attributes:
        result: The summary; None when the release leaves the list unchanged.
        reason: Why the summariser returned none.
    """

    result: SummaryResult | None
    reason: str | None = None

    @property
    def fell_back(self) -> bool:
        """Whether the summary was made by rule because the summariser failed."""
        return self.reason is not None and self.result is not None


def preview(
    measured: Measured,
    plan: Plan,
    summariser: Summariser,
    focus: str | None = None,
    retention: bool = True,
    *,
    agent: Agent = Agent(),
    today: str | None = None,
    on_text: OnText | None = None,
    cancelled: Cancelled | None = None,
) -> Preview:
    """Run a planned compaction as a dry run; without a middle the preview says that nothing changes.

    `focus` is the topic of `/compress <topic>`, `agent` who would run it, and `today` the date for releases
    that ask for dated facts. `retention` compares the summary with the middle; `on_text` receives it as it
    arrives.

    Raises:
        SummaryFailure: The user cancelled; any other failure has the consequence the release gives it.
    """
    focus = focus if focus and focus.strip() else None
    part, cut = (measured, plan) if plan.kept_from is None else part_of(measured, plan, plan.kept_from)
    asked = _Asked(measured, plan, part, cut, summariser, focus, agent)
    if not plan.summarises:
        return _result(asked, None, Attempt(None))
    asks, session = summariser.describe() is not None, agent.session
    request = summary_request(part, cut, focus=focus, with_transcript=asks, today=today, session=session)
    attempt = _attempt(asked, request, on_text, cancelled)
    if attempt.result is None:
        return _result(asked, None, attempt)
    finish = finish_of(part, cut, request, session)
    wordings = release_wording(part.policy.summary.reads_as), OURS
    released, body = (completed(attempt.result, request, finish, wording) for wording in wordings)
    kept = _retention(asked, request, attempt.result.status, body) if retention else None
    return _result(asked, (released, body), attempt, kept)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A conversation with its plan, and the part of both that is compressed."""

    measured: Measured
    plan: Plan
    part: Measured
    cut: Plan
    summariser: Summariser
    focus: str | None
    agent: Agent


def _attempt(
    asked: _Asked, request: SummaryRequest, on_text: OnText | None, cancelled: Cancelled | None
) -> Attempt:
    """Ask for the summary; a failure has the consequence the release gives it."""
    policy = asked.part.policy
    try:
        return Attempt(asked.summariser.summarise(request, on_text=on_text, cancelled=cancelled))
    except SummaryFailure as failure:
        if failure.kind is FailureKind.CANCELLED:
            raise
        is_accepted = accepted(failure, policy.failure)
        if is_accepted is not None:
            return Attempt(is_accepted)
        if consequence(failure.kind, policy.failure, abort_configured=asked.agent.aborts).aborts:
            return Attempt(None, failure.what)
        static = StaticSummariser(policy, reason=failure.what)
        return Attempt(static.summarise(request), failure.what)


def _retention(asked: _Asked, request: SummaryRequest, status: SummaryStatus, body: str) -> Retention:
    """What the summary keeps of the middle; only a model's can claim what no message says."""
    return retention_of(
        asked.part.messages,
        asked.cut.middle,
        body,
        focus=asked.focus,
        previous=request.previous_summary,
        by_rule=status is not SummaryStatus.MODEL,
    )


def _result(
    asked: _Asked, bodies: tuple[str, str] | None, attempt: Attempt, retention: Retention | None = None
) -> Preview:
    """The preview for a summary body, in the release's size and in our words."""
    measured, plan, part = asked.measured, asked.plan, asked.part
    made, grown = _list_made(asked, bodies)
    before, all_parts = part.estimated_tokens, part
    if plan.kept_from is not None:
        made = made.before_kept(measured.messages[plan.kept_from :])
        before, all_parts = measured.estimated_tokens, measured
    messages, index = made.ours, made.index
    after = _after_tokens(all_parts, made.released)
    body = None if bodies is None else bodies[1]
    changed = index is not None
    return Preview(
        plan=plan,
        before=measured.messages,
        after=messages,
        summariser=asked.summariser.name,
        focus=asked.focus,
        summary=body,
        summary_index=index,
        before_tokens=before,
        after_tokens=after,
        written_tokens=_after_tokens(all_parts, messages),
        feedback=_feedback(measured, messages, (before, after), attempt, changed=changed, refused=grown),
        retention=retention,
        notes=(
            *_call_notes(attempt),
            *(() if index is None else _notes(asked, messages, index, retention, has_grown=after > before)),
            *(() if index is None else _refusals(attempt, body, part)),
        ),
        failure=attempt.reason,
        call=_call(attempt.result),
    )


def _call_notes(attempt: Attempt) -> Iterator[str]:
    """What happened to the summary call, in our words, as not every release reports it."""
    if attempt.reason is not None:
        what = redact_text(attempt.reason.strip())
        then = "nothing is changed" if attempt.result is None else "what is there was written by rule"
        yield f"The summary failed ({what}): {then}."
    if attempt.result is not None and attempt.result.status is SummaryStatus.MODEL:
        yield from attempt.result.warnings


def _call(result: SummaryResult | None) -> SummaryCall | None:
    if result is None or result.model is None:
        return None
    return SummaryCall(result.model, result.usage, result.provider, result.base_url)


def _list_made(asked: _Asked, bodies: tuple[str, str] | None) -> tuple[Sides, bool]:
    """The list the agent would continue with, and whether it refused one that had grown."""
    part, policy = asked.part, asked.part.policy
    theirs = release_wording(policy.summary.reads_as)
    released, ours = (None, "") if bodies is None else bodies
    assembled = assemble(part, asked.cut, released, wording=theirs, session=asked.agent.session)
    at = assembled.summary_index
    if at is None:
        return Sides(assembled.messages, assembled.messages), assembled.changed
    tail_from = None if asked.agent.hosted else asked.cut.head.end
    user = had_user(part.messages, policy)
    marks = marked(assembled, had_user=user, tail_from=tail_from, rules=policy.assembly)
    messages = marks
    if asked.agent.hosted:
        messages = as_next_request(messages, part.messages, policy, anchors=asked.plan.kept_from is None)
    index = next(i for i, message in enumerate(messages) if message is marks[at])
    text = assembled.text, with_handoff(OURS, ours)
    made = sides(messages, index, text, theirs)
    before = part.estimated_tokens
    if not (asked.agent.hosted and policy.host.grow_guard) or _after_tokens(part, messages) <= before:
        return made, False
    smaller = salvaged(messages, before, policy)
    if smaller is None:
        return Sides(part.messages, part.messages), True
    return Sides(smaller, reduced(made.ours, policy), index), False


def _notes(
    asked: _Asked, messages: tuple[Message, ...], index: int, retention: Retention | None, *, has_grown: bool
) -> Iterator[str]:
    policy = asked.measured.policy
    if asked.focus is not None and retention is not None and retention.focus is not None:
        middle = asked.part.messages[asked.cut.middle.start : asked.cut.middle.end]
        yield from focus_caveats(asked.focus, retention, middle)
    yield from caveats(asked.measured.messages, messages, index, policy)
    if asked.agent.hosted and policy.host.todos != "none" and may_hide_todos(asked.part.messages):
        yield _HIDDEN_TODOS
    if has_grown and not asked.agent.hosted and policy.host.grow_guard:
        yield "An agent of this release would refuse this list: it is larger than what it replaces."


def _refusals(attempt: Attempt, body: str | None, part: Measured) -> tuple[str, ...]:
    by_model = attempt.result is not None and attempt.result.status is SummaryStatus.MODEL
    refused = by_model and body is not None and invents_user(body, part.messages, part.policy)
    return (_NO_USER,) if refused else ()


def _feedback(
    measured: Measured,
    messages: tuple[Message, ...],
    tokens: tuple[int, int],
    attempt: Attempt,
    *,
    changed: bool,
    refused: bool,
) -> Feedback:
    fallback = attempt.fell_back or (
        attempt.result is not None and attempt.result.status is SummaryStatus.FALLBACK
    )
    outcome = Outcome(
        before=len(measured.messages),
        after=len(messages),
        before_tokens=tokens[0],
        after_tokens=tokens[1],
        noop=not changed,
        aborted=attempt.result is None and attempt.reason is not None,
        fallback_used=fallback and changed,
        refused=refused,
        reason=attempt.reason,
    )
    return feedback(outcome, measured.policy.feedback)


def _after_tokens(measured: Measured, messages: tuple[Message, ...]) -> int:
    """The estimate of a new list; unchanged rows are not measured again."""
    rules, known = measured.policy.estimate, measured.known_sizes
    return total_tokens((known.get(id(m)) or message_size(m.wire, rules) for m in messages), rules)
