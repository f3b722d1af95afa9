"""A failure as one release reads it, and the size of the conversation it happened to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from core.hermes.provider_errors.failure import ProviderFailure

_SMALL_WINDOW = 256_000


@dataclass(frozen=True, slots=True)
class SessionSize:
    """How large the conversation was when the call failed.

    Attributes:
        tokens: Its rough token count.
        window: Tokens the model reads, as Hermes believes.
        messages: Number of messages.
    """

    tokens: int = 20_000
    window: int = 200_000
    messages: int = 12

    def passes(self, share: float, tokens: int, messages: int) -> bool:
        """Whether it counts as large: a share of the window, or for small windows one of two numbers."""
        if self.tokens > self.window * share:
            return True
        return self.window <= _SMALL_WINDOW and (self.tokens > tokens or self.messages > messages)


@dataclass(frozen=True, slots=True)
class Asked:
    """One question to the rules: a failure as one release reads it."""

    failure: ProviderFailure
    size: SessionSize
    status: int | None
    code: str
    text: str
    bare: bool
    words: Mapping[str, frozenset[str]]

    def hits(self, names: Iterable[str]) -> bool:
        """Whether a word of one of the lists is in the text."""
        return any(word in self.text for name in names for word in self.words.get(name, ()))
