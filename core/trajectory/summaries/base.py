"""Who writes the summaries of a run, and what each is given."""

from __future__ import annotations

from dataclasses import dataclass

from core.compress.summarise.base import SummaryFailure
from core.compress.summarise.model_choice import ModelChoice

FILE, EXTRACTIVE, STATIC = "file", "extractive", "static"
OFFLINE = (EXTRACTIVE, STATIC)


@dataclass(frozen=True, slots=True)
class SummarySpec:
    """Who writes; carried as it is to every process and machine that works on the run.

    Attributes:
        kind: `file`, `extractive`, `static`, or the wire format of a model.
        text: The summary itself, for `file`.
        choice: The model to ask; None without one.
        concurrency: Requests under way at once, in the whole run.
        attempts: Failures for one summary at the most; a limit of the rate is waited out and is none.
        temperature: Asked of the model; None leaves it to the provider.
    """

    kind: str = EXTRACTIVE
    text: str = ""
    choice: ModelChoice | None = None
    concurrency: int = 50
    attempts: int = 4
    temperature: float | None = None

    @property
    def asks(self) -> bool:
        """Whether a model is asked."""
        return self.choice is not None


@dataclass(frozen=True, slots=True)
class Written:
    """A summary, without its mark.

    Attributes:
        calls: Requests sent for it.
        errors: Those that failed.
    """

    text: str
    calls: int = 0
    errors: int = 0


class SummaryMissing(Exception):  # noqa: N818 - the entry stays as it was, the run goes on
    """No attempt gave a summary.

    Args:
        failure: Of the last attempt.
        calls: Requests that were sent.
        usage: What was paid for all the same.
    """

    def __init__(self, failure: SummaryFailure, calls: int) -> None:
        self.failure = failure
        self.calls = calls
        super().__init__(failure.line)
