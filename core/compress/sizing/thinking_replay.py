"""Which routes send old thinking again, and so must count it (Hermes 0.22)."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from core.model.compaction.settings import Settings
from core.support.yaml_tables import load_table

# A date behind the major version is no minor version.
_VERSION = re.compile(r"claude[-_.](opus|sonnet|haiku|fable|mythos)[-_.](\d+)(?:[-_.](\d{1,2})(?=$|[-_.]))?")


def replays_thinking(settings: Settings) -> bool:
    """Whether the route of these settings replays the thinking of earlier answers.

    Nothing known of the route means only the families that insist on it do.
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
    """Whether a native Anthropic route sends signed thinking again and the model keeps it.

    Only newer models keep it; the name of an unknown one is taken for a newer one.
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


@cache
def _rules() -> dict[str, Any]:
    loaded: dict[str, Any] = load_table("core/compress/sizing/replay.yaml")
    return loaded
