"""Why a compaction ran when no line of the log survives: recomputed from rows, or what remains."""

from __future__ import annotations

from dataclasses import dataclass

from core.explain.anchor import anchored_tokens
from core.explain.checks import is_local
from core.explain.frame import Frame
from core.explain.rows import BoundaryRows
from core.model.conversation import BoundaryMode
from core.model.event import Trigger
from core.model.evidence import Evidence, Source, Verdict
from core.model.message import Message
from core.model.session import Session


@dataclass(frozen=True, slots=True)
class Derived:
    """What rows and rules say about one compaction.

    Attributes:
        tokens: The release's estimate of the request; a lower bound where the tools are unknown.
        request: The transcript included a user row that only the new session holds.
        steps: The reasoning, one step a line.
    """

    trigger: Trigger
    verdict: Verdict
    tokens: int | None
    request: bool = False
    steps: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True)
class _Sizes:
    """The two numbers a check may compare, and the threshold.

    Attributes:
        full: With everything the transcript held.
        called: As the last model call saw it.
    """

    full: int
    called: int
    threshold: int | None
    slack: float

    def reaches(self, number: int) -> bool:
        return self.threshold is not None and number >= self.threshold * (1 - self.slack)

    def exceeds(self, number: int) -> bool:
        return self.threshold is not None and number >= self.threshold


def derive(frame: Frame, facts: BoundaryRows, release: str | None, threshold: int | None) -> Derived:
    """Name the likeliest trigger of one compaction from rows alone; never proved.

    The last message of the transcript says where in a turn it ran: behind a user's message only the check at
    the start of a turn or a refusal of the first call can have run, behind a tool result the checks inside a
    turn, behind a finished answer somebody asked for it or the gateway stepped in.
    """
    session = frame.sessions[facts.session]
    if not facts.before:
        return _without_rows(facts, session)
    messages = frame.messages(facts.before)
    role = messages[-1].role if messages else ""
    if role == "user":
        return _at_turn_start(frame, facts, messages, session, release, threshold)
    if role == "tool" or (role == "assistant" and messages[-1].tool_calls):
        return _inside_turn(frame, facts, messages, session, release, threshold)
    return _between_turns(frame, facts, messages, session, release, threshold)


def _without_rows(facts: BoundaryRows, session: Session) -> Derived:
    if facts.boundary.mode is BoundaryMode.REWRITE and not is_local(session.source):
        steps = (f"the rows were rewritten in place, as the gateway does ({session.source})",)
        return Derived(Trigger.HYGIENE, Verdict.SUSPECTED, None, steps=steps)
    return Derived(Trigger.UNKNOWN, Verdict.UNKNOWN, None, steps=("the transcript it was given is gone",))


def _at_turn_start(
    frame: Frame,
    facts: BoundaryRows,
    messages: tuple[Message, ...],
    session: Session,
    release: str | None,
    threshold: int | None,
) -> Derived:
    sizes = _sizes(frame, messages, session, release, threshold)
    steps = ["the transcript ended with a user's message, so no call of that turn had been answered"]
    if sizes.reaches(sizes.full):
        verdict = Verdict.DERIVED if sizes.exceeds(sizes.full) else Verdict.SUSPECTED
        return _reached(Trigger.PREFLIGHT, verdict, sizes, steps)
    return _refused(sizes, steps)


def _inside_turn(
    frame: Frame,
    facts: BoundaryRows,
    messages: tuple[Message, ...],
    session: Session,
    release: str | None,
    threshold: int | None,
) -> Derived:
    rules = frame.checks(release)
    steps = ["the transcript ended with a tool result, so it ran inside a turn"]
    if rules.anchored:
        anchored = anchored_tokens(session.model_config, messages, frame.policy(release))
        if anchored is not None and threshold is not None and anchored >= threshold:
            steps.append(f"the usage stored with the session gives {anchored:,} >= {threshold:,}")
            return Derived(Trigger.POST_RESPONSE, Verdict.DERIVED, anchored, steps=tuple(steps))
    sizes = _sizes(frame, messages, session, release, threshold)
    if not sizes.reaches(sizes.full):
        return _billed(facts, session, threshold, steps) or _refused(sizes, steps)
    if rules.pre_api and not rules.anchored and not sizes.exceeds(sizes.called):
        steps.append(f"the call before it held about {sizes.called:,}, below the threshold")
        verdict = Verdict.DERIVED if sizes.exceeds(sizes.full) else Verdict.SUSPECTED
        return _reached(Trigger.PRE_API, verdict, sizes, steps)
    verdict = Verdict.DERIVED if sizes.exceeds(sizes.called) else Verdict.SUSPECTED
    return _reached(Trigger.POST_RESPONSE, verdict, sizes, steps)


