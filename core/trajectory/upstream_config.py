"""Reads the YAML file of Hermes' own trajectory tool, as far as it applies to this one."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from core.account.tokenizers.vocabularies import SHA256
from core.errors import ConfigError, NotFoundError
from core.support.own_files import BadYaml, read_user_file, user_yaml
from core.trajectory.compress.plan import ROLES

_SETTINGS = {
    "compression.target_max_tokens": ("target", int),
    "compression.summary_target_tokens": ("summary_target", int),
    "protected_turns.last_n_turns": ("protect_last", int),
    "metrics.per_trajectory": ("attach_metrics", bool),
}
_PROTECTED = {f"protected_turns.first_{role}": role for role in ROLES}
_MOST = 10**9
"""No number in the file means anything beyond this."""
_MODEL = ("summarization.model", "summarization.base_url", "summarization.api_key_env")
_USED = {
    *_SETTINGS,
    *_PROTECTED,
    *_MODEL,
    "tokenizer.name",
    "summarization.temperature",
    "summarization.max_retries",
    "output.add_summary_notice",
    "output.summary_notice_text",
    "processing.max_concurrent_requests",
}


@dataclass(frozen=True, slots=True)
class UpstreamConfig:
    """The contents of the file.

    Attributes:
        settings: Fields of `Settings` by name.
        tokenizer: A vocabulary or a path; None if the file names none that can be read here.
        key_variable: The environment variable with the key.
        notes: What is not used, and why; a sentence each.
    """

    settings: Mapping[str, Any] = field(default_factory=dict)
    tokenizer: str | None = None
    model: str | None = None
    base_url: str | None = None
    key_variable: str | None = None
    temperature: float | None = None
    attempts: int | None = None
    concurrency: int | None = None
    notes: tuple[str, ...] = ()


def read_config(path: str) -> UpstreamConfig:
    """Read the file.

    Raises:
        NotFoundError: It does not exist.
        ConfigError: It is not a YAML mapping, or a value has the wrong type.
    """
    values = _flat(_document(path))
    settings = {
        name: _of_kind(values[key], kind, key, path)
        for key, (name, kind) in _SETTINGS.items()
        if values.get(key) is not None
    }
    settings["protected_roles"] = tuple(
        role for key, role in _PROTECTED.items() if _of_kind(values.get(key, True), bool, key, path)
    )
    settings |= _notice(values, path)
    tokenizer, notes = _tokenizer(values)
    ignored = sorted(set(values) - _USED)
    notes += [f"ignored: {', '.join(ignored)}"] if ignored else []
    return UpstreamConfig(
        settings,
        tokenizer,
        model=_optional(values, "summarization.model", str, path),
        base_url=_optional(values, "summarization.base_url", str, path),
        key_variable=_optional(values, "summarization.api_key_env", str, path),
        temperature=_optional(values, "summarization.temperature", float, path),
        attempts=_optional(values, "summarization.max_retries", int, path),
        concurrency=_optional(values, "processing.max_concurrent_requests", int, path),
        notes=tuple(notes),
    )


def _document(path: str) -> Mapping[str, Any]:
    try:
        document = user_yaml(read_user_file(Path(path)))
    except FileNotFoundError as error:
        raise NotFoundError("no such file", where=path, remedy="Check --config") from error
    except (OSError, BadYaml) as error:
        raise ConfigError(f"cannot be read as YAML ({error})", where=path) from error
    if not isinstance(document, dict | None):
        raise ConfigError("holds no mapping", where=path)
    return document or {}


def _flat(document: Mapping[str, Any]) -> dict[str, Any]:
    """`section.key` to value."""
    found: dict[str, Any] = {}
    for section, values in document.items():
        if not isinstance(values, dict):
            found[str(section)] = values
            continue
        found |= {f"{section}.{key}": value for key, value in values.items()}
    return found


def _notice(values: Mapping[str, Any], path: str) -> dict[str, str]:
    if not _of_kind(values.get("output.add_summary_notice", True), bool, "output.add_summary_notice", path):
        return {"notice": ""}
    key = "output.summary_notice_text"
    return {"notice": _of_kind(values[key], str, key, path)} if values.get(key) is not None else {}


def _tokenizer(values: Mapping[str, Any]) -> tuple[str | None, list[str]]:
    name = values.get("tokenizer.name")
    if not isinstance(name, str):
        return None, []
    if name in SHA256 or os.path.exists(os.path.expanduser(name)):
        return name, []
    note = f"tokenizer.name {name} is not downloaded: give its tokenizer.json with --tokenizer"
    return None, [note]


def _optional(values: Mapping[str, Any], key: str, kind: type[Any], path: str) -> Any:
    return None if values.get(key) is None else _of_kind(values[key], kind, key, path)


def _of_kind(value: Any, kind: type[Any], key: str, path: str) -> Any:
    right = isinstance(value, int | float if kind is float else kind)
    if right and kind in (int, float):
        right = not isinstance(value, bool) and (0 if kind is int else -_MOST) <= value <= _MOST
    if not right:
        names = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}
        raise ConfigError(f"{key} is not {names[kind]}: {value!r:.80}", where=path)
    return value
