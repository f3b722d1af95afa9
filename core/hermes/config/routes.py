"""Which wire format a provider and endpoint speak."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any
from urllib.parse import urlsplit

from core.support.yaml_tables import load_table


def api_mode_of(provider: str, base_url: str) -> str:
    """The wire format Hermes picks for a route; "" when neither provider nor endpoint is known."""
    table = _routes()
    if not provider and not base_url:
        return ""
    host = host_of(base_url)
    for name, mode in table["hosts"].items():
        if host == name or host.endswith(f".{name}"):
            return str(mode)
    for end, mode in table["path_ends"].items():
        if base_url.rstrip("/").endswith(end):
            return str(mode)
    return str(table["providers"].get(provider.lower(), table["default"]))


def host_of(base_url: str) -> str:
    """The host of an endpoint in lower case; "" for none, or for a URL that is no URL."""
    try:
        return (urlsplit(base_url).hostname or "").lower()
    except ValueError:
        return ""


@cache
def _routes() -> Mapping[str, Any]:
    table: Mapping[str, Any] = load_table("core/hermes/config/routes.yaml")
    return table
