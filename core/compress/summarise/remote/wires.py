"""Chooses the wire format of a model; the only place that does."""

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
    """A summariser that asks a model in its own wire format unless `anthropic` or `openai` is named.

    After the failures of `main_on` it asks the main model.
    """
    wire = wire or choice.wire
    second = None if main is None else (_connection(main.wire), main)
    return ModelSummariser(wire, _connection(wire), choice, second, main_on=main_on)


def _connection(wire: str) -> Connect:
    """The connection class of a wire format; its SDK, which takes seconds to import, is loaded only then."""
    if wire == ANTHROPIC:
        from core.compress.summarise.remote.anthropic import AnthropicConnection

        return AnthropicConnection
    from core.compress.summarise.remote.openai import OpenAIConnection

    return OpenAIConnection
