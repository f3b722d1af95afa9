"""Writing the user's file of settings."""

from __future__ import annotations

from core.support.own_files import OWN_SETTINGS, config_directory


def write_own_settings(text: str) -> None:
    """Write it where this test's program reads it."""
    config_directory().mkdir(parents=True, exist_ok=True)
    (config_directory() / OWN_SETTINGS).write_text(text, encoding="utf-8")
