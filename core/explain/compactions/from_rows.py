"""Why a compaction ran, recomputed from its rows where no log line is left."""

from __future__ import annotations

from dataclasses import dataclass

from core.explain.context.context import ConversationContext
from core.explain.context.gather import tolerance, without_gateway
from core.explain.context.rows.boundary_rows import BoundaryRows
from core.explain.context.usage_anchor import anchored_tokens
from core.model.compaction.event import Trigger
from core.model.finding import Evidence, Source, Verdict
from core.model.transcript.conversation import BoundaryMode
from core.model.transcript.message import Message
from core.model.transcript.session import Session

_ESTIMATE_ERROR = 0.15
"""The share by which an estimate may exceed what a provider counts."""


@dataclass(frozen=True, slots=True)
class Derived:
    """What rows and rules say about one compaction.

    Attributes:
        tokens: The release's estimate of the request; a lower bound where the tools are unknown.
        steps: The reasoning, one step a line.
        explains: The threshold compared with explains it; if not, another one may have been in force.
    """

    trigger: Trigger
    verdict: Verdict
    tokens: int | None
    steps: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    explains: bool = True


UNDERIVED = Derived(Trigger.UNKNOWN, Verdict.UNKNOWN, None)
"""The result where another engine decided: rows alone tell nothing about its reasons."""


@dataclass(frozen=True, slots=True)
class _Sizes:
    """The sizes a check may have compared, and the threshold.

    Attributes:
        full: Of the whole transcript it was given.
        called: Of the newest answered call.
        earlier: Of the newest call before that whose size was checked and passed.
        slack: The share by which a size may fall short and still explain the threshold.
        toolless: The tools are stored nowhere and in no size, so the request was larger.
    """

    full: int
    called: int
    earlier: int
    threshold: int | None
    slack: float
    toolless: bool = False

    def reaches(self, number: int) -> bool:
        return self.threshold is not None and number >= self.threshold * (1 - self.slack)

    def exceeds(self, number: int) -> bool:
        return self.threshold is not None and number >= self.threshold

    @property
    def threshold_changed(self) -> bool:
        """Whether an earlier call well above the threshold passed, so that another threshold was in force."""
        return self.threshold is not None and self.earlier * (1 - _ESTIMATE_ERROR) >= self.threshold

    def verdict(self, number: int) -> Verdict:
        """How certain a size makes the verdict: an estimate just below the threshold proves little."""
        return Verdict.DERIVED if self.exceeds(number) else Verdict.SUSPECTED


@dataclass(frozen=True, slots=True)
class _Scene:
    """One compaction: the transcript it was given, and the rules it ran under."""

    context: ConversationContext
    facts: BoundaryRows
    messages: tuple[Message, ...]
    session: Session
    release: str | None
    threshold: int | None

    def sizes(self) -> _Sizes:
        """The sizes a check may have compared."""
        given = self.messages
        answers = [i for i, message in enumerate(given) if message.role == "assistant"]
        looked_at = [i for i in answers[:-1] if given[i].tool_calls and i >= self.facts.kept]
        ends = (len(given), *(at[-1] if at else 0 for at in (answers, looked_at)))
        full, called, earlier = self.context.request_tokens(given, self.session, self.release, *ends)
        known = self.context.tools_tokens(self.session) is not None
        booked = self.context.log.empty  # then what is booked on the session tells how large they are
        short = tolerance(tools_known=known)
        return _Sizes(full, called, earlier, self.threshold, short, not known and not booked)


def derive(
    context: ConversationContext, facts: BoundaryRows, release: str | None, threshold: int | None
) -> Derived:
    """Name the most likely trigger of one compaction from rows alone; the verdict is never `proved`.

    The last message of the transcript tells where in a turn it ran. After a user's message it was the check
    at the start of a turn, or a refusal of the first call; after a tool result, a check inside a turn; after
    a finished answer, a command or the gateway.
    """
    session = context.sessions[facts.session]
    if not facts.before:
        return _without_rows(facts, session)
    if facts.pruned:
        return Derived(Trigger.PRUNE, Verdict.DERIVED, None, steps=("as many messages, and no new summary",))
    messages = context.messages(facts.before)
    scene = _Scene(context, facts, messages, session, release, threshold)
    role = messages[-1].role if messages else ""
    if role == "user":
        return _at_turn_start(scene)
    if role == "tool" or (role == "assistant" and messages[-1].tool_calls):
        return _inside_turn(scene)
    return _between_turns(scene)


def _without_rows(facts: BoundaryRows, session: Session) -> Derived:
    if facts.boundary.mode is BoundaryMode.REWRITE and not without_gateway(session.source):
        steps = (f"the rows were rewritten in place, as the gateway does ({session.source})",)
        return Derived(Trigger.HYGIENE, Verdict.SUSPECTED, None, steps=steps)
    return Derived(Trigger.UNKNOWN, Verdict.UNKNOWN, None, steps=("the transcript it was given is gone",))


