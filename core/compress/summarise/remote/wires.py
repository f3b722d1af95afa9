"""A model asked in its wire format: the one place that chooses between them."""

from __future__ import annotations

from collections.abc import Collection

from core.compress.summarise.base import FailureKind
from core.compress.summarise.model_choice import ANTHROPIC, ModelChoice
from core.compress.summarise.remote.base import Connect, ModelSummariser


def model_summariser(
    choice: ModelChoice,
    wire: str = "",
    main: ModelChoice | None = None,
    main_on: Collection[FailureKind] = frozenset(FailureKind),
) -> ModelSummariser:
    """Asks a model for the summary, in its own wire format unless one is named.

    Args:
        choice: The model.
        wire: `anthropic` or `openai`.
        main: The model to ask after it failed.
        main_on: Failures after which that one is asked.
    """
    wire = wire or choice.wire
    second = None if main is None else (_connection(main.wire), main)
    return ModelSummariser(wire, _connection(wire), choice, second, main_on=main_on)


def _connection(wire: str) -> Connect:
    """What opens a connection; its SDK, which takes seconds to load, is loaded when it does."""
    if wire == ANTHROPIC:
        from core.compress.summarise.remote.anthropic import AnthropicConnection

        return AnthropicConnection
    from core.compress.summarise.remote.openai import OpenAIConnection

    return OpenAIConnection
