"""What a release does about a request that the provider refuses, attempt by attempt."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from core.compress.assembly.agent_steps import as_next_request
from core.compress.assembly.assemble import assemble
from core.compress.planning.measure import measure
from core.compress.planning.plan import plan
from core.compress.sizing.estimate import transcript_tokens
from core.hermes.markers.wording import release_wording
from core.hermes.policy.policy import Policy
from core.hermes.provider_errors.failure import ProviderFailure, failure_of
from core.hermes.provider_errors.reaction import reaction
from core.hermes.provider_errors.shapes import SessionSize
from core.model.compaction.plan import Plan, Settings
from core.model.transcript.message import Message

Provider = Callable[[int], ProviderFailure | None]
"""Returns the refusal of a request of so many tokens, or None if it is accepted."""
_MAX_REFUSALS = 12
_INEFFECTIVE = 0.90
"""A compaction that leaves more than this share of the tokens counts as a failed attempt."""


class RecoveryEnd(StrEnum):
    """How the handling of a refused request ended."""

    FITS = "fits"
    EXHAUSTED = "exhausted"
    """Every attempt of the turn was used up."""
    STUCK = "stuck"
    """The last attempt made no progress."""
    DISABLED = "disabled"
    """Compression is switched off, and the release does not compress in spite of that."""
    WINDOW_TOO_SMALL = "window_too_small"
    """The learnt limit is below the least window of a summary model."""
    NOT_AN_OVERFLOW = "not_an_overflow"
    """The release handles this refusal in another way."""


@dataclass(frozen=True, slots=True)
class RecoveryStep:
    """One attempt.

    Attributes:
        number: Counted from 1 over the turn.
        action: `compress`, `pre_api` (the check before the next call, which uses the same attempts) or
            `reduce_output`.
        window: The window the release assumes after it.
        before_tokens, after_tokens: Size of the request, including system prompt and tools.
        before_messages, after_messages: Number of messages in the conversation.
    """

    number: int
    action: str
    window: int
    before_tokens: int
    after_tokens: int
    before_messages: int
    after_messages: int


@dataclass(frozen=True, slots=True)
class Recovery:
    """How a release handled one refused request.

    Attributes:
        steps: The attempts it made, without those of the turn used up earlier.
        used: Attempts of the turn that are used up.
    """

    steps: tuple[RecoveryStep, ...]
    end: RecoveryEnd
    messages: tuple[Message, ...]
    used: int


def states_its_limit(limit: int, provider: str = "") -> Provider:
    """A provider that refuses requests longer than its limit and states the limit."""

    def ask(tokens: int) -> ProviderFailure | None:
        if tokens <= limit:
            return None
        text = (
            f"This model's maximum context length is {limit} tokens. However, your messages resulted in "
            f"{tokens} tokens."
        )
        return failure_of(text, status=400, provider=provider)

    return ask


def recover(
    messages: Sequence[Message],
    policy: Policy,
    settings: Settings,
    provider: Provider,
    *,
    overhead: int = 0,
    used: int = 0,
    summary_tokens: int | None = None,
) -> Recovery:
    """Simulate one request with its refusals and the attempts they cause.

    Sizes are the release's own estimates, so a provider with other counts may refuse once more or less.
    `overhead` are the tokens of system prompt and tools, `used` the turn's attempts already used up;
    `summary_tokens` is the size of every summary, by default what the release asks for.
    """
    run = _Recovering(policy, settings, provider, overhead, tuple(messages), used, summary_tokens)
    end = run.run()
    return Recovery(tuple(run.steps), end, run.messages, run.used)


@dataclass(slots=True)
class _Recovering:
    """The state of a turn between refusals."""

    policy: Policy
    settings: Settings
    provider: Provider
    overhead: int
    messages: tuple[Message, ...]
    used: int
    summary_tokens: int | None
    steps: list[RecoveryStep] = field(default_factory=list)
    awaiting: bool = False
    strikes: int = 0

    @property
    def most(self) -> int:
        """How many attempts a turn has."""
        return self.policy.overflow.attempts

    def run(self) -> RecoveryEnd:
        """Send the request and act on each refusal until an end is reached."""
        for _ in range(_MAX_REFUSALS):
            failure = self.provider(self._request())
            if failure is None:
                return RecoveryEnd.FITS
            end = self._refused(failure) or self._checked_before_the_call()
            if end is not None:
                return end
        return RecoveryEnd.EXHAUSTED

    def _refused(self, failure: ProviderFailure) -> RecoveryEnd | None:
        """Act on one refusal; None where the request is sent again."""
        rules, window = self.policy.overflow, self.settings.window or 0
        size = SessionSize(self._request(), window, len(self.messages))
        found = reaction(failure, size, self.policy.release)
        if found.action not in ("compress", "reduce_output"):
            return RecoveryEnd.NOT_AN_OVERFLOW
        shrinks = found.action == "compress"
        if shrinks and rules.refuses_disabled and not self.settings.enabled:
            return RecoveryEnd.DISABLED
        after = (found.window_after or window) if shrinks else window
        lowered = after < window
        self.settings = replace(self.settings, window=after)
        if self.used >= self.most:
            return RecoveryEnd.EXHAUSTED
        unusable = shrinks and (self.settings.aux_window or after) < rules.min_window
        compresses = (shrinks or rules.compresses_with_output) and not unusable
        progress = self._attempt(found.action, compresses=compresses)
        if unusable:
            return RecoveryEnd.WINDOW_TOO_SMALL
        return None if progress or lowered or not shrinks else RecoveryEnd.STUCK

    def _checked_before_the_call(self) -> RecoveryEnd | None:
        """The check before the request is sent again, in releases where it uses the turn's attempts."""
        rules, gate = self.policy.overflow, self.policy.gate
        while rules.pre_api_counts and self._request() >= self._threshold():
            if self.awaiting and not rules.fails_closed:
                return None
            if self.used >= self.most or self.strikes >= gate.strikes:
                return RecoveryEnd.EXHAUSTED if rules.fails_closed else None
            if not self._attempt("pre_api", compresses=True) and not rules.fails_closed:
                return None
        return None

    def _attempt(self, action: str, *, compresses: bool) -> bool:
        """Make one attempt; true if it made progress."""
        before, count = self._request(), len(self.messages)
        was = before - self.overhead
        if compresses:
            self._compress()
        self.used += 1
        after = self._request()
        window = self.settings.window or 0
        self.steps.append(RecoveryStep(self.used, action, window, before, after, count, len(self.messages)))
        if not compresses:
            return True
        is_now = after - self.overhead
        self.strikes = self.strikes + 1 if is_now > was * _INEFFECTIVE else 0
        smaller = 0 < is_now < was * self.policy.overflow.progress
        return len(self.messages) < count or smaller

    def _compress(self) -> None:
        measured = measure(self.messages, self.policy)
        planned = plan(measured, self.settings)
        wording = release_wording(self.policy.summary.reads_as)
        made = assemble(measured, planned, self._summary(planned), wording=wording)
        done = made.messages
        if made.changed:
            done = as_next_request(done, measured.messages, self.policy)
            self.settings = replace(self.settings, warm=True)
        deferred = made.changed or self.policy.overflow.noop_waits
        self.awaiting = deferred and self.policy.gate.deferral != "never"
        self.messages = tuple(done)

    def _summary(self, planned: Plan) -> str:
        tokens = self.summary_tokens if self.summary_tokens is not None else planned.summary_budget
        return "x" * (4 * (tokens or 0))

    def _request(self) -> int:
        return self.overhead + transcript_tokens(self.messages, self.policy.estimate)

    def _threshold(self) -> int:
        return plan(measure((), self.policy), self.settings).threshold_tokens or 0
