"""What was counted and what it cost, with the origin of every number."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EncodingChoice:
    """The tokenizer used for a model.

    Attributes:
        name: A tiktoken encoding, `o200k_base` or `cl100k_base`.
        exact: It is the model's own tokenizer; False shows as "≈".
    """

    name: str
    exact: bool


@dataclass(frozen=True, slots=True)
class TokenCounts:
    """Tokenizer counts of a list of messages.

    Attributes:
        encoding: Which tokenizer counted, and whether it is the model's own.
        counts: Tokens of each message: its text, and the names and arguments of its tool calls. What a
            provider adds around a message is not in it.
        reasoning: Tokens of each message's thinking, which only some routes send back.
        images: Images in each message; a tokenizer cannot weigh them.
        complete: False when counting was cancelled; `counts` then covers the first messages only.
    """

    encoding: EncodingChoice
    counts: tuple[int, ...]
    reasoning: tuple[int, ...]
    images: tuple[int, ...]
    complete: bool = True

    @property
    def total(self) -> int:
        """All messages together, thinking and images left out."""
        return sum(self.counts)