def _at_turn_start(scene: _Scene) -> Derived:
    sizes = scene.sizes()
    steps = ["the transcript ended with a user's message, so no call of that turn had been answered"]
    if sizes.reaches(sizes.full):
        return _reached(Trigger.PREFLIGHT, sizes.verdict(sizes.full), sizes, steps)
    return _refused(sizes, steps)


def _inside_turn(scene: _Scene) -> Derived:
    policy, threshold = scene.context.policy(scene.release), scene.threshold
    steps = ["the transcript ended with a tool result, so it ran inside a turn"]
    if policy.checks.anchored:
        anchored = anchored_tokens(scene.session.model_config, scene.messages, policy)
        if anchored is not None and threshold is not None and anchored >= threshold:
            steps.append(f"the usage stored with the session gives {anchored:,} >= {threshold:,}")
            return Derived(Trigger.POST_RESPONSE, Verdict.DERIVED, anchored, steps=tuple(steps))
    sizes = scene.sizes()
    if not sizes.reaches(sizes.full):
        return _billed(scene, steps) or _refused(sizes, steps)
    if policy.checks.pre_api and not policy.checks.anchored and not sizes.exceeds(sizes.called):
        steps.append(f"the call before it held about {sizes.called:,}, below the threshold")
        return _reached(Trigger.PRE_API, sizes.verdict(sizes.full), sizes, steps)
    return _reached(Trigger.POST_RESPONSE, sizes.verdict(sizes.called), sizes, steps)


def _billed(scene: _Scene, steps: list[str]) -> Derived | None:
    """The verdict by the mean prompt booked on a closed session: real prompts may exceed any estimate."""
    session, threshold = scene.session, scene.threshold
    prompt, calls = session.tokens.prompt, session.api_calls
    if scene.facts.boundary.mode is not BoundaryMode.ROTATION or not prompt or not calls or threshold is None:
        return None
    mean = prompt // calls
    if mean < threshold:
        return None
    words = f"{prompt:,} prompt tokens were booked over {calls} calls, {mean:,} each, >= {threshold:,}"
    evidence = Evidence(Source.DATABASE, f"sessions {session.id}", words)
    verdict = Verdict.DERIVED if calls == 1 else Verdict.SUSPECTED
    return Derived(Trigger.POST_RESPONSE, verdict, mean, steps=(*steps, words), evidence=(evidence,))


def _between_turns(scene: _Scene) -> Derived:
    context, session = scene.context, scene.session
    sizes = scene.sizes()
    steps = ["the transcript ended with a finished answer, so no turn was running"]
    window = context.window.tokens
    share = context.policy(scene.release).hygiene.share
    if (
        not without_gateway(session.source)
        and window
        and sizes.full >= int(window * share) * (1 - sizes.slack)
    ):
        steps.append(f"about {sizes.full:,} is {share:.0%} of {window:,} or more, where the gateway steps in")
        return Derived(Trigger.HYGIENE, Verdict.SUSPECTED, sizes.full, steps=tuple(steps))
    if context.config.value("compression.micro_compact", scene.release or "") is True:
        return Derived(Trigger.MICRO, Verdict.SUSPECTED, sizes.full, steps=tuple(steps))
    calls = _summary_calls(context, session)
    if calls == 0:
        steps.append("no summary call was booked on the session, as when a command asks for it")
    return Derived(Trigger.MANUAL, Verdict.SUSPECTED, sizes.full, steps=tuple(steps))


def _reached(trigger: Trigger, verdict: Verdict, sizes: _Sizes, steps: list[str]) -> Derived:
    threshold = sizes.threshold or 0
    sign = ">=" if sizes.full >= threshold else "close to"
    tools = ", without its tools, which are not on record" if sizes.toolless else ""
    words = f"the request comes to about {sizes.full:,} {sign} {threshold:,}{tools}"
    evidence = (Evidence(Source.DERIVED, "rows before the compaction", words),)
    if not sizes.threshold_changed:
        return Derived(trigger, verdict, sizes.full, (*steps, words), evidence)
    passed = f"a call of about {sizes.earlier:,} had passed before it, so the threshold was another one then"
    return Derived(trigger, Verdict.SUSPECTED, sizes.full, (*steps, words, passed), evidence, explains=False)


def _refused(sizes: _Sizes, steps: list[str]) -> Derived:
    """Inside a turn and below every threshold, only a refusal by the provider is left as the trigger."""
    if sizes.threshold is None:
        steps.append("no window is known, so nothing can be compared")
        return Derived(Trigger.UNKNOWN, Verdict.UNKNOWN, sizes.full, steps=tuple(steps))
    words = f"about {sizes.full:,} is below {sizes.threshold:,}: no check fires there, a refusal may"
    evidence = Evidence(Source.DERIVED, "rows before the compaction", words)
    found = (Trigger.OVERFLOW, Verdict.SUSPECTED, sizes.full, (*steps, words), (evidence,))
    return Derived(*found, explains=False)


def _summary_calls(context: ConversationContext, session: Session) -> int | None:
    """Summary calls booked on a session; None where calls are not booked by task."""
    rows = context.store.model_usage([session.id])
    if not rows:
        return None
    return sum(row.calls or 0 for row in rows if row.task == "compression")
