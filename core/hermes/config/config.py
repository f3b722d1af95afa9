"""config.yaml of a Hermes home: every key that affects compression, and the origin of its value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from core.errors import ConfigError
from core.hermes.config.config_values import api_mode_of, host_of, key_specs
from core.hermes.policy.policy import newest_release
from core.model.compaction.plan import Settings
from core.support.own_files import BadYaml, built_yaml, read_user_file, weight

FILE_NAME = "config.yaml"
_MAX_KEYS = 20_000
"""How many keys get a line number: nested aliases can turn a few lines into any number of keys."""
_MISSING = object()
_MAX_VALUES = 100_000
"""Limit on the values of one setting, aliases expanded."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A value in force and its origin.

    Attributes:
        origin: `config.yaml:12`, `default of 0.19` or `unknown to 0.16`.
        note: Why the file's value was not used as written; "" if it was.
    """

    value: Any
    origin: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class CustomModel:
    """The window that a `custom_providers` entry gives a model at an endpoint."""

    base_url: str
    model: str
    context_length: int
    line: int | None = None


@dataclass(frozen=True, slots=True)
class HermesConfig:
    """The contents of config.yaml; missing keys take the default of the release asked about.

    Attributes:
        path: The file; None if the home has none.
        raw: Values as written, by dotted key.
        lines: 1-based line of each key in `raw`.
        custom_models: Windows set per model and endpoint.
    """

    path: Path | None = None
    raw: Mapping[str, Any] = field(default_factory=dict)
    lines: Mapping[str, int] = field(default_factory=dict)
    custom_models: tuple[CustomModel, ...] = ()

    def setting(self, key: str, release: str = "") -> Setting:
        """A key's setting as a release would use it: the newest, unless one is given.

        Raises:
            KeyError: The key is not in `config_keys.yaml`.
        """
        spec, release = key_specs()[key], release or newest_release()
        if not spec.known_to(release):
            return Setting(None, f"unknown to {release}")
        default = Setting(spec.default(release), f"default of {release}")
        if key not in self.raw:
            return default
        coerced = spec.coerce(self.raw[key])
        origin = f"{FILE_NAME}:{self.lines[key]}" if key in self.lines else FILE_NAME
        if not coerced.ok:
            return Setting(default.value, default.origin, f"{origin}: {coerced.note}")
        return Setting(coerced.value, origin, coerced.note)

    def value(self, key: str, release: str = "") -> Any:
        """Only the value; see `setting`."""
        return self.setting(key, release).value

    def notes(self, release: str = "") -> tuple[str, ...]:
        """Values that were not used as written, one line each."""
        settings = ((key, self.setting(key, release)) for key in key_specs())
        return tuple(f"{key}: {setting.note}" for key, setting in settings if setting.note)

    @property
    def model(self) -> str:
        """The configured model slug; "" if there is none."""
        return str(self.value("model.default") or self.value("model.model") or "")

    def settings(self, release: str, *, model: str = "", provider: str = "", base_url: str = "") -> Settings:
        """The numbers a release would start with; `find_window` supplies the window.

        Model and route are the session's if known, else the configured ones.
        """
        provider = provider or str(self.value("model.provider", release) or "")
        base_url = base_url or str(self.value("model.base_url", release) or "")
        return Settings(
            threshold=self.value("compression.threshold", release),
            target_ratio=self.value("compression.target_ratio", release),
            protect_first=self.value("compression.protect_first_n", release),
            protect_last=self.value("compression.protect_last_n", release),
            max_output=self.value("model.max_tokens", release),
            enabled=self.value("compression.enabled", release),
            model=model or self.model,
            provider=provider,
            api_mode=str(self.value("model.api_mode", release) or "") or api_mode_of(provider, base_url),
            host=host_of(base_url),
            aux_window=self.value("auxiliary.compression.context_length", release),
            threshold_cap=self.value("compression.threshold_tokens", release),
            tail_mode=self.value("compression.tail_mode", release),
            min_tail_user_messages=self.value("compression.min_tail_user_messages", release) or 1,
            minimum_window=self.value("agent.minimum_tool_context_length", release),
            model_thresholds=self.value("compression.model_thresholds", release) or {},
            codex_autoraise=self.value("compression.codex_gpt55_autoraise", release) is not False,
        )


def load_config(home: Path | None) -> HermesConfig:
    """Read the config.yaml of a home; without one, every key has its default.

    Raises:
        ConfigError: The file cannot be read or is not a YAML mapping.
    """
    path = home / FILE_NAME if home is not None else None
    if path is None or not path.exists():
        return HermesConfig()
    tree, lines = _parse(path)
    model = tree.get("model")
    if isinstance(model, str):
        # The short form `model: NAME` means model.default.
        tree = {**tree, "model": {"default": model}}
        lines["model.default"] = lines.get("model", 1)
    raw = {key: value for key in key_specs() if (value := _lookup(tree, key)) is not _MISSING}
    for key, value in raw.items():
        if weight(value) > _MAX_VALUES:
            raise ConfigError(f"{key} expands to more than {_MAX_VALUES:,} values", where=str(path))
    return HermesConfig(path, raw, lines, tuple(_custom_models(tree, lines)))


def load_tree(home: Path) -> dict[str, Any]:
    """Everything in config.yaml, as written; empty if there is no file.

    Raises:
        ConfigError: As for `load_config`.
    """
    path = home / FILE_NAME
    return _parse(path)[0] if path.exists() else {}


def _parse(path: Path) -> tuple[dict[str, Any], dict[str, int]]:
    try:
        node, tree = built_yaml(read_user_file(path), _node_and_value, shared=True)
    except OSError as error:
        raise ConfigError(
            f"cannot be read: {error.strerror}", where=str(path), remedy="Check its permissions"
        ) from error
    except BadYaml as error:
        where = str(path) if error.line is None else f"{path}:{error.line}"
        raise ConfigError(
            error.problem, where=where, remedy="Until it is fixed, Hermes itself runs on built-in defaults"
        ) from error
    if not isinstance(tree, dict):
        raise ConfigError(f"holds a {type(tree).__name__}, not a mapping", where=str(path), remedy="")
    return tree, dict(islice(_key_lines(node), _MAX_KEYS))


def _node_and_value(loader: Any) -> tuple[Any, Any]:
    node = loader.get_single_node()
    return node, {} if node is None else loader.construct_document(node)


def _key_lines(node: Any, prefix: str = "", depth: int = 0) -> Iterator[tuple[str, int]]:
    """The line of every key, by dotted path; list items are numbered."""
    if node is None or depth > 8:
        return
    if node.id == "mapping":
        children = [(str(key.value), key.start_mark, value) for key, value in node.value]
    elif node.id == "sequence":
        children = [(str(i), item.start_mark, item) for i, item in enumerate(node.value)]
    else:
        return
    for name, mark, child in children:
        path = f"{prefix}.{name}" if prefix else name
        yield path, mark.line + 1
        yield from _key_lines(child, path, depth + 1)


def _lookup(tree: Mapping[str, Any], key: str) -> Any:
    node: Any = tree
    for part in key.split("."):
        if not isinstance(node, Mapping) or part not in node:
            return _MISSING
        node = node[part]
    return node


def _custom_models(tree: Mapping[str, Any], lines: Mapping[str, int]) -> Iterator[CustomModel]:
    providers = tree.get("custom_providers")
    for index, entry in enumerate(providers if isinstance(providers, list) else ()):
        models = entry.get("models") if isinstance(entry, Mapping) else None
        base_url = str(entry.get("base_url") or "").rstrip("/") if isinstance(entry, Mapping) else ""
        for model, fields in models.items() if isinstance(models, Mapping) and base_url else ():
            length = fields.get("context_length") if isinstance(fields, Mapping) else None
            window = key_specs()["model.context_length"].coerce(length)
            if window.ok and not window.note:
                path = f"custom_providers.{index}.models.{model}.context_length"
                yield CustomModel(base_url, str(model), window.value, lines.get(path))
