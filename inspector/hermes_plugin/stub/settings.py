"""What was chosen when the plugin was installed."""

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
    """The choices of `hermes-inspector plugin install`.

    Attributes:
        home: The HERMES_HOME this was installed in.
        python: The interpreter the worker runs on.
        root: The folder Hermes Inspector's packages lie in.
        state: The folder of its own files.
        engine: It offers itself as context engine.
        recorder: It records requests.
        keep_text: It also keeps texts that Hermes' database does not hold.
        summariser: Who writes summaries, and the model behind it.
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
    """The choices beside this file.

    Raises:
        OSError: There are none.
        ValueError: They are no choices.
    """
    found = json.loads((folder / FILE_NAME).read_text("utf-8"))
    try:
        return Settings(**found)
    except TypeError as error:
        raise ValueError(str(error)) from error


def own_environment() -> dict[str, str]:
    """The environment for our interpreter: without what leads a Python to Hermes' packages."""
    return {name: value for name, value in os.environ.items() if name not in _FOREIGN}
