"""What every summariser is asked, what it answers, how it fails; and the one that was given its answer."""

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
"""Receives each piece of the summary as it arrives; `RESTART` alone says that what came so far is void."""

RESTART = "\f"
"""Sent to `on_text` before another attempt starts over."""

Cancelled = Callable[[], bool]
"""Answers whether the user has given up waiting."""


class Completion(Protocol):
    """Adds to a body what a release adds by rule, in words of ours or of its size."""

    def __call__(self, body: str, *, wording: Wording = ...) -> str:
        """The body with the additions."""


def _as_it_is(body: str, *, wording: Wording = OURS) -> str:
    return body


@dataclass(frozen=True, slots=True)
class SummaryRequest:
    """One middle to be summarised, with everything a release decides given as plain values.

    Attributes:
        turns: The messages to summarise, pruned, older summaries already taken out.
        budget: Tokens the summary may hold.
        headings: Section headings in the release's order, without `## `.
        focus: The topic of `/compress <topic>`.
        auto_focus: What the release itself derives from the latest requests when there is no topic.
        previous_summary: Body of the summary this one updates, without markers.
        transcript: `turns` as the release writes them into its prompt; only model summarisers read it.
        max_output: Output tokens to ask a model for; None leaves it to the provider.
        originals: The same messages before pruning; the offline summariser reads these when they are given.
        temporal: The release asks for finished work in the past tense, with dates.
        today: The date for that, ISO 8601; None leaves it out.
        asked_before: The newest request in front of the turns, redacted by whoever writes it.
        complete: A body with what the release adds by rule, kept to the focus; the offline summariser counts
            with it.
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
        model: The model that wrote it; None without one.
        usage: What the provider counted; None when it said nothing or no model was asked.
        warnings: What the reader should know: a missing heading, a retry on another model.
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
    """Why there is no summary; a release's policy decides from it between abort and fallback."""

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

    Args:
        kind: The class of failure.
        what: One clause, no trailing full stop, no secrets.
        where: The endpoint and model asked.
        remedy: What the reader can do next.
        retry_after: Seconds the provider asked us to wait, when it said.
        partial: What there is of a summary that was cut off; some releases take it.
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
    """Nobody can be asked as things are set: no model, no address or no key. The fault is one of settings."""

    exit_code = ConfigError.exit_code

    def __init__(self, what: str, *, where: str = "", remedy: str = "") -> None:
        super().__init__(FailureKind.NO_PROVIDER, what, where=where, remedy=remedy)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where the text of a session would go.

    Attributes:
        local: The host is this machine; nothing leaves it.
    """

    host: str
    model: str
    local: bool


class Summariser(Protocol):
    """Anything that can turn a middle into a summary."""

    name: str

    def summarise(
        self,
        request: SummaryRequest,
        *,
        on_text: OnText | None = None,
        cancelled: Cancelled | None = None,
    ) -> SummaryResult:
        """Summarise the request's turns.

        Raises:
            SummaryFailure: There is no usable summary.
        """
        ...

    def describe(self) -> Endpoint | None:
        """Where the turns would be sent; None when they stay in this process."""
        ...


class OfflineSummariser(ABC):
    """A summariser that asks nobody: its text is there at once and never leaves this process."""

    name: str

    def describe(self) -> Endpoint | None:
        """Nothing is sent anywhere."""
        return None

    def summarise(
        self,
        request: SummaryRequest,
        *,
        on_text: OnText | None = None,
        cancelled: Cancelled | None = None,
    ) -> SummaryResult:
        """Summarise the request's turns; all of it is there at once, so no piece is told.

        Raises:
            SummaryFailure: The user gave up meanwhile.
        """
        return self._written(request, cancelled)

    @abstractmethod
    def _written(self, request: SummaryRequest, cancelled: Cancelled | None) -> SummaryResult:
        """The summary."""


class GivenSummary(OfflineSummariser):
    """Answers every request with the same text, its credentials masked as a release masks a model's.

    Args:
        text: The body of the summary, without markers.
        name: What to call its writer.
    """

    def __init__(self, text: str, name: str = "file") -> None:
        self.name = name
        self._text = text

    def _written(self, request: SummaryRequest, cancelled: Cancelled | None) -> SummaryResult:
        return SummaryResult(redact_text(self._text), SummaryStatus.MODEL)


def heading_line(heading: str) -> str:
    """A section heading as it stands in a summary; one of a part (`### Done`) is written out already."""
    return heading if heading.startswith("### ") else f"## {heading}"
