"""Real tokenizer counts of messages, beside the estimates Hermes decides by."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache as memo
from itertools import islice
from typing import TYPE_CHECKING

from core.account.tokenizers.count_cache import digest
from core.account.tokenizers.vocabularies import count_texts
from core.model.accounting.usage import EncodingChoice, TokenCounts
from core.support.yaml_tables import shared_table

if TYPE_CHECKING:
    from core.account.tokenizers.count_cache import TokenCache
    from core.model.transcript.message import Message

BATCH = 64
"""Messages between two looks at whether to stop."""

Counter = Callable[[Sequence[str], str], list[int]]
"""Tokens of each text by an encoding."""


def encoding_for(model: str) -> EncodingChoice:
    """The tokenizer for a model slug, with or without a vendor prefix (`openai/gpt-5.2`)."""
    slug = model.lower().rsplit("/", 1)[-1]
    default, rules = _table()
    return next((choice for pattern, choice in rules if pattern.search(slug)), default)


def count_messages(
    messages: Iterable[Message],
    model: str,
    *,
    cache: TokenCache | None = None,
    count: Counter = count_texts,
    cancelled: Callable[[], bool] | None = None,
) -> TokenCounts:
    """Counts every message with the tokenizer of a model.

    Args:
        messages: What to count.
        model: A slug; it decides the tokenizer and whether the counts are exact.
        cache: An open cache; texts counted before cost a look-up.
        count: Counts the texts the cache does not know, here or in another process.
        cancelled: Asked now and then; True ends the count early.
    """
    choice = encoding_for(model)
    counts: list[int] = []
    reasoning: list[int] = []
    complete = True
    passing = iter(messages)
    while batch := list(islice(passing, BATCH)):
        if cancelled is not None and cancelled():
            complete = False
            break
        spoken = ["\n".join(_spoken(message)) for message in batch]
        thought = [_thought(message) for message in batch]
        known = _count_all([*spoken, *thought], choice.name, cache, count)
        counts += [known[text] for text in spoken]
        reasoning += [known[text] for text in thought]
    return TokenCounts(choice, tuple(counts), tuple(reasoning), complete)


def _count_all(texts: list[str], name: str, cache: TokenCache | None, count: Counter) -> dict[str, int]:
    """Tokens of each distinct text, from the cache where it knows them."""
    known = {"": 0}
    keys = {digest(text): text for text in texts if text}
    if cache is not None:
        known |= {keys[key]: tokens for key, tokens in cache.get(name, keys).items()}
    unknown = [key for key, text in keys.items() if text not in known]
    fresh = dict(zip(unknown, count([keys[key] for key in unknown], name), strict=True))
    if cache is not None:
        cache.put(name, fresh)
    return known | {keys[key]: tokens for key, tokens in fresh.items()}


def _spoken(message: Message) -> Iterator[str]:
    """The text of a message and of its calls."""
    yield message.text
    for call in message.tool_calls:
        yield call.name
        yield call.arguments


def _thought(message: Message) -> str:
    """Thinking text; providers spell it twice with the same words, so one spelling counts."""
    for key in ("reasoning_content", "reasoning"):
        value = message.wire.get(key)
        if isinstance(value, str) and value:
            return value
    return ""


@memo
def _table() -> tuple[EncodingChoice, tuple[tuple[re.Pattern[str], EncodingChoice], ...]]:
    raw = shared_table("core/account/tokenizers/encodings.yaml")
    default = EncodingChoice(raw["default"]["encoding"], raw["default"]["exact"])
    rules = tuple(
        (re.compile(rule["pattern"]), EncodingChoice(rule["encoding"], rule["exact"]))
        for rule in raw["rules"]
    )
    return default, rules
