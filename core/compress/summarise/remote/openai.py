"""Summaries from any endpoint that speaks OpenAI's Chat Completions: OpenRouter, Ollama, vLLM, ..."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from core.compress.summarise.answer_check import ModelAnswer
from core.compress.summarise.base import FailureKind, OnText, SummaryFailure, SummaryRequest
from core.compress.summarise.model_choice import ModelChoice
from core.compress.summarise.prompt import Prompt
from core.hermes.config.config_values import host_of
from core.model.accounting.amounts import Buckets

if TYPE_CHECKING:
    from openai import AsyncOpenAI, OpenAI

_OWN_HOST = "api.openai.com"


class OpenAIConnection:
    """A client for one request."""

    def __init__(self, choice: ModelChoice) -> None:
        from openai import OpenAI

        self._model = choice.model
        self._limit = _limit_key(choice)
        self._client: OpenAI = OpenAI(
            api_key=choice.api_key, base_url=choice.base_url, timeout=choice.timeout, max_retries=0
        )

    def ask(self, prompt: Prompt, request: SummaryRequest, on_text: OnText, *, stream: bool) -> ModelAnswer:
        """Send the prompt; see `Connection.ask`."""
        body = _body(self._model, prompt)
        if request.max_output is not None:
            body[self._limit] = request.max_output
        if stream:
            body |= {"stream": True, "stream_options": {"include_usage": True}}
            return _streamed(self._client.chat.completions.create(**body), on_text)
        return _answer_of(self._client.chat.completions.create(**body))

    def close(self) -> None:
        """Close the client, which also aborts a running request."""
        self._client.close()


class AsyncOpenAIConnection:
    """A client for many concurrent requests."""

    def __init__(self, choice: ModelChoice) -> None:
        from openai import AsyncOpenAI

        self._model = choice.model
        self._limit = _limit_key(choice)
        self._client: AsyncOpenAI = AsyncOpenAI(
            api_key=choice.api_key, base_url=choice.base_url, timeout=choice.timeout, max_retries=0
        )

    async def ask(self, prompt: Prompt, max_output: int, temperature: float | None) -> ModelAnswer:
        """Send the prompt and wait for the whole answer."""
        body = _body(self._model, prompt) | {self._limit: max_output}
        if temperature is not None:
            body["temperature"] = temperature
        return _answer_of(await self._client.chat.completions.create(**body))

    async def close(self) -> None:
        """Close the client, which also aborts running requests."""
        await self._client.close()


def _body(model: str, prompt: Prompt) -> dict[str, Any]:
    texts = (("system", prompt.system), ("user", prompt.user))
    return {"model": model, "messages": [{"role": role, "content": text} for role, text in texts]}


def _limit_key(choice: ModelChoice) -> str:
    """The name of the output limit: OpenAI itself has a newer one than servers that speak its format."""
    return "max_completion_tokens" if host_of(choice.base_url) == _OWN_HOST else "max_tokens"


def _answer_of(completion: Any) -> ModelAnswer:
    choices = getattr(completion, "choices", None)
    if not choices:
        raise SummaryFailure(FailureKind.INVALID, "the answer holds no choices")
    choice = choices[0]
    message = getattr(choice, "message", None)
    if message is None:
        raise SummaryFailure(FailureKind.MESSAGELESS, "the answer holds no message")
    text = message.content or ""
    if not isinstance(text, str):
        raise SummaryFailure(FailureKind.INVALID, "the answer's message is no text")
    finish = "refusal" if getattr(message, "refusal", None) and not text else choice.finish_reason
    return ModelAnswer(text, finish, _buckets(completion.usage), completion.model)


def _streamed(chunks: Iterable[Any], on_text: OnText) -> ModelAnswer:
    pieces: list[str] = []
    finish = model = usage = None
    for chunk in chunks:
        usage = _buckets(getattr(chunk, "usage", None)) or usage
        model = getattr(chunk, "model", None) or model
        for choice in getattr(chunk, "choices", None) or ():
            finish = choice.finish_reason or finish
            if choice.delta is not None and choice.delta.content:
                pieces.append(choice.delta.content)
                on_text(choice.delta.content)
    if model is None:
        raise SummaryFailure(FailureKind.INVALID, "the stream holds no message")
    if finish is None:
        raise ConnectionError("the stream ended before the answer did")
    return ModelAnswer("".join(pieces), finish, usage, model)


def _buckets(usage: Any) -> Buckets | None:
    """Usage as buckets; OpenAI counts cached tokens as part of the prompt."""
    if usage is None:
        return None
    cached = getattr(getattr(usage, "prompt_tokens_details", None), "cached_tokens", None)
    prompt = usage.prompt_tokens
    return Buckets(
        input=None if prompt is None else max(0, prompt - (cached or 0)),
        cache_read=cached,
        cache_write=0,
        output=usage.completion_tokens,
        reasoning=getattr(getattr(usage, "completion_tokens_details", None), "reasoning_tokens", None),
    )
