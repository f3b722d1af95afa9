"""Hermes' own context engine, driven by the policy of a release."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from core.compress.assembly.assemble import Assembled, assemble
from core.compress.engines.backoff import Backoff
from core.compress.engines.contract import ContextEngine, Route, Wires
from core.compress.planning.measure import Measured, measure
from core.compress.planning.partition import Rows, cut
from core.compress.planning.plan import plan
from core.compress.requests.failure import accepted
from core.compress.requests.request import completed, finish_of, summary_request
from core.compress.sizing.estimate import transcript_tokens
from core.compress.sizing.threshold import budgets
from core.compress.sizing.weight import replays_thinking
from core.compress.summarise.base import (
    FailureKind,
    Summariser,
    SummaryFailure,
    SummaryRequest,
    SummaryResult,
)
from core.compress.summarise.fallback.summariser import StaticSummariser
from core.hermes.config.config_values import host_of
from core.hermes.markers.wording import OURS, Wording
from core.hermes.policy.policy import Policy
from core.model.compaction.plan import Plan, Settings
from core.model.transcript.message import Message

_ROUTE = ("model", "provider", "host", "api_mode")


class ContextCompressor(ContextEngine):
    """Prunes, summarises the middle and keeps both ends, as one release does; needs a window.

    `wording` is the text around a summary's body, `clock` a steady one, for pauses.

    Attributes:
        previous_summary: Body of the last summary, which the next one continues.
        last_error: Why the summariser returned no summary; None if it did.
        last_aborted: The last attempt left the list unchanged because the summary failed.
        last_fallback: The last summary was made by rule.
    """

    def __init__(
        self,
        policy: Policy,
        settings: Settings,
        summariser: Summariser,
        *,
        abort_configured: bool = False,
        wording: Wording = OURS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__()
        self.policy = policy
        self.backoff = Backoff()
        self.previous_summary: str | None = None
        self.last_error: str | None = None
        self.last_aborted = self.last_fallback = False
        self.session: str | None = None
        self._summariser = summariser
        self._abort_configured = abort_configured
        self._wording = wording
        self._clock = clock
        self._rough_after = 0
        self._settle(settings)

    @property
    def name(self) -> str:
        """The name of the engine that every release ships."""
        return "compressor"

    def _settle(self, settings: Settings) -> None:
        """Apply settings and the limits that follow from them."""
        self._settings = settings
        self.protect_first_n, self.protect_last_n = settings.protect_first, settings.protect_last
        self.context_length = settings.window or 0
        limits = budgets(settings, self.policy, self.context_length)
        self.threshold_percent, self.threshold_tokens = limits.percent, limits.threshold

    def update_from_response(self, usage: Mapping[str, Any]) -> None:
        """Store the counts of a response; from 0.19 on they also judge the last compaction."""
        self.last_prompt_tokens = int(usage.get("prompt_tokens") or 0)
        self.last_completion_tokens = int(usage.get("completion_tokens") or 0)
        total = usage.get("total_tokens")
        self.last_total_tokens = int(total or self.last_prompt_tokens + self.last_completion_tokens)
        self.backoff.counted(
            self.last_prompt_tokens, self.threshold_tokens, self._rough_after, self.policy.gate
        )

    def should_compress(self, prompt_tokens: int | None = None) -> bool:
        """Whether the threshold is reached and nothing blocks."""
        tokens = self.last_prompt_tokens if prompt_tokens is None else prompt_tokens
        return tokens >= self.threshold_tokens and not self.backoff.blocks(self.policy.gate, self._clock())

    def should_defer_preflight_to_real_usage(self, rough_tokens: int) -> bool:
        """Whether to wait for the provider's own count (0.16 on)."""
        return self.backoff.defers(rough_tokens, self.threshold_tokens, self._rough_after, self.policy.gate)

    def has_content_to_compress(self, messages: Wires) -> bool:
        """Whether the unpruned list has a middle; the gateway asks this before a manual compaction."""
        measured = measure([Message(wire) for wire in messages], self.policy)
        thinking = not self.policy.estimate.thinking_keys or replays_thinking(self._settings)
        rows = Rows(measured.columns, measured.weights.walked(thinking=thinking), measured.weights.full)
        limits = budgets(self._now_settings(), self.policy, self.context_length)
        found = cut(rows, self._now_settings(), limits, self.policy)
        return found.start < found.end

    def on_session_start(self, session_id: str, **details: Any) -> None:
        """Remember the id that notes in the list refer to."""
        self.session = session_id or None

    def on_session_end(self, session_id: str, messages: Wires) -> None:
        """Clear everything, so that nothing of this session reaches the next."""
        self.previous_summary = None
        self.backoff = Backoff()

    def on_session_reset(self) -> None:
        """Clear everything, as the user started afresh."""
        super().on_session_reset()
        self.on_session_end("", [])
        self.last_error, self._rough_after = None, 0
        self.last_aborted = self.last_fallback = False

    def _routed(self, route: Route) -> None:
        """Apply a new window and threshold; what was learned of the old model may no longer hold."""
        old = self._settings
        changed = replace(
            old,
            model=route.model,
            window=route.context_length,
            provider=route.provider,
            api_mode=route.api_mode,
            host=host_of(route.base_url),
            max_output=old.max_output if route.max_tokens is None else route.max_tokens,
        )
        moved = any(getattr(changed, name) != getattr(old, name) for name in _ROUTE)
        self._settle(changed)
        if self.policy.gate.switch_forgets:
            self.last_prompt_tokens = self.last_completion_tokens = self.last_total_tokens = 0
            self.backoff.strikes = self.backoff.last_real = self.backoff.fitted = 0
            self.backoff.awaiting = False
        if self.policy.gate.switch_clears and moved:
            self.backoff.succeeded()

    def compress(
        self,
        messages: Wires,
        current_tokens: int | None = None,
        focus_topic: str | None = None,
        force: bool = False,
        memory_context: str = "",
    ) -> Wires:
        """Compact a conversation; a list that cannot be compacted is returned with the same messages."""
        self.last_aborted = self.last_fallback = False
        self.last_error = None
        if force and self.policy.failure.force_clears:
            self.backoff.end_cooldown()
        measured = measure([Message(wire) for wire in messages], self.policy)
        found = plan(measured, self._now_settings())
        if found.blocked_by:
            self._nothing_to_do(found)
            return _wires(assemble(measured, found, "").messages)
        self._forget_foreign(measured)
        body = self._summary(measured, found, focus_topic, force)
        if body is None:
            self.last_aborted = True
            return messages
        assembled = assemble(measured, found, body, wording=self._wording, session=self.session)
        return self._replaced(measured, assembled, current_tokens)

    def _now_settings(self) -> Settings:
        """The settings, including whether this process has compacted before."""
        warm = self.compression_count > 0 or bool(self.previous_summary)
        return replace(self._settings, warm=warm, enabled=True)

    def _nothing_to_do(self, found: Plan) -> None:
        rules = self.policy.gate
        self.backoff.strikes += rules.too_few_is_strike if found.too_short else rules.nothing_is_strike

    def _forget_foreign(self, measured: Measured) -> None:
        """Forget a remembered summary that the list does not hold: it is another session's (0.17 on)."""
        if self.policy.summary.forgets and not measured.columns.summaries:
            self.previous_summary = None

    def _summary(self, measured: Measured, found: Plan, focus: str | None, force: bool) -> str | None:
        """The summary body to insert; None when the list is to be left unchanged."""
        request = summary_request(
            measured,
            found,
            focus=focus,
            previous=self.previous_summary,
            with_transcript=self._summariser.describe() is not None,
            session=self.session,
        )
        result = None if not force and self._skips(request) else self._ask_summariser(request)
        if result is None and self.last_error is not None and self.backoff.aborts:
            return None
        if result is None:
            self.last_fallback = True
            static = StaticSummariser(
                self.policy, reason=self.last_error, prefix_length=len(self._wording.handoff)
            )
            result = static.summarise(request)
            self.backoff.fallback_streak += self.last_error is not None
        body = completed(result, request, finish_of(measured, found, request, self.session), self._wording)
        self.previous_summary = request.previous_summary if self.last_fallback else body
        return body

    def _skips(self, request: SummaryRequest) -> bool:
        """Whether to make the summary by rule: the model failed too often, or the middle is too small."""
        rules = self.policy.gate
        if self.backoff.is_benched(rules, self._clock()):
            return True
        if not rules.small_middle or self.backoff.strikes < 1:
            return False
        given = transcript_tokens(request.turns, self.policy.estimate)
        return given < int(rules.small_middle * self.threshold_tokens)

    def _ask_summariser(self, request: SummaryRequest) -> SummaryResult | None:
        """Ask the summariser, unless a failure is too recent."""
        now = self._clock()
        if now < self.backoff.cooldown_until:
            self.last_error = self.backoff.error
            return None
        try:
            result = self._summariser.summarise(request)
        except SummaryFailure as failure:
            if failure.kind is FailureKind.CANCELLED:
                raise
            is_accepted = accepted(failure, self.policy.failure)
            if is_accepted is not None:
                return is_accepted
            self.last_error = failure.what
            self.backoff.failed(
                failure.kind, failure.what, self.policy.failure, now, configured=self._abort_configured
            )
            return None
        self.backoff.succeeded()
        return result

    def _replaced(self, measured: Measured, assembled: Assembled, current_tokens: int | None) -> Wires:
        """Adopt the new list and judge what it saved."""
        before, after = measured.estimated_tokens, transcript_tokens(assembled.messages, self.policy.estimate)
        self.compression_count += 1
        self.backoff.saved(
            current_tokens or max(0, self.last_prompt_tokens) or before, after, self.policy.gate
        )
        self.backoff.awaiting, self._rough_after = True, after
        return _wires(assembled.messages)


def _wires(messages: tuple[Message, ...]) -> Wires:
    return [dict(message.wire) for message in messages]
