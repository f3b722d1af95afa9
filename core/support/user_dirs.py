"""Where this program keeps its own files on this user's machine; never where Hermes keeps its."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

APPLICATION = "hermes-inspector"
OWN_SETTINGS = "config.yaml"
"""File of the user's settings, in the configuration directory."""
OWN_PRICES = "prices.yaml"
"""File of the user's own prices, in the configuration directory."""
OWN_KEYS = "keys.yaml"
"""File of the user's own keys, likewise."""


def cache_directory() -> Path:
    """The folder for what can be made again: token counts, the sample sessions."""
    return _folder("XDG_CACHE_HOME", ".cache", "Caches", "Cache")


def config_directory() -> Path:
    """The folder for what the user writes: price overrides, key bindings."""
    return _folder("XDG_CONFIG_HOME", ".config", "Application Support", "Config")


def state_directory(environ: Mapping[str, str] = os.environ) -> Path:
    """The folder for what cannot be made again: the journal of writes, what a recorder kept."""
    state = environ.get("XDG_STATE_HOME") or environ.get("LOCALAPPDATA")
    base = Path(state) if state else Path(environ.get("HOME") or Path.home()) / ".local" / "state"
    return base / APPLICATION


def _folder(variable: str, unix: str, mac: str, windows: str) -> Path:
    """The platform's folder; the XDG variable wins everywhere, so that tests and containers can steer it."""
    if base := os.environ.get(variable):
        return Path(base) / APPLICATION
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA")
        return (Path(local) if local else Path.home() / "AppData" / "Local") / APPLICATION / windows
    if sys.platform == "darwin":
        return Path.home() / "Library" / mac / APPLICATION
    return Path.home() / unix / APPLICATION
