"""A simulated conversation that grows message by message, and shrinks when a release would compact it."""

from __future__ import annotations

from dataclasses import replace

from core.compress.planning.measure import Measured, measure
from core.compress.planning.plan import plan
from core.compress.sizing.estimate import transcript_tokens
from core.compress.sizing.hygiene import hygiene_limits, unchecked_reason
from core.explain.what_if.outcome import Firing, Outcome, Refused
from core.explain.what_if.recovery import RecoveryEnd, recover, states_its_limit
from core.hermes.policy.policy import Policy
from core.model.compaction.plan import Plan, Settings, Span
from core.model.transcript.message import Message

_SUMMARY = "[CONTEXT SUMMARY]: "
_MAX_COMPACTIONS = 500
"""A setting with this many compactions is called a loop."""
_GIVEN_UP = 3
"""After this many given-up turns nobody would have continued."""


class HistoryRun:
    """A transcript that grows by messages and shrinks by simulated compactions."""

    def __init__(
        self, policy: Policy, settings: Settings, overhead: int, gateway_rows: int | None = None
    ) -> None:
        self.gateway_rows, self.last_prompt = gateway_rows, 0
        self.policy, self.settings, self.overhead = policy, settings, overhead
        self.messages: list[Message] = []
        self.sizes: list[int] = []
        self.size = 0
        self.firings: list[Firing] = []
        self.requests: list[tuple[int, int]] = []
        self.turns = self.repeats = self.written = 0
        self.threshold = plan(measure((), self.policy), self.settings).threshold_tokens
        self.deaf_until = self.attempts = 0
        self.refused: list[Refused] = []

    def add(self, message: Message) -> None:
        """Add a message; before a user's message the gateway makes its check."""
        if message.role == "user" and self.gateway_rows is not None:
            self._hygiene(self.gateway_rows)
        size = self._size(message)
        self.messages.append(message)
        self.sizes.append(size)
        self.size += size
        if message.role == "user":
            self.turns += 1
            self.attempts = 0

    def call(self) -> None:
        """Simulate a model call: first the check, then the request."""
        request = self.size + self.overhead
        loops = len(self.firings) >= _MAX_COMPACTIONS
        if self.threshold is not None and request >= max(self.threshold, self.deaf_until) and not loops:
            self._compress(request)
        request = self.size + self.overhead
        if self.settings.window and request > self.settings.window:
            self._refuse(request, self.settings.window)
            request = self.size + self.overhead
        self.last_prompt = request
        self.requests.append((request, min(self.repeats, request)))
        self.repeats = request

    def _hygiene(self, limit: int) -> None:
        """The gateway's check: of the last request as the provider counted it, else of the rows alone."""
        enabled, window, rows = self.settings.enabled, self.settings.window, len(self.messages)
        limits, tokens = hygiene_limits(self.policy, window, limit), self.last_prompt or self.size
        looks = not unchecked_reason(self.policy, rows, enabled=enabled, window=window)
        if limits and looks and limits.reached(tokens, rows) and len(self.firings) < _MAX_COMPACTIONS:
            self._compress(tokens, by_gateway=True)
            self.last_prompt = 0

    def outcome(self) -> Outcome:
        """The outcome so far."""
        return Outcome(
            release=self.policy.release,
            settings=self.settings,
            threshold=self.threshold,
            firings=tuple(self.firings),
            calls=len(self.requests),
            prompt_tokens=sum(sent for sent, _ in self.requests),
            summarised_tokens=sum(firing.summarised for firing in self.firings),
            peak=max((sent for sent, _ in self.requests), default=0),
            loops=len(self.firings) >= _MAX_COMPACTIONS,
            requests=tuple(self.requests),
            written_tokens=self.written,
            refused=tuple(self.refused),
        )

    def _compress(self, request: int, *, by_gateway: bool = False) -> None:
        measured = measure(self.messages, self.policy)
        warm = replace(self.settings, warm=bool(self.firings))
        planned = plan(measured, warm)
        if not planned.summarises or not self.settings.enabled:
            # Nothing to remove: the release tries again only when the request has grown.
            self.deaf_until = request + 1
            return
        middle = sum(self.sizes[planned.middle.start : planned.middle.end])
        last = self.messages[-1].row
        self.firings.append(
            Firing(last.id if last else None, self.turns, request, middle, by_gateway=by_gateway)
        )
        self.written += planned.summary_budget or 0
        self._replace(_compacted_messages(measured, planned))
        # Nothing after system prompt and tools is unchanged.
        self.repeats = self.overhead
        self.deaf_until = 0 if self.size + self.overhead < (self.threshold or 0) else request

    def _refuse(self, request: int, window: int) -> None:
        """Handle a request longer than the window: the provider refuses it, and the release acts on that."""
        given_up = [one for one in self.refused if one.end is not RecoveryEnd.FITS]
        if len(given_up) >= _GIVEN_UP or (given_up and given_up[-1].turn == self.turns):
            return
        warm = replace(self.settings, warm=bool(self.firings))
        provider = states_its_limit(window, self.settings.provider)
        found = recover(
            self.messages, self.policy, warm, provider, overhead=self.overhead, used=self.attempts
        )
        last = self.messages[-1].row
        row = last.id if last else None
        for step in found.steps:
            removed = max(0, step.before_tokens - step.after_tokens)
            if step.after_messages < step.before_messages or removed:
                self.firings.append(Firing(row, self.turns, step.before_tokens, removed, step.number))
        self.attempts = found.used
        self.refused.append(Refused(row, self.turns, request, found.used, found.end))
        if found.messages != tuple(self.messages):
            self._replace(list(found.messages))
            self.repeats = self.overhead

    def _replace(self, messages: list[Message]) -> None:
        self.messages = messages
        self.sizes = [self._size(message) for message in messages]
        self.size = sum(self.sizes)

    def _size(self, message: Message) -> int:
        return transcript_tokens([message], self.policy.estimate)


def _compacted_messages(measured: Measured, planned: Plan) -> list[Message]:
    """Head, a summary of the requested size, and tail, with old results shortened."""
    pruned, again = set(planned.pruned_at), planned.pruned_again

    def kept(part: Span) -> list[Message]:
        places = range(part.start, part.end)
        return [measured.shortened(i, again=i in again) if i in pruned else measured.base[i] for i in places]

    words = "x" * (4 * (planned.summary_budget or 0))
    summary = Message({"role": "user", "content": _SUMMARY + words})
    return [*kept(planned.head), summary, *kept(planned.tail)]
