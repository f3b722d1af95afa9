"""A parsed log line."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from core.model.accounting.prompt_cache import CallLine
from core.model.finding import Evidence, Source


class Kind(StrEnum):
    """What a log line reports; `lines.yaml` has the patterns of each kind."""

    TURN = "turn"
    TURN_ENDED = "turn_ended"
    CALL = "call"
    CALL_FAILED = "call_failed"
    CLASSIFIED = "classified"
    PREFLIGHT = "preflight"
    PREFLIGHT_SKIPPED = "preflight_skipped"
    PRE_API = "pre_api"
    HYGIENE = "hygiene"
    HYGIENE_DONE = "hygiene_done"
    HYGIENE_FAILED = "hygiene_failed"
    HYGIENE_KEPT = "hygiene_kept"
    IDLE = "idle"
    ENGINE_PREFLIGHT = "engine_preflight"
    STARTED = "started"
    DONE = "done"
    TELEMETRY = "telemetry"
    NATIVE_STARTED = "native_started"
    NATIVE_DONE = "native_done"
    SKIPPED = "skipped"
    NO_PROGRESS = "no_progress"
    EMPTY_TRANSCRIPT = "empty_transcript"
    ABORTED = "aborted"
    FALLBACK = "fallback"
    SUMMARY_FAILED = "summary_failed"
    MAIN_MODEL_RETRY = "main_model_retry"
    REFUSED = "refused"
    SPLIT_FAILED = "split_failed"
    STALLED = "stalled"
    AUX_LOWERED = "aux_lowered"
    LIMIT_CACHED = "limit_cached"
    LIMIT_REPORTED = "limit_reported"
    INIT = "init"
    WINDOW_ASSUMED = "window_assumed"
    TRIGGERED = "triggered"
    REGION = "region"
    CANNOT_COMPRESS = "cannot_compress"
    NOTHING_TO_COMPRESS = "nothing_to_compress"
    THRASH = "thrash"
    DEFERRED = "deferred"
    REENTRY_SKIPPED = "reentry_skipped"
    NOT_CLEARED = "not_cleared"
    NOT_STORED = "not_stored"
    OVER_THRESHOLD = "over_threshold"
    REARMED = "rearmed"
    RESULT_MOVED = "result_moved"
    GREW = "grew"
    SUMMARY_CALL = "summary_call"
    AUX_CALL = "aux_call"
    EXHAUSTED = "exhausted"
    OVERFLOW_DISABLED = "overflow_disabled"
    OVERFLOW_DOUBTED = "overflow_doubted"
    PROMPT_REBUILT = "prompt_rebuilt"
    ENGINE_MISSING = "engine_missing"
    ENGINE_REGISTERED = "engine_registered"
    SPLIT_DETECTED = "split_detected"
    LOCK_REFRESH = "lock_refresh"
    MICRO = "micro"
    MODEL_REPLACED = "model_replaced"
    PROGRAM_STARTED = "program_started"
    PROGRAM_ENDED = "program_ended"

    __hash__ = str.__hash__  # five times as fast as an enumeration's, and each line is looked up often


@dataclass(frozen=True, slots=True)
class Telemetry:
    """The record 0.22 writes for every attempt. Sizes in tokens count messages only, not prompt or tools.

    Attributes:
        tokens: The number compared with the threshold.
        trigger: `trigger_source` as written.
    """

    trigger: str
    overflow_reason: str | None
    tokens: int | None
    threshold: int | None
    window: int | None
    messages_before: int | None
    messages_after: int | None
    method: str | None
    commit: str | None
    failure: str | None
    aux_model: str | None
    duration: float | None
    route: str | None = None


@dataclass(frozen=True, slots=True)
class Particulars:
    """Further fields of a line; the thousands of lines of answered calls have none.

    Attributes:
        tokens: The number compared (with `threshold`), estimated or freed, by kind.
        before, after: Message counts of a compaction.
        reason: Hermes' own; for a line about an engine or a fallback, the name it gives.
        text: Free text the line carries: an error, a user message, the topic of a manual compression.
            Untrusted.
    """

    tokens: int | None = None
    tokens_after: int | None = None
    threshold: int | None = None
    window: int | None = None
    before: int | None = None
    after: int | None = None
    reason: str | None = None
    text: str | None = None
    telemetry: Telemetry | None = None


NOTHING_ELSE = Particulars()


@dataclass(frozen=True, slots=True, kw_only=True)
class LogRecord(CallLine):
    """A line relevant to compression. The kind decides which numbers are set.

    Attributes:
        session: The session the message names, else the tag.
        number: Call number, attempt, status or count, by kind.
        at: Local time as written, without a zone.
        tag: The session in brackets; None outside a turn.
        quoted: The message, at most 400 characters; for an answered call, only what follows the fields.
            Untrusted.
    """

    kind: Kind
    at: datetime
    logger: str
    tag: str | None
    quoted: str
    seconds: float | None = None
    more: Particulars = NOTHING_ELSE
    """Further fields, each also a property of the record."""

    @property
    def tokens(self) -> int | None:
        """The number compared, estimated or freed, by kind."""
        return self.more.tokens

    @property
    def tokens_after(self) -> int | None:
        """The number afterwards."""
        return self.more.tokens_after

    @property
    def threshold(self) -> int | None:
        """The number `tokens` was compared with."""
        return self.more.threshold

    @property
    def window(self) -> int | None:
        """The model's window."""
        return self.more.window

    @property
    def before(self) -> int | None:
        """How many messages went into the compaction."""
        return self.more.before

    def counting(self, before: int | None) -> LogRecord:
        """The same of a compaction that more messages went into, as its later lines count them."""
        return replace(self, more=replace(self.more, before=before))

    @property
    def after(self) -> int | None:
        """How many messages it left."""
        return self.more.after

    @property
    def reason(self) -> str | None:
        """Hermes' own reason; for a line about an engine or a fallback, the name it gives."""
        return self.more.reason

    @property
    def text(self) -> str | None:
        """Free text of the line. Untrusted."""
        return self.more.text

    @property
    def telemetry(self) -> Telemetry | None:
        """The telemetry record of an attempt."""
        return self.more.telemetry

    @property
    def focus(self) -> str | None:
        """The topic of a manual compression; None if there was none."""
        return self.text if self.kind is Kind.STARTED else None

    @property
    def message(self) -> str:
        """The text of the line; that of an answered call is rebuilt from the fields."""
        briefly = self.kind is Kind.CALL and self.quoted[:1] in ("", " ")
        return self._call_summary + self.quoted if briefly else self.quoted

    @property
    def evidence(self) -> Evidence:
        """The line as evidence."""
        return Evidence(Source.LOG, self.where, self.message)

    @property
    def _call_summary(self) -> str:
        prompt, output = self.input or 0, self.output or 0
        share = 100 * (self.cached or 0) / max(prompt, 1)
        cache = "" if self.cached is None else f" cache={self.cached}/{prompt} ({share:.0f}%)"
        return (
            f"API call #{self.number}: model={self.model} provider={self.provider} in={prompt} out={output} "
            f"total={prompt + output} latency={self.seconds or 0:.1f}s{cache}"
        )

    @property
    def place(self) -> tuple[str, int]:
        """The name of its file and its line number there, from 1."""
        name, _, line = self.where.rpartition(":")
        return name, int(line)

    @property
    def briefly(self) -> LogRecord:
        """A copy without the text that its fields already state, which is half of a call's size."""
        rest = self.quoted.removeprefix(self._call_summary) if self.kind is Kind.CALL else self.quoted
        return replace(self, quoted=rest) if rest[:1] in ("", " ") else self
