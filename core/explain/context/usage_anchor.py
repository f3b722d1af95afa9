"""The usage anchor Hermes 0.22 keeps on a session: the last real prompt size, bound to the rows it priced."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from core.compress.sizing.estimate import message_size, total_tokens
from core.hermes.policy.policy import Policy
from core.model.transcript.message import Message, Wire

_KEY = "_usage_anchor"
_PRICED = ("role", "content", "api_content", "tool_call_id", "tool_calls")


@dataclass(frozen=True, slots=True)
class UsageAnchor:
    """One stored anchor.

    Attributes:
        prompt, output: Tokens of the last response, as the provider counted them.
        rows: How many messages that prompt held.
        last_role, last_print, prefix_print: What those messages must still be.
    """

    prompt: int
    output: int
    rows: int
    last_role: str | None
    last_print: str
    prefix_print: str


def read_anchor(model_config: str | None) -> UsageAnchor | None:
    """The anchor in a `model_config` column; None when there is none or it is malformed."""
    try:
        config = json.loads(model_config or "null")
    except (ValueError, RecursionError):
        return None
    stored = config.get(_KEY) if isinstance(config, Mapping) else None
    if not isinstance(stored, Mapping):
        return None
    prompt, output, rows = (
        _count(stored, key) for key in ("prompt_tokens", "completion_tokens", "base_count")
    )
    last, prefix = (_text(stored, key) for key in ("base_last_fp", "base_prefix_fp"))
    if not prompt or not rows or output is None or not last or not prefix:
        return None
    return UsageAnchor(prompt, output, rows, _text(stored, "base_last_role"), last, prefix)


def _count(stored: Mapping[str, Any], key: str) -> int | None:
    value = stored.get(key)
    return value if type(value) is int and value >= 0 else None


def _text(stored: Mapping[str, Any], key: str) -> str | None:
    value = stored.get(key)
    return value if isinstance(value, str) else None


def anchored_tokens(model_config: str | None, messages: Sequence[Message], policy: Policy) -> int | None:
    """What Hermes would compare with the threshold next: the anchor plus an estimate of what came since.

    Hermes 0.22: prompt and output of the last response, plus the estimate of the rows behind those it priced,
    its own answer left out because the output already counts it.

    Returns:
        None when there is no anchor, or the transcript is no longer the one it priced.
    """
    anchor = read_anchor(model_config)
    if anchor is None or not _matches(anchor, messages):
        return None
    since = list(messages[anchor.rows :])
    if since and since[0].role == "assistant":
        since = since[1:]
    sizes = [message_size(message.wire, policy.estimate) for message in since]
    return anchor.prompt + anchor.output + total_tokens(sizes, policy.estimate)


def _matches(anchor: UsageAnchor, messages: Sequence[Message]) -> bool:
    if len(messages) < anchor.rows:
        return False
    last = messages[anchor.rows - 1]
    if last.role != anchor.last_role or _print(last.wire) != anchor.last_print:
        return False
    prints = [(message.role, _print(message.wire)) for message in messages[: anchor.rows]]
    return _digest(json.dumps(prints, separators=(",", ":"))) == anchor.prefix_print


def _print(wire: Wire) -> str:
    """The identity of a message as 0.22 takes it: what a provider sees of it, in canonical JSON."""
    seen = {key: wire[key] for key in _PRICED if wire.get(key) is not None}
    return _digest(json.dumps(seen, sort_keys=True, default=str, separators=(",", ":")))


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "replace")).hexdigest()
