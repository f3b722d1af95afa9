"""Answering the calls an engine makes to a summary model: by whom the user chose, never with Hermes' keys."""

from __future__ import annotations

from typing import Any

from core.compress.sizing.estimate import text_tokens
from core.compress.summarise.base import Summariser, SummaryRequest
from core.errors import UsageError
from core.hermes.policy.policy import Policy
from core.model.transcript.message import Message
from core.redact.text import redact_text

_BUDGET = 2000
"""Tokens for a call that names no limit of its own."""


class ModelCalls:
    """Takes the place of the model an engine would call.

    What Hermes' own compressor asks over the same cut is answered for that request, so that both compressors
    can be held against each other.

    Args:
        summariser: Who answers.
        policy: The release whose sections and token count are meant.
        prepared: What Hermes' own compressor asks over the same cut: its call is answered for this request,
            so that both compressors can be held against each other.
        most_tokens: Tokens the user agreed to send; None where nothing is sent.

    Attributes:
        sent: Tokens sent so far.
        asked, answered: Tokens of the calls and of their answers, whoever answers.
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
    """What a call asks, as one text."""
    return "\n\n".join(Message(wire).text for wire in call["messages"] if isinstance(wire, dict))
