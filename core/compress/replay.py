"""Which routes send old thinking again, and so must count it (Hermes 0.22)."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

from core.model.settings import Settings


def replays_thinking(settings: Settings) -> bool:
    """Whether the route of these settings replays the thinking of earlier answers.

    Nothing known of the route means only the families that insist on it do.
    """
    rules = _rules()
    echoes = _must_echo(settings, rules["echo"])
    if not settings.api_mode:
        return echoes
    if settings.api_mode != "chat_completions":
        return echoes and settings.api_mode != "codex_responses"
    return not _listed(settings, rules["strict"])


def _must_echo(settings: Settings, families: list[dict[str, Any]]) -> bool:
    model = settings.model.lower()
    named = any(part in model for family in families for part in family.get("models", ()))
    return named or any(_listed(settings, family) for family in families)


def _listed(settings: Settings, entry: dict[str, Any]) -> bool:
    host = settings.host.lower().rstrip(".")
    at_host = any(host == name or host.endswith(f".{name}") for name in entry.get("hosts", ()))
    return at_host or settings.provider.strip().lower() in entry.get("providers", ())


@cache
def _rules() -> dict[str, Any]:
    import yaml

    text = files("core.compress").joinpath("replay.yaml").read_text("utf-8")
    loaded: dict[str, Any] = yaml.safe_load(text)
    return loaded
