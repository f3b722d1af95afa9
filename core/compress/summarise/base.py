"""The interface of summarisers: request, result and failures; and a summariser that returns a given text."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from core.errors import ConfigError, SummaryError
from core.hermes.markers.wording import OURS, Wording
from core.model.accounting.amounts import Buckets
from core.model.transcript.message import Message
from core.redact.text import redact_text

OnText = Callable[[str], None]
"""Receives each piece of the summary as it arrives; `RESTART` voids all pieces so far."""

RESTART = "\f"
"""Sent to `on_text` before a new attempt starts over."""

Cancelled = Callable[[], bool]
"""Returns whether the user has cancelled."""


class Completion(Protocol):
    """Adds to a body what a release appends by rule, in our wording or in text of the same size."""

    def __call__(self, body: str, *, wording: Wording = ...) -> str:
        """The body with the additions."""


def _as_it_is(body: str, *, wording: Wording = OURS) -> str:
    return body


@dataclass(frozen=True, slots=True)
class SummaryRequest:
    """A middle to summarise, with the release's settings as plain values.

    Attributes:
        turns: The messages to summarise: pruned, and without older summaries.
        budget: Size limit of the summary in tokens.
        headings: Section headings in the release's order, without `## `.
        focus: The topic of `/compress <topic>`.
        auto_focus: The focus the release derives from the latest requests if there is no topic.
        previous_summary: Body of the previous summary, which this one updates; without markers.
        transcript: `turns` as the release writes them into its prompt; only models read it.
        max_output: Output limit to send to a model, in tokens; None sends none.
        originals: The same messages before pruning; if given, offline summarisers read these.
        temporal: Whether the release asks for finished work in the past tense, with dates.
        today: Today's date for `temporal`, ISO 8601; None leaves it out.
        asked_before: The last user request before `turns`; not masked.
        complete: Adds to a body what the release appends by rule, kept to the focus; the offline
            summariser counts with the result.
    """

    turns: tuple[Message, ...]
    budget: int
    headings: tuple[str, ...]
    focus: str | None = None
    auto_focus: str | None = None
    previous_summary: str | None = None
    transcript: str = ""
    max_output: int | None = None
    originals: tuple[Message, ...] = ()
    temporal: bool = False
    today: str | None = None
    asked_before: str = ""
    complete: Completion = _as_it_is


class SummaryStatus(StrEnum):
    """Who wrote a summary."""

    EXTRACTIVE = "extractive"
    MODEL = "model"
    FALLBACK = "fallback"


@dataclass(frozen=True, slots=True)
class SummaryResult:
    """A usable summary.

    Attributes:
        body: The text without markers, redacted.
        model: The model that wrote it; None if none did.
        usage: The provider's token counts; None if it gave none or no model was asked.
        warnings: What the user should know, such as a missing heading or a retry on another model.
        provider, base_url: The route to the model.
    """

    body: str
    status: SummaryStatus
    model: str | None = None
    usage: Buckets | None = None
    warnings: tuple[str, ...] = ()
    provider: str = ""
    base_url: str = ""


class FailureKind(StrEnum):
    """Why there is no summary; a release's policy maps it to abort or fallback."""

    NO_PROVIDER = "no_provider"
    AUTH = "auth"
    FORBIDDEN = "forbidden"
    QUOTA = "quota"
    RATE_LIMIT = "rate_limit"
    OVERLOADED = "overloaded"
    NETWORK = "network"
    TIMEOUT = "timeout"
    GATEWAY = "gateway"
    MALFORMED = "malformed"
    INVALID = "invalid"
    MESSAGELESS = "messageless"
    UNSHAPED = "unshaped"
    TRUNCATED = "truncated"
    EMPTY = "empty"
    REFUSED = "refused"
    CANCELLED = "cancelled"
    SERVER = "server"
    OTHER = "other"


class SummaryFailure(SummaryError):  # noqa: N818 - a kind of SummaryError, told apart by its `kind`
    """A summariser failed or answered with something unusable.

    `what` holds no secrets; `where` names endpoint and model; `retry_after` are the seconds a provider asked
    for; `partial` is a summary that was cut off, which some releases accept.
    """

    def __init__(
        self,
        kind: FailureKind,
        what: str,
        *,
        where: str = "",
        remedy: str = "",
        retry_after: float | None = None,
        partial: SummaryResult | None = None,
    ) -> None:
        self.kind = kind
        self.partial = partial
        self.retry_after = retry_after
        super().__init__(what, where=where, remedy=remedy)


class NoProvider(SummaryFailure):
    """No model, no address or no key is configured: an error in the settings, not of a provider."""

    exit_code = ConfigError.exit_code

    def __init__(self, what: str, *, where: str = "", remedy: str = "") -> None:
        super().__init__(FailureKind.NO_PROVIDER, what, where=where, remedy=remedy)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The host and model that the text of a session would be sent to; a local one is this machine."""

    host: str
    model: str
    local: bool


class Summariser(Protocol):
    """Turns a middle into a summary."""

    name: str

    def summarise(
        self, request: SummaryRequest, *, on_text: OnText | None = None, cancelled: Cancelled | None = None
    ) -> SummaryResult:
        """Summarise the request's turns.

        Raises:
            SummaryFailure: There is no usable summary.
        """
        ...

    def describe(self) -> Endpoint | None:
        """Where the turns would be sent; None when they stay in this process."""
        ...


def stop_if(cancelled: Cancelled | None) -> None:
    """End a summary that the user has cancelled.

    Raises:
        SummaryFailure: They have.
    """
    if cancelled is not None and cancelled():
        raise SummaryFailure(FailureKind.CANCELLED, "the summary was cancelled")


class OfflineSummariser(ABC):
    """A summariser that calls no model: its text is ready at once and never leaves this process."""

    name: str

    def describe(self) -> Endpoint | None:
        """Nothing is sent anywhere."""
        return None

    def summarise(
        self, request: SummaryRequest, *, on_text: OnText | None = None, cancelled: Cancelled | None = None
    ) -> SummaryResult:
        """Summarise the request's turns; the text is ready at once, so `on_text` is not called.

        Raises:
            SummaryFailure: The user cancelled meanwhile.
        """
        return self._written(request, cancelled)

    @abstractmethod
    def _written(self, request: SummaryRequest, cancelled: Cancelled | None) -> SummaryResult:
        """The summary."""


class GivenSummary(OfflineSummariser):
    """Answers every request with the same text, its credentials masked like a model's."""

    def __init__(self, text: str, name: str = "file") -> None:
        self.name = name
        self._text = text

    def _written(self, request: SummaryRequest, cancelled: Cancelled | None) -> SummaryResult:
        return SummaryResult(redact_text(self._text), SummaryStatus.MODEL)


def heading_line(heading: str) -> str:
    """A section heading as written in a summary; a subsection (`### Done`) is already written out."""
    return heading if heading.startswith("### ") else f"## {heading}"
