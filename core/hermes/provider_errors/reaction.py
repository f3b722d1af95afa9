"""What each release of Hermes reads from a provider error, and how it reacts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from core.hermes.config.config_values import address_of, host_of
from core.hermes.policy.defence_rules import OverflowRules
from core.hermes.policy.policy import load_policy
from core.hermes.provider_errors.classify import classify
from core.hermes.provider_errors.failure import LONG_CONTEXT_TIER, OUTPUT_MARGIN, ProviderFailure, count
from core.hermes.provider_errors.shapes import SessionSize
from core.support.program_files import shared_table, within

_UNEXPLAINED_SHARE = 0.5
_ACTIONS = {
    "payload_too_large": "compress",
    "long_context_tier": "compress",
    "image_too_large": "shrink_image",
    "thinking_signature": "strip_thinking",
}
_LIMITED = frozenset({"rate_limit", "billing", "upstream_rate_limit"})
_TABLE = "core/hermes/provider_errors/numbers.yaml"


@dataclass(frozen=True, slots=True)
class Reaction:
    """How a release classifies an error, and what follows.

    Attributes:
        action: `compress`, `reduce_output`, `stop_output_cap`, `shrink_image`, `strip_thinking`, `retry`,
            `fallback_or_backoff`, `fallback_or_stop` or `fail_not_explained`.
        limit: The window it reads from the text.
        available: The output room it reads from the text.
        output_cap: Whether it takes the text for a refused output cap; None if it does not check.
        retry_output: `max_tokens` of its next call, if it lowers that.
        window_after: The window it continues with, if that may change.
        attempts: Attempts per turn at compressing or shrinking; None if the action uses none.
    """

    release: str
    kind: str
    action: str
    limit: int | None
    available: int | None
    output_cap: bool | None
    retry_output: int | None = None
    window_after: int | None = None
    attempts: int | None = None


def reaction(failure: ProviderFailure, size: SessionSize, release: str) -> Reaction:
    """How a release reacts to a failure."""
    rules = load_policy(release).overflow
    found = classify(failure, size, release)
    text = failure.text
    limit, room = parsed_limit(text, release), parsed_available(text, release)
    cap = is_output_cap(text, release)

    def act(action: str, output: int | None = None, window: int | None = None) -> Reaction:
        attempts = rules.attempts if action in ("compress", "reduce_output") else None
        return Reaction(release, found.name, action, limit, room, cap, output, window, attempts)

    clamps = found.name == "rate_limit" and rules.clamps_rate_limit and room is not None
    if found.name == "context_overflow" or clamps:
        if room is not None:
            return act("reduce_output", output=_output_after(room, size, rules))
        if cap:
            return act("stop_output_cap")
        window = _window_after(failure, size, limit, rules)
        unexplained = rules.doubts_local and _is_unexplained(failure, size, window)
        return act("fail_not_explained" if unexplained else "compress", window=window)
    if found.name in _ACTIONS:
        tier = LONG_CONTEXT_TIER if found.name == "long_context_tier" else None
        return act(_ACTIONS[found.name], window=tier)
    if found.name in _LIMITED:
        return act("fallback_or_backoff" if found.retried else "fallback_or_stop")
    return act("retry" if found.retried else "fallback_or_stop")


def _output_after(room: int, size: SessionSize, rules: OverflowRules) -> int:
    """`max_tokens` of the next call: what is left, less a margin; 0.19 also uses its own estimate."""
    own = size.window - size.tokens
    if rules.own_estimate and own > 0:
        return max(1, min(room, own) - OUTPUT_MARGIN)
    return max(1, room - OUTPUT_MARGIN)


def _window_after(
    failure: ProviderFailure, size: SessionSize, limit: int | None, rules: OverflowRules
) -> int:
    """The window a release continues with: a stated lower one, else the next it tries, else the same."""
    excess_only = failure.provider.lower() in ("minimax", "minimax-cn") and limit is None
    if excess_only and "context window exceeds limit (" in failure.text.lower():
        return size.window
    return lower_window(limit, size.window, rules) or size.window


def lower_window(limit: int | None, window: int, rules: OverflowRules) -> int | None:
    """The next smaller window: the limit a refusal states, else a tier lower; None if there is none."""
    if limit is not None and limit < window:
        return limit
    return next((tier for tier in rules.tiers if tier < window), None)


def _is_unexplained(failure: ProviderFailure, size: SessionSize, window: int) -> bool:
    """Whether a local server refuses, without a number, a request whose size should fit."""
    if not is_local_server(failure.base_url) or re.search(r"\d{4,}", failure.text):
        return False
    return size.tokens < window * _UNEXPLAINED_SHARE


def is_local_server(base_url: str) -> bool:
    """Whether Hermes 0.22 takes an endpoint for a local server: on this machine or in a private network."""
    host = host_of(base_url)
    if not host:
        return False
    suffixes = (".local", ".docker.internal", ".containers.internal", ".lima.internal")
    if host.endswith(suffixes) or ("." not in host and ":" not in host):
        return True
    address = address_of(host)
    if address is None:
        return False
    from ipaddress import ip_network  # most endpoints have a name

    shared = address.version == 4 and address in ip_network("100.64.0.0/10")
    return address.is_private or address.is_loopback or address.is_link_local or shared


def parsed_limit(text: str, release: str) -> int | None:
    """The number a release takes from `str(exception)` for the model's window, in tokens, if it finds one."""
    text, rules = text.lower(), shared_table(_TABLE)["window"]
    refusal = rules["not_window"]
    if (
        within(release, refusal)
        and refusal["lacks"] not in text
        and any(sign in text for sign in refusal["says"])
    ):
        return None
    for rule in _of(release, rules["patterns"]):
        found = re.search(rule["find"], text)
        if found and rules["least"] <= (limit := count(found[1])) <= rules["most"]:
            return limit
    return None