def _billed(facts: BoundaryRows, session: Session, threshold: int | None, steps: list[str]) -> Derived | None:
    """Real prompts may be larger than any estimate: the tokens booked on a closed session tell their mean."""
    prompt, calls = session.tokens.prompt, session.api_calls
    if facts.boundary.mode is not BoundaryMode.ROTATION or not prompt or not calls or threshold is None:
        return None
    mean = prompt // calls
    if mean < threshold:
        return None
    told = f"{prompt:,} prompt tokens were booked over {calls} calls, {mean:,} each, >= {threshold:,}"
    evidence = Evidence(Source.DATABASE, f"sessions {session.id}", told)
    verdict = Verdict.DERIVED if calls == 1 else Verdict.SUSPECTED
    return Derived(Trigger.POST_RESPONSE, verdict, mean, steps=(*steps, told), evidence=(evidence,))


def _between_turns(
    frame: Frame,
    facts: BoundaryRows,
    messages: tuple[Message, ...],
    session: Session,
    release: str | None,
    threshold: int | None,
) -> Derived:
    if facts.request is not None:
        given = (*messages, facts.request)
        sizes = _sizes(frame, given, session, release, threshold)
        if sizes.reaches(sizes.full):
            steps = [
                "with the next user's message, which only the new session holds, it reaches the threshold"
            ]
            verdict = Verdict.DERIVED if sizes.exceeds(sizes.full) else Verdict.SUSPECTED
            found = _reached(Trigger.PREFLIGHT, verdict, sizes, steps)
            return Derived(found.trigger, found.verdict, found.tokens, True, found.steps, found.evidence)
    sizes = _sizes(frame, messages, session, release, threshold)
    steps = ["the transcript ended with a finished answer, so no turn was running"]
    window = frame.window.tokens
    share = frame.checks(release).hygiene_share
    if not is_local(session.source) and window and sizes.full >= int(window * share) * (1 - sizes.slack):
        steps.append(f"about {sizes.full:,} is {share:.0%} of {window:,} or more, where the gateway steps in")
        return Derived(Trigger.HYGIENE, Verdict.SUSPECTED, sizes.full, steps=tuple(steps))
    calls = _summary_calls(frame, session)
    if calls == 0:
        steps.append("no summary call was booked on the session, as when a command asks for it")
    return Derived(Trigger.MANUAL, Verdict.SUSPECTED, sizes.full, steps=tuple(steps))


def _reached(trigger: Trigger, verdict: Verdict, sizes: _Sizes, steps: list[str]) -> Derived:
    threshold = sizes.threshold or 0
    sign = ">=" if sizes.full >= threshold else "close to"
    told = f"the request comes to about {sizes.full:,} {sign} {threshold:,}"
    evidence = Evidence(Source.DERIVED, "rows before the compaction", told)
    return Derived(trigger, verdict, sizes.full, steps=(*steps, told), evidence=(evidence,))


def _refused(sizes: _Sizes, steps: list[str]) -> Derived:
    """Below every threshold inside a turn: what remains is a refusal by the provider."""
    if sizes.threshold is None:
        steps.append("no window is known, so nothing can be compared")
        return Derived(Trigger.UNKNOWN, Verdict.UNKNOWN, sizes.full, steps=tuple(steps))
    told = f"about {sizes.full:,} is below {sizes.threshold:,}: no check fires there, a refusal may"
    evidence = Evidence(Source.DERIVED, "rows before the compaction", told)
    return Derived(
        Trigger.OVERFLOW, Verdict.SUSPECTED, sizes.full, steps=(*steps, told), evidence=(evidence,)
    )


def _sizes(
    frame: Frame,
    messages: tuple[Message, ...],
    session: Session,
    release: str | None,
    threshold: int | None,
) -> _Sizes:
    full = frame.request_tokens(messages, session, release)
    answered = max((i for i, message in enumerate(messages) if message.role == "assistant"), default=0)
    called = frame.request_tokens(messages[:answered], session, release)
    return _Sizes(full, called, threshold, frame.tolerance(session))


def _summary_calls(frame: Frame, session: Session) -> int | None:
    """Summary calls booked on a session; None where calls are not booked by task."""
    rows = frame.store.model_usage([session.id])
    if not rows:
        return None
    return sum(row.calls or 0 for row in rows if row.task == "compression")
