"""The interface between an agent and a context engine: Hermes' plugin slot as an abstract class."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Wires = list[dict[str, Any]]
"""A conversation in OpenAI form, as an agent holds it."""


@dataclass(frozen=True, slots=True)
class Route:
    """The model an agent now uses, and how it is reached.

    Attributes:
        max_tokens: The output it reserves; None when that is not known to have changed.
    """

    model: str
    context_length: int
    base_url: str
    provider: str
    api_mode: str
    max_tokens: int | None


class ContextEngine(ABC):
    """Decides when a conversation is compacted, and compacts it.

    The agent reads the attributes and calls the methods; the methods that are not abstract have defaults.

    Attributes:
        last_prompt_tokens: The prompt size last reported by the provider; -1 while a fresh count is awaited.
        last_completion_tokens, last_total_tokens: The other two counts.
        threshold_tokens: The size from which compression fires.
        context_length: The model's window.
        compression_count: Compactions in this process.
        threshold_percent: The share of the window from which `threshold_tokens` is computed.
        protect_first_n, protect_last_n: Messages kept at the start, and spared at the end.
    """

    threshold_percent: float = 0.75
    protect_first_n: int = 3
    protect_last_n: int = 6

    def __init__(self) -> None:
        self.last_prompt_tokens = 0
        self.last_completion_tokens = 0
        self.last_total_tokens = 0
        self.threshold_tokens = 0
        self.context_length = 0
        self.compression_count = 0

    @property
    @abstractmethod
    def name(self) -> str:
        """The name that selects it in `context.engine`."""

    @abstractmethod
    def update_from_response(self, usage: Mapping[str, Any]) -> None:
        """Store the token counts of a response."""

    @abstractmethod
    def should_compress(self, prompt_tokens: int | None = None) -> bool:
        """Whether to compact now; without a count, the last reported one decides."""

    @abstractmethod
    def compress(
        self,
        messages: Wires,
        current_tokens: int | None = None,
        focus_topic: str | None = None,
        force: bool = False,
        memory_context: str = "",
    ) -> Wires:
        """Compact a conversation.

        Args:
            messages: Never modified.
            current_tokens: Size of the request, if known.
            focus_topic: What to keep in full.
            force: The user asked for it: a running pause ends.
            memory_context: What a memory provider wants kept.
        """

    def should_compress_preflight(self, messages: Sequence[Mapping[str, Any]]) -> bool:
        """Declared by Hermes but never called."""
        return False

    def should_defer_preflight_to_real_usage(self, rough_tokens: int) -> bool:
        """Whether a rough estimate over the threshold waits for the provider's own count."""
        return False

    def has_content_to_compress(self, messages: Wires) -> bool:
        """Whether there is anything between the protected ends."""
        return True

    def on_session_start(self, session_id: str, **details: Any) -> None:  # noqa: B027 - optional
        """A session began, or continues after a boundary."""

    def on_session_end(self, session_id: str, messages: Wires) -> None:  # noqa: B027 - optional
        """A session ended."""

    def on_session_reset(self) -> None:
        """The user started afresh: every counter returns to zero."""
        self.last_prompt_tokens = 0
        self.last_completion_tokens = 0
        self.last_total_tokens = 0
        self.compression_count = 0

    def get_tool_schemas(self) -> list[dict[str, Any]]:
        """Function schemas of the tools the engine offers the model."""
        return []

    def handle_tool_call(self, name: str, args: Mapping[str, Any], **details: Any) -> str:
        """Answer a call of one of its tools, as JSON."""
        return json.dumps({"error": f"unknown tool: {name}"})

    def get_status(self) -> dict[str, Any]:
        """The figures of a status bar; `usage_percent` is at most 100."""
        prompt = max(0, self.last_prompt_tokens)
        share = prompt / self.context_length * 100 if self.context_length else 0.0
        return {
            "last_prompt_tokens": prompt,
            "threshold_tokens": self.threshold_tokens,
            "context_length": self.context_length,
            "usage_percent": min(100.0, share),
            "compression_count": self.compression_count,
        }

    def update_model(
        self,
        model: str,
        context_length: int,
        base_url: str = "",
        api_key: str = "",
        provider: str = "",
        api_mode: str = "",
        max_tokens: int | None = None,
    ) -> None:
        """Apply a change of model: its window and the limits that follow from it."""
        self._routed(Route(model, context_length, base_url, provider, api_mode, max_tokens))

    def _routed(self, route: Route) -> None:
        self.context_length = route.context_length
        self.threshold_tokens = int(route.context_length * self.threshold_percent)
