"""Summaries from any endpoint that speaks Anthropic's Messages API."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from core.compress.summarise.answer_check import ModelAnswer
from core.compress.summarise.base import FailureKind, OnText, SummaryFailure, SummaryRequest
from core.compress.summarise.model_choice import ModelChoice
from core.compress.summarise.prompt import Prompt
from core.model.accounting.amounts import Buckets

if TYPE_CHECKING:
    from anthropic import Anthropic, AsyncAnthropic

_OUTPUT_FACTOR, _OUTPUT_SLACK = 1.3, 1_000
"""Anthropic requires an output limit: what Hermes up to 0.18 asked for, and some more."""


class AnthropicConnection:
    """A client for one request."""

    def __init__(self, choice: ModelChoice) -> None:
        from anthropic import Anthropic

        self._model = choice.model
        self._client: Anthropic = Anthropic(
            api_key=choice.api_key, base_url=choice.base_url, timeout=choice.timeout, max_retries=0
        )

    def ask(self, prompt: Prompt, request: SummaryRequest, on_text: OnText, *, stream: bool) -> ModelAnswer:
        """Send the prompt; see `Connection.ask`."""
        limit = request.max_output or int(_OUTPUT_FACTOR * request.budget) + _OUTPUT_SLACK
        body = _body(self._model, prompt, limit)
        if stream:
            return _streamed(self._client.messages.create(**body, stream=True), on_text)
        return _answer_of(self._client.messages.create(**body))

    def close(self) -> None:
        """Close the client, which also aborts a running request."""
        self._client.close()


class AsyncAnthropicConnection:
    """A client for many concurrent requests."""

    def __init__(self, choice: ModelChoice) -> None:
        from anthropic import AsyncAnthropic

        self._model = choice.model
        self._client: AsyncAnthropic = AsyncAnthropic(
            api_key=choice.api_key, base_url=choice.base_url, timeout=choice.timeout, max_retries=0
        )

    async def ask(self, prompt: Prompt, max_output: int, temperature: float | None) -> ModelAnswer:
        """Send the prompt and wait for the whole answer."""
        body = _body(self._model, prompt, max_output)
        if temperature is not None:
            body["temperature"] = temperature
        return _answer_of(await self._client.messages.create(**body))

    async def close(self) -> None:
        """Close the client, which also aborts running requests."""
        await self._client.close()


def _body(model: str, prompt: Prompt, limit: int) -> dict[str, Any]:
    messages = [{"role": "user", "content": prompt.user}]
    return {"model": model, "system": prompt.system, "messages": messages, "max_tokens": limit}


def _answer_of(message: Any) -> ModelAnswer:
    blocks = getattr(message, "content", None)
    if not isinstance(blocks, list):
        raise SummaryFailure(FailureKind.INVALID, "the answer holds no content")
    text = "".join(block.text for block in blocks if block.type == "text")
    return ModelAnswer(text, message.stop_reason, _buckets(message.usage), message.model)


def _streamed(events: Iterable[Any], on_text: OnText) -> ModelAnswer:
    pieces: list[str] = []
    finish = model = None
    start: Any = None
    output: int | None = None
    done = False
    for event in events:
        if event.type == "message_start":
            model, start = event.message.model, event.message.usage
        elif event.type == "content_block_delta" and event.delta.type == "text_delta":
            pieces.append(event.delta.text)
            on_text(event.delta.text)
        elif event.type == "message_delta":
            finish, output = event.delta.stop_reason or finish, getattr(event.usage, "output_tokens", None)
        done = done or event.type == "message_stop"
    if start is None:
        raise SummaryFailure(FailureKind.INVALID, "the stream holds no message")
    if not done:
        raise ConnectionError("the stream ended before the answer did")
    return ModelAnswer("".join(pieces), finish, _buckets(start, output), model)


def _buckets(usage: Any, output: int | None = None) -> Buckets | None:
    """Usage as buckets; Anthropic counts cached tokens separately from the input."""
    if usage is None:
        return None
    return Buckets(
        input=usage.input_tokens,
        cache_read=getattr(usage, "cache_read_input_tokens", None) or 0,
        cache_write=getattr(usage, "cache_creation_input_tokens", None) or 0,
        output=usage.output_tokens if output is None else output,
    )
