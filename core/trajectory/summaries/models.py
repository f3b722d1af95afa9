"""Which model writes the summaries of a run, and how it is reached many times at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from core.compress.summarise.answer_check import ModelAnswer
from core.compress.summarise.model_choice import ANTHROPIC, DEFAULT_TIMEOUT, ModelChoice, resolve
from core.compress.summarise.prompt import Prompt
from core.hermes.config.config import load_config
from core.trajectory.upstream_config import UpstreamConfig


class AsyncConnection(Protocol):
    """One client in one wire format, for many requests at once."""

    async def ask(self, prompt: Prompt, max_output: int, temperature: float | None) -> ModelAnswer:
        """Send a prompt and wait for the whole answer."""
        ...

    async def close(self) -> None:
        """Break off whatever is under way."""
        ...


def choose_model(flags: ModelChoice, config: UpstreamConfig, env: Mapping[str, str]) -> ModelChoice:
    """Settle a choice: flags, the file of the release's tool, environment, then Hermes' configuration.

    Raises:
        SummaryFailure: Nobody names a model, or the endpoint needs a key that nobody gives.
    """
    live = None
    if config.model:
        key = env.get(config.key_variable, "") if config.key_variable else ""
        live = ModelChoice(model=config.model, base_url=config.base_url or "", api_key=key)
    if live is not None and not flags.model:
        timeout = flags.timeout if flags.timeout != DEFAULT_TIMEOUT else live.timeout
        flags = ModelChoice(
            flags.provider,
            live.model,
            flags.base_url or live.base_url,
            flags.api_key or ("" if flags.base_url else live.api_key),
            timeout,
        )
    return resolve(flags, env=env, config=load_config(None))


def connect(wire: str, choice: ModelChoice) -> AsyncConnection:
    """A client in this wire format; its SDK is loaded only now."""
    if wire == ANTHROPIC:
        from core.compress.summarise.remote.anthropic import AsyncAnthropicConnection

        return AsyncAnthropicConnection(choice)
    from core.compress.summarise.remote.openai import AsyncOpenAIConnection

    return AsyncOpenAIConnection(choice)
