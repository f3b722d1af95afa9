"""Who writes a run's summaries, and from which text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from core.compress.summarise.base import SummaryFailure
from core.compress.summarise.model_choice import ModelChoice, resolve
from core.compress.summarise.prompt import Prompt
from core.hermes.config.config import load_config
from core.model.compaction.plan import Span
from core.redact.text import redact_bulk
from core.support.program_files import shared_table
from core.trajectory.compress.plan import Count, Settings
from core.trajectory.entries.forms import Turn
from core.trajectory.upstream_config import UpstreamConfig

FILE, EXTRACTIVE, STATIC = "file", "extractive", "static"
_words = partial(shared_table, "core/trajectory/summaries/prompt.yaml")
_MAX_CHARS, _HEAD_CHARS, _TAIL_CHARS = 3_000, 1_500, 500
"""Characters up to which a turn is sent whole, and what is sent of a longer one; as in the releases."""


@dataclass(frozen=True, slots=True)
class SummarySpec:
    """Who writes the summaries; sent to every process and machine that works on the run.

    Attributes:
        kind: `file`, `extractive`, `static`, or the wire format of a model.
        text: The summary itself, for kind `file`.
        choice: The model to ask; None without one.
        concurrency: Concurrent requests of the whole run.
        attempts: Most failures per summary; a rate limit is waited out and does not count.
        temperature: The requested temperature; None leaves it to the provider.
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
        errors: How many of them failed.
    """

    text: str
    calls: int = 0
    errors: int = 0


class SummaryMissing(Exception):  # noqa: N818 - the entry stays as it was, the run goes on
    """No attempt gave a summary; `calls` is how many requests were sent for one."""

    def __init__(self, failure: SummaryFailure, calls: int) -> None:
        self.failure = failure
        self.calls = calls
        super().__init__(failure.line)


def build_prompt(turns: Sequence[Turn], region: Span, settings: Settings) -> Prompt:
    """The request for the summary of a region."""
    words = _words()
    chosen = turns[region.start : region.end]
    texts = zip(chosen, redact_bulk([turn.text for turn in chosen]), strict=True)
    excerpts = (f"[{at}: {turn.role}]\n{_cut(text)}" for at, (turn, text) in enumerate(texts, region.start))
    clean = "\n\n".join(excerpts)
    safe = clean.replace(words["closing_tag"], words["harmless_tag"])
    return Prompt(
        system=words["system"].strip(),
        user=words["user"].format(turns=safe, count=region.size, budget=settings.summary_target).strip(),
    )


def prompt_tokens(turns: Sequence[Turn], region: Span, settings: Settings, count: Count) -> int:
    """Tokens that a request would send."""
    return count(build_prompt(turns, region, settings).text)


def _cut(text: str) -> str:
    if len(text) <= _MAX_CHARS:
        return text
    left_out = len(text) - _HEAD_CHARS - _TAIL_CHARS
    return f"{text[:_HEAD_CHARS]}\n[{left_out:,} characters left out]\n{text[-_TAIL_CHARS:]}"


def choose_model(flags: ModelChoice, config: UpstreamConfig, env: Mapping[str, str]) -> ModelChoice:
    """Resolve the choice: flags, the file of the release's tool, environment, then Hermes' configuration.

    Raises:
        SummaryFailure: No source names a model, or the endpoint needs a key and none is set.
    """
    if config.model and not flags.model:
        key = "" if flags.base_url else env.get(config.key_variable or "", "")
        flags = replace(
            flags,
            model=config.model,
            base_url=flags.base_url or config.base_url or "",
            api_key=flags.api_key or key,
        )
    return resolve(flags, env=env, config=load_config(None))
