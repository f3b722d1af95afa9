"""The files of this package as text and as YAML."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import resources
from typing import Any

FOLDER = resources.files("sample_sessions")


def text(name: str) -> str:
    """The content of a file, named from the package's folder."""
    return FOLDER.joinpath(name).read_text("utf-8")


def mapping(name: str) -> Mapping[str, Any]:
    """The mapping a YAML file holds."""
    import yaml

    content: Mapping[str, Any] = yaml.load(text(name), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    return content
