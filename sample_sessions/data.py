"""Reads the files of this package as text or YAML."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import resources
from typing import Any

FOLDER = resources.files("sample_sessions")


def text(name: str) -> str:
    """The content of a file; its name is relative to the package's folder."""
    return FOLDER.joinpath(name).read_text("utf-8")


def mapping(name: str) -> Mapping[str, Any]:
    """The mapping in a YAML file."""
    import yaml

    content: Mapping[str, Any] = yaml.load(text(name), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    return content
