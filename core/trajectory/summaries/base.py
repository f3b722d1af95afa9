"""Who writes the summaries of a run, and what each is given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from core.compress.summarise.base import SummaryFailure
from core.compress.summarise.model_choice import ModelChoice
from core.compress.summarise.prompt import Prompt
from core.model.compaction.plan import Span
from core.redact.text import redact_bulk
from core.support.yaml_tables import shared_table
from core.trajectory.compress.plan import Count
from core.trajectory.compress.settings import Settings
from core.trajectory.entries.forms import Turn

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


_words = partial(shared_table, "core/trajectory/summaries/prompt.yaml")


def build_prompt(turns: Sequence[Turn], region: Span, settings: Settings) -> Prompt:
    """The request for the summary of a region."""
    words = _words()
    told = (f"[{at}: {turns[at].role}]\n{_cut(turns[at].text)}" for at in range(region.start, region.end))
    clean = "\n\n".join(redact_bulk(list(told)))
    safe = clean.replace(words["closing_tag"], words["harmless_tag"])
    return Prompt(
        system=words["system"].strip(),
        user=words["user"].format(turns=safe, count=region.size, budget=settings.summary_target).strip(),
    )


def prompt_tokens(turns: Sequence[Turn], region: Span, settings: Settings, count: Count) -> int:
    """Tokens a request would send."""
    return count(build_prompt(turns, region, settings).text)


_LONG, _HEAD, _TAIL = 3_000, 1_500, 500
"""Characters of a turn that are sent whole, and what is sent of a longer one: as the releases do."""


def _cut(text: str) -> str:
    if len(text) <= _LONG:
        return text
    left_out = len(text) - _HEAD - _TAIL
    return f"{text[:_HEAD]}\n[{left_out:,} characters left out]\n{text[-_TAIL:]}"
