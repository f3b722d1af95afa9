"""The settings chosen when the plugin was installed."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FILE_NAME = "settings.json"
_FOLDER = Path(__file__).parent
_FOREIGN = ("PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "VIRTUAL_ENV")


@dataclass(frozen=True)
class Settings:
    """The settings from `hermes-inspector plugin install`.

    Attributes:
        home: The HERMES_HOME that the plugin is installed in.
        python: The Python that runs the worker.
        root: The folder with Hermes Inspector's packages.
        state: The folder of its own files.
        engine: Whether the plugin offers a context engine.
        recorder: Whether it records requests.
        keep_text: Whether it also keeps texts missing from Hermes' database.
        summariser: The summariser, and the model behind it.
        seconds: Time limit of one compaction.
    """

    home: str
    python: str
    root: str
    state: str
    engine: bool
    recorder: bool
    summariser: dict[str, Any]
    seconds: float = 120.0
    keep_text: bool = False


def read_settings(folder: Path = _FOLDER) -> Settings:
    """Read the settings next to this file.

    Raises:
        OSError: There is no settings file.
        ValueError: The file is invalid.
    """
    found = json.loads((folder / FILE_NAME).read_text("utf-8"))
    try:
        return Settings(**found)
    except TypeError as error:
        raise ValueError(str(error)) from error


def own_environment() -> dict[str, str]:
    """The environment for our Python, without variables that lead it to Hermes' packages."""
    return {name: value for name, value in os.environ.items() if name not in _FOREIGN}
