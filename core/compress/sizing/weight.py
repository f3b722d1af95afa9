"""The weight of a message where a release walks back from the end of a conversation to cut the tail."""

from __future__ import annotations

import json
import re
from collections.abc import Sized
from functools import partial
from typing import Any, NamedTuple

from core.compress.messages.kinds import calls_of, function_of
from core.compress.sizing.estimate import (
    CHARS_PER_TOKEN,
    sidecar,
    text_tokens,
    without_ciphertext,
)
from core.hermes.policy.cut_rules import WeightRules
from core.hermes.policy.policy import Policy
from core.hermes.policy.trigger_rules import EstimateRules
from core.model.compaction.plan import Settings
from core.model.transcript.message import Wire, is_image
from core.support.program_files import shared_table

_rules = partial(shared_table, "core/compress/sizing/replay.yaml")


_THOUGHTS = ("reasoning", "reasoning_content")
# A date behind the major version is no minor version.
_VERSION = re.compile(r"claude[-_.](opus|sonnet|haiku|fable|mythos)[-_.](\d+)(?:[-_.](\d{1,2})(?=$|[-_.]))?")


class Weight(NamedTuple):
    """A message's tokens for the tail budget; `thinking` is the part that only some routes replay."""

    total: int
    thinking: int


def message_weight(wire: Wire, policy: Policy) -> Weight:
    """Weigh one message as the tail walk of a release does."""
    rules, estimate = policy.weight, policy.estimate
    base = rules.overhead + _content_tokens(wire, rules, estimate)
    base += sum([_call_tokens(call, rules, estimate) for call in calls_of(wire)])
    base += sum([_replay_tokens(wire[key], estimate) for key in rules.replay_keys if key in wire])
    thinking = _thinking_tokens(wire, rules, estimate)
    return Weight(base + thinking, thinking)


def _content_tokens(wire: Wire, rules: WeightRules, estimate: EstimateRules) -> int:
    content = (sidecar(wire) if estimate.sidecar_wins else None) or wire.get("content") or ""
    if isinstance(content, str) and estimate.unit != "chars":
        return text_tokens(content, estimate.unit)
    return _content_length(content, rules.image_chars) // CHARS_PER_TOKEN


def _content_length(content: Any, image_chars: int) -> int:
    """Characters of a content, with a fixed number for each image."""
    if isinstance(content, str):
        return len(content)
    if not isinstance(content, list):
        return len(str(content or ""))
    return sum(_part_length(part, image_chars) for part in content)


def _part_length(part: Any, image_chars: int) -> int:
    if is_image(part):
        return image_chars
    if isinstance(part, dict):
        text = part.get("text") or ""
        return len(text) if isinstance(text, Sized) else 0
    return len(str(part))


def _call_tokens(call: dict[str, Any], rules: WeightRules, estimate: EstimateRules) -> int:
    if rules.calls == "arguments":
        arguments = function_of(call).get("arguments", "")
        return len(arguments) // CHARS_PER_TOKEN if isinstance(arguments, Sized) else 0
    if estimate.unit != "chars":
        return text_tokens(str(call), estimate.unit)
    return len(str(call)) // CHARS_PER_TOKEN


def _replay_tokens(value: Any, estimate: EstimateRules) -> int:
    if estimate.blank_ciphertext:
        value = without_ciphertext(value)
    return _serialised_length(value) // CHARS_PER_TOKEN


def _thinking_tokens(wire: Wire, rules: WeightRules, estimate: EstimateRules) -> int:
    if not rules.thinking_keys and not rules.details_text:
        return 0
    thought = wire.get("reasoning_content")
    doubled = estimate.reasoning_once and isinstance(thought, str) and bool(thought.strip())
    keys = [key for key in rules.thinking_keys if not (key == "reasoning" and doubled)]
    total = sum(_serialised_length(wire.get(key)) // CHARS_PER_TOKEN for key in keys)
    if rules.details_text and not any(wire.get(key) for key in _THOUGHTS):
        total += _details_length(wire.get("reasoning_details")) // CHARS_PER_TOKEN
    return total


def _serialised_length(value: Any) -> int:
    if value is None or value == "":
        return 0
    if isinstance(value, str):
        return len(value)
    try:
        return len(json.dumps(value, ensure_ascii=False, sort_keys=True, default=str))
    except (TypeError, ValueError):
        return len(str(value))


def _details_length(value: Any) -> int:
    """Characters of readable thinking in an envelope, without its signatures."""
    if isinstance(value, str):
        return len(value)
    parts = [value] if isinstance(value, dict) else value if isinstance(value, list) else []
    return sum(_detail_length(part) for part in parts)


def _detail_length(part: Any) -> int:
    if isinstance(part, str):
        return len(part)
    if not isinstance(part, dict):
        return 0
    texts = (part.get(key) for key in ("thinking", "text", "summary"))
    return sum(len(text) for text in texts if isinstance(text, str))


def weighs_old_thinking(policy: Policy, settings: Settings) -> bool:
    """Whether the thinking of answers before the newest is weighed."""
    by_route = bool(policy.estimate.thinking_keys)
    return not policy.weight.thinking_keys or (by_route and replays_thinking(settings))


def replays_thinking(settings: Settings) -> bool:
    """Whether the route of these settings replays the thinking of earlier answers.

    If nothing is known of the route, only the families that require it do.
    """
    rules = _rules()
    echoes = _must_echo(settings, rules["echo"])
    if not settings.api_mode:
        return echoes
    if settings.api_mode == "anthropic_messages" and _keeps_signed(settings, rules["signed"]):
        return True
    if settings.api_mode != "chat_completions":
        return echoes and settings.api_mode != "codex_responses"
    return not _listed(settings, rules["strict"])


def _must_echo(settings: Settings, families: list[dict[str, Any]]) -> bool:
    model = settings.model.lower()
    named = any(part in model for family in families for part in family.get("models", ()))
    return named or any(_listed(settings, family) for family in families)


def _keeps_signed(settings: Settings, rules: dict[str, Any]) -> bool:
    """Whether a native Anthropic route replays signed thinking and the model keeps it.

    Only newer models keep it; an unknown model is taken for a newer one.
    """
    model = settings.model.lower()
    if settings.host and not _listed(settings, rules):
        return False
    if "claude" not in model or re.search(r"claude[-_.]?3(?!\d)", model):
        return False
    named = _VERSION.search(model)
    if named is None:
        return True
    least = rules["from"].get(named[1], rules["from"]["other"])
    return (int(named[2]), int(named[3] or 0)) >= tuple(least)


def _listed(settings: Settings, entry: dict[str, Any]) -> bool:
    host = settings.host.lower().rstrip(".")
    at_host = any(host == name or host.endswith(f".{name}") for name in entry.get("hosts", ()))
    return at_host or settings.provider.strip().lower() in entry.get("providers", ())