def parsed_available(text: str, release: str) -> int | None:
    """The tokens a release believes are left for output; None if it finds no such number."""
    text, table = text.lower(), shared_table(_TABLE)
    if not _says(text, _of(release, table["signs"])):
        return None
    rooms = (_room(rule, text) for rule in _of(release, table["room"]))
    return next((room for room in rooms if room is not None and room >= 1), None)


def is_output_cap(text: str, release: str) -> bool | None:
    """Whether a release takes a text for a refused output cap; None if it does not check."""
    text, rules = text.lower(), shared_table(_TABLE)["output_cap"]
    if not within(release, rules):
        return None
    splits = rules["splits"]
    if within(release, splits) and (_difference(splits, text) or 0) >= 1:
        return True
    if not (_says(text, _of(release, rules["names"])) and _says(text, _of(release, rules["signs"]))):
        return False
    return not any(sign in text for sign in rules["input"]) and not _is_full(rules["full"], text, release)


def _is_full(rule: Mapping[str, Any], text: str, release: str) -> bool:
    """Whether the input alone fills the window, by both numbers in the text."""
    window, used = re.search(rule["window"], text), re.search(rule["input"], text)
    if window is None or used is None:
        return False
    return within(release, rule) and count(used[1]) >= count(window[1])


def _of(release: str, rules: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return [rule for rule in rules if within(release, rule)]


def _says(text: str, groups: Iterable[Mapping[str, Any]]) -> bool:
    return any(all(part in text for part in group["says"]) for group in groups)


def _room(rule: Mapping[str, Any], text: str) -> int | None:
    """The output room by one rule: the number found, or the window less what the input takes."""
    if "find" in rule:
        found = re.search(rule["find"], text)
        return count(found[1]) if found else None
    if "halves" not in rule:
        return _difference(rule, text)
    left, asked = _difference(rule, text), re.search(rule["halves"], text)
    if left is None or asked is None or rule["says"] not in text or left < count(asked[1]) - 1:
        return None
    return max(1, count(asked[1]) // 2)


def _difference(rule: Mapping[str, Any], text: str) -> int | None:
    window = re.search(rule["window"], text)
    parts = [re.search(pattern, text) for pattern in rule["less"]]
    if window is None or any(part is None for part in parts):
        return None
    per_token = int(rule.get("characters", 1))
    used = sum(-(-count(part[1]) // per_token) for part in parts if part)
    return count(window[1]) - used
