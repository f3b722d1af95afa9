"""Chooses the model that writes the summary, its endpoint and its key."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from core.compress.summarise.base import Endpoint, NoProvider
from core.hermes.config.config import HermesConfig
from core.hermes.config.config_values import address_of, api_mode_of, host_of, in_own_network
from core.support.own_files import BadYaml, read_user_file, user_yaml
from core.support.program_files import load_table

ANTHROPIC, OPENAI = "anthropic", "openai"
DEFAULT_TIMEOUT = 120.0
"""Seconds without data from the server; Hermes' own default."""

_ANTHROPIC_MODE = "anthropic_messages"
_ROUTER = "openrouter"
_AUTO, CUSTOM = "auto", "custom"
_NO_KEY = "none"
"""Sent as the key to a local server that needs none."""


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """One model at one endpoint.

    Attributes:
        provider: The provider's name in Hermes (`anthropic`, `openai`, `openrouter`, `ollama`, ...).
        base_url: Root of the API; "" for the provider's own.
        timeout: Seconds without data from the server.
    """

    provider: str = ""
    model: str = ""
    base_url: str = ""
    api_key: str = field(default="", repr=False)
    timeout: float = DEFAULT_TIMEOUT

    @property
    def wire(self) -> str:
        """The wire format: `anthropic` or `openai`."""
        mode = api_mode_of(self.provider, self.base_url)
        return ANTHROPIC if mode == _ANTHROPIC_MODE else OPENAI

    @property
    def endpoint(self) -> Endpoint:
        """The host and model that the text of a session would be sent to."""
        host = host_of(self.base_url)
        return Endpoint(host, self.model, on_this_machine(host))


def resolve(
    flags: ModelChoice,
    *,
    env: Mapping[str, str],
    config: HermesConfig,
    live: ModelChoice | None = None,
    release: str = "",
) -> ModelChoice:
    """Resolve the choice: flags, then environment, then the model for summaries, then the session's own.

    Sources after the first that names a model do not count, and a key is never sent to an address it was not
    given for. `live` is the model the session last ran on.

    Raises:
        NoProvider: No source names a model, or the endpoint needs a key and none is set.
    """
    sources = [_over(flags, _from_env(env)), _for_summaries(config, release)]
    sources += [live] if live is not None else []
    merged = _named([*sources, _under(config, "model", config.model)])
    if not merged.model:
        raise NoProvider("no model is named", remedy="Name one with --model, or set auxiliary.compression")
    return _completed(merged, env)


def on_this_machine(host: str) -> bool:
    """Whether a host is this machine; text sent to any other host leaves it and needs consent."""
    if host == "localhost":
        return True
    address = address_of(host)
    return address is not None and address.is_loopback


def _named(sources: list[ModelChoice]) -> ModelChoice:
    """The sources merged in order, up to the first that names a model."""
    found = ModelChoice()
    for source in sources:
        found = _over(found, source)
        if found.model:
            break
    timeouts = (source.timeout for source in sources if source.timeout != DEFAULT_TIMEOUT)
    return replace(found, timeout=next(timeouts, DEFAULT_TIMEOUT))


def _over(upper: ModelChoice, lower: ModelChoice) -> ModelChoice:
    """One source merged over another; the lower one's key is dropped if the address differs."""
    moved = bool(upper.base_url and upper.base_url != lower.base_url) or bool(
        upper.provider and lower.provider and upper.provider != lower.provider
    )
    return ModelChoice(
        provider=upper.provider or ("" if moved else lower.provider),
        model=upper.model or lower.model,
        base_url=upper.base_url or ("" if moved else lower.base_url),
        api_key=upper.api_key or ("" if moved else lower.api_key),
        timeout=upper.timeout if upper.timeout != DEFAULT_TIMEOUT else lower.timeout,
    )


