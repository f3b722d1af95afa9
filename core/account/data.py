"""The YAML tables of this room, read once."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Any


@cache
def table(name: str) -> Any:
    """The content of `core/account/<name>.yaml`."""
    import yaml

    text = (resources.files("core.account") / f"{name}.yaml").read_text("utf-8")
    return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
