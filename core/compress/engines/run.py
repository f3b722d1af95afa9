"""Runs another engine on a planned conversation, for the app and the command line alike."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from core.compress.dry_run import NO_AGENT, preview
from core.compress.engines.host.discovery import EngineSearch
from core.compress.engines.host.found_engine import EngineKind, FoundEngine
from core.compress.engines.host.hosted import Compacted, hosted
from core.compress.engines.host.hosted_preview import hosted_preview, kept_rows
from core.compress.planning.measure import Measured
from core.compress.requests.request import summary_request
from core.compress.sizing.estimate import text_tokens
from core.compress.summarise.base import Summariser, SummaryRequest
from core.compress.summarise.extract.summariser import ExtractiveSummariser
from core.errors import UsageError
from core.hermes.policy.policy import Policy
from core.model.compaction.plan import Plan
from core.model.compaction.preview import Preview
from core.model.transcript.message import Message
from core.redact.text import redact_text

_BUDGET = 2000
"""The budget in tokens for a call that states no limit."""


class ModelCalls:
    """Answers the calls that an engine makes to a model, by the sections and token count of a release.

    With a `prepared` request, that of Hermes' own compressor for the same cut, each call is answered for it,
    so that both compressors can be compared. `most_tokens` is what the user agreed to send.

    Attributes:
        sent: Tokens sent so far.
        asked, answered: Tokens of all calls and of their answers, whoever answers.
    """

    def __init__(
        self,
        summariser: Summariser,
        policy: Policy,
        prepared: SummaryRequest | None = None,
        most_tokens: int | None = None,
    ) -> None:
        self._summariser, self._policy, self._prepared = summariser, policy, prepared
        self._most = most_tokens
        self.count = self.sent = self.asked = self.answered = 0

    def __call__(self, call: dict[str, Any]) -> str:
        """Answer one call.

        Raises:
            UsageError: It would send more than was agreed to.
            SummaryFailure: The summariser failed.
        """
        request = self._prepared or self._request(call)
        tokens = self._tokens(request.transcript)
        self.asked += self._tokens(_texts(call))
        if self._summariser.describe() is not None:
            self.sent += tokens
            if self._most is not None and self.sent > self._most:
                raise UsageError("the engine asked to send more than was agreed to")
        self.count += 1
        answer = self._summariser.summarise(request).body
        self.answered += self._tokens(answer)
        return answer

    def _tokens(self, text: str) -> int:
        return text_tokens(text, self._policy.estimate.unit)

    def _request(self, call: dict[str, Any]) -> SummaryRequest:
        text = _texts(call)
        if self._summariser.describe() is not None:
            text = redact_text(text)
        limit = call.get("max_tokens")
        return SummaryRequest(
            turns=(Message({"role": "user", "content": text}),),
            budget=limit if isinstance(limit, int) and limit > 0 else _BUDGET,
            headings=self._policy.summary.headings,
            transcript=text,
            max_output=limit if isinstance(limit, int) else None,
        )


def _texts(call: dict[str, Any]) -> str:
    """The question of a call, as one text."""
    return "\n\n".join(Message(wire).text for wire in call["messages"] if isinstance(wire, dict))


@dataclass(frozen=True, slots=True)
class OtherEngine:
    """An engine other than ours, and where it runs.

    Attributes:
        name: As the user named it.
    """

    name: str
    found: FoundEngine
    search: EngineSearch

    @property
    def title(self) -> str:
        """Its name with its version, for people."""
        return f"{self.name} {self.found.version}" if self.found.version else self.name


@dataclass(frozen=True, slots=True)
class Hosted:
    """What another engine made of the conversation.

    Attributes:
        same: Hermes' own compressor kept the same messages as our re-implementation; None for other engines.
        sent: Tokens its model calls sent out of this process.
        asked, answered: Tokens of all calls and of their answers, by the release's estimate.
    """

    found: FoundEngine
    compacted: Compacted
    preview: Preview
    same: bool | None
    calls: int
    sent: int
    asked: int = 0
    answered: int = 0


def run_engine(
    engine: OtherEngine,
    measured: Measured,
    cut: Plan,
    writer: Summariser,
    focus: str | None,
    *,
    most_tokens: int | None = None,
    stop: Callable[[], bool] | None = None,
) -> Hosted:
    """Let an engine compact a copy of the conversation in a separate process, which is killed if cancelled.

    `cut` is our plan of it, and `most_tokens` what the user agreed to send for its calls to a model.

    Raises:
        EngineFailed: It could not be loaded, hung, died, was cancelled, or returned no list.
    """
    found, search = engine.found, engine.search
    own = found.kind is EngineKind.BUILTIN
    request = summary_request(measured, cut, focus=focus) if own and cut.middle.size else None
    calls = ModelCalls(writer, measured.policy, request, most_tokens)
    with hosted(
        found, home=search.home, python=search.python, settings=cut.settings, answer=calls, stop=stop
    ) as process:
        wires = [dict(message.wire) for message in measured.messages]
        result = process.compact(wires, cut.compared_tokens, focus)
    shown = hosted_preview(measured, cut, result, focus, writer.name)
    same = _agree(measured, cut, shown, result) if own else None
    return Hosted(found, result, shown, same, calls.count, calls.sent, calls.asked, calls.answered)


def _agree(measured: Measured, cut: Plan, shown: Preview, result: Compacted) -> bool:
    """Whether Hermes' own compressor keeps what our re-implementation keeps, and fires at the same size."""
    ours = preview(measured, cut, ExtractiveSummariser(), retention=False, agent=NO_AGENT).after
    kept, theirs = kept_rows(measured.messages, ours), kept_rows(shown.before, shown.after)
    return (
        kept == theirs and len(ours) == len(shown.after) and result.threshold in (None, cut.threshold_tokens)
    )