def _completed(choice: ModelChoice, env: Mapping[str, str]) -> ModelChoice:
    """Fill in the provider's address and the key from its environment variable."""
    known = _providers().get(choice.provider) or _providers().get(_owner(choice.base_url)) or {}
    provider = choice.provider or _provider_of(choice)
    known = known or _providers().get(provider, {})
    base_url = choice.base_url or str(known.get("base_url", ""))
    own = host_of(base_url) == host_of(str(known.get("base_url", "")))
    key = choice.api_key or next((env[name] for name in known.get("keys", ()) if own and env.get(name)), "")
    if not key and in_own_network(base_url):
        key = _NO_KEY
    if not base_url or not key:
        missing = "address" if not base_url else "key"
        named = " or ".join(known.get("keys", ())) or "--api-key"
        remedy = "Give one with --base-url" if not base_url else f"Set {named}"
        where = choice.model if not base_url else f"{choice.model} at {host_of(base_url)}"
        raise NoProvider(f"no {missing} is known", where=where, remedy=remedy)
    return ModelChoice(provider, choice.model, base_url, key, choice.timeout)


def _provider_of(choice: ModelChoice) -> str:
    """The provider for a model named without one."""
    if choice.base_url:
        return _owner(choice.base_url)
    if "/" in choice.model:
        return _ROUTER
    return ANTHROPIC if choice.model.startswith("claude") else OPENAI


def key_variables(provider: str) -> tuple[str, ...]:
    """The environment variables that may hold a provider's key; none for an unknown provider."""
    return tuple(_providers().get(provider, {}).get("keys", ()))


def _owner(base_url: str) -> str:
    host = host_of(base_url)
    return next((name for name, entry in _providers().items() if host_of(entry["base_url"]) == host), "")


def _from_env(env: Mapping[str, str]) -> ModelChoice:
    return ModelChoice(
        provider=env.get("HERMES_INSPECTOR_PROVIDER", ""),
        model=env.get("HERMES_INSPECTOR_MODEL", ""),
        base_url=env.get("HERMES_INSPECTOR_BASE_URL", ""),
        api_key=env.get("HERMES_INSPECTOR_API_KEY", ""),
    )


def _for_summaries(config: HermesConfig, release: str) -> ModelChoice:
    """The model for summaries: `auxiliary.compression`, or `auxiliary.mode` for documents that have it."""
    mode = config.value("auxiliary.mode", release)
    if mode is None:
        return _auxiliary(config)
    named = config.value("auxiliary.custom.compression", release) if mode == CUSTOM else ""
    provider, _, model = str(named or "").partition("/")
    return ModelChoice(provider, model) if provider in _providers() else ModelChoice(model=str(named or ""))


def _auxiliary(config: HermesConfig) -> ModelChoice:
    """The model Hermes itself is told to summarise with; provider `auto` means the session's model."""
    timeout = config.value("auxiliary.compression.timeout")
    valid = isinstance(timeout, int | float) and timeout > 0
    return _under(
        config,
        "auxiliary.compression",
        _text(config, "auxiliary.compression.model"),
        float(timeout) if valid else DEFAULT_TIMEOUT,
    )


def is_automatic(config: HermesConfig) -> bool:
    """Whether `auxiliary.compression` leaves provider and address of the summary model to Hermes."""
    named = _auxiliary(config)
    return not named.provider and not named.base_url


def _under(config: HermesConfig, section: str, model: str, timeout: float = DEFAULT_TIMEOUT) -> ModelChoice:
    """A config section's model, provider, address and key."""
    provider = _text(config, f"{section}.provider")
    provider = "" if provider == _AUTO else provider
    key = _key(config.path, *section.split("."))
    return ModelChoice(provider, model, _text(config, f"{section}.base_url"), key, timeout)


def _text(config: HermesConfig, key: str) -> str:
    return str(config.value(key) or "")


def _key(path: Path | None, *parents: str) -> str:
    """A key written in config.yaml, read anew because `HermesConfig` holds no secrets."""
    if path is None:
        return ""
    try:
        node: Any = user_yaml(read_user_file(path).decode(errors="replace"))
    except (OSError, BadYaml):  # it was read when the settings were: it changed since
        return ""
    for parent in (*parents, "api_key"):
        node = node.get(parent) if isinstance(node, Mapping) else None
    return node if isinstance(node, str) and not node.startswith("${") else ""


@cache
def _providers() -> Mapping[str, Any]:
    table: Mapping[str, Any] = load_table("core/compress/summarise/providers.yaml")
    return table
