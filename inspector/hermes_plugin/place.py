"""Where the plugin lies in a HERMES_HOME, and whether it does."""

from __future__ import annotations

from pathlib import Path

from core.errors import ConfigError
from inspector.hermes_plugin.stub.settings import Settings, read_settings

NAME = "inspector"
RECEIPT = "receipt.json"
"""What was installed, and config.yaml as it was before."""
CONFIG = "config.yaml"


def installed(home: Path) -> Settings | None:
    """The choices of the plugin in a home; None where it is not."""
    folder = plugin_folder(home)
    if not (folder / RECEIPT).is_file():
        return None
    try:
        return read_settings(folder)
    except (OSError, ValueError):
        return None


def plugin_folder(home: Path) -> Path:
    """Where Hermes looks for it; folder, key and engine share a name: releases differ in which they go by."""
    return home / "plugins" / NAME


def decoded(content: bytes) -> str:
    """The text of config.yaml.

    Raises:
        ConfigError: It is not UTF-8.
    """
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ConfigError("is not UTF-8", where=CONFIG) from error
