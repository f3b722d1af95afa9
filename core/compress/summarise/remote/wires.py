"""Chooses the wire format of a model; the only place that does."""

from __future__ import annotations

from collections.abc import Callable, Collection

from core.compress.summarise.base import FailureKind
from core.compress.summarise.model_choice import ANTHROPIC, ModelChoice
from core.compress.summarise.remote.base import AsyncConnection, Connect, ModelSummariser


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
    second = None if main is None else (connections(main.wire)[0], main)
    return ModelSummariser(wire, connections(wire)[0], choice, second, main_on=main_on)


def connections(wire: str) -> tuple[Connect, Callable[[ModelChoice], AsyncConnection]]:
    """What opens a connection in a wire format, for one request and for many at once.

    Its SDK, which takes seconds to import, is loaded only then.
    """
    if wire == ANTHROPIC:
        from core.compress.summarise.remote.anthropic import AnthropicConnection, AsyncAnthropicConnection

        return AnthropicConnection, AsyncAnthropicConnection
    from core.compress.summarise.remote.openai import AsyncOpenAIConnection, OpenAIConnection

    return OpenAIConnection, AsyncOpenAIConnection
