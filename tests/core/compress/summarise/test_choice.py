"""Which model is asked: flags, environment, Hermes' configuration, the session's own, in that order."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.compress.summarise.base import FailureKind, NoProvider, SummaryFailure
from core.compress.summarise.model_choice import ModelChoice, on_this_machine, resolve
from core.hermes.config.config import HermesConfig, load_config

NOTHING = ModelChoice()
AUX = """
auxiliary:
  compression:
    {provider: openrouter, model: aux/model, base_url: "https://aux.example.org/v1", api_key: aux-key,
     timeout: 30}
model: {default: main-model, provider: anthropic}
"""


def _config(tmp_path: Path, text: str = AUX) -> HermesConfig:
    (tmp_path / "config.yaml").write_text(text)
    return load_config(tmp_path)


def test_flags_outrank_environment_and_configuration(tmp_path: Path) -> None:
    env = {"HERMES_INSPECTOR_MODEL": "env-model", "HERMES_INSPECTOR_BASE_URL": "https://env.example.org/v1"}
    flags = ModelChoice(model="flag-model", base_url="https://flag.example.org/v1", api_key="flag-key")
    choice = resolve(flags, env=env, config=_config(tmp_path))
    assert (choice.model, choice.base_url, choice.api_key) == (
        "flag-model",
        "https://flag.example.org/v1",
        "flag-key",
    )


def test_environment_outranks_configuration(tmp_path: Path) -> None:
    env = {
        "HERMES_INSPECTOR_MODEL": "env-model",
        "HERMES_INSPECTOR_BASE_URL": "https://env.example.org/v1",
        "HERMES_INSPECTOR_API_KEY": "env-key",
    }
    choice = resolve(NOTHING, env=env, config=_config(tmp_path))
    assert (choice.model, choice.api_key) == ("env-model", "env-key")


def test_hermes_own_summary_model_is_taken_with_its_address_key_and_patience(tmp_path: Path) -> None:
    live = ModelChoice("anthropic", "live-model", "", "live-key")
    choice = resolve(NOTHING, env={}, config=_config(tmp_path), live=live)
    assert choice == ModelChoice("openrouter", "aux/model", "https://aux.example.org/v1", "aux-key", 30.0)


def test_another_provider_gets_neither_the_address_nor_the_key_of_the_one_configured(tmp_path: Path) -> None:
    env = {"OPENAI_API_KEY": "own-key"}
    choice = resolve(ModelChoice(provider="openai"), env=env, config=_config(tmp_path))
    assert (choice.model, choice.api_key) == ("aux/model", "own-key")
    assert "aux.example.org" not in choice.base_url


def test_the_key_of_a_provider_goes_to_no_address_but_its_own(tmp_path: Path) -> None:
    flags = ModelChoice(provider="openai", model="m", base_url="https://elsewhere.example.org/v1")
    with pytest.raises(NoProvider, match="no key"):
        resolve(flags, env={"OPENAI_API_KEY": "own-key"}, config=_config(tmp_path, ""))


def test_the_live_model_comes_before_the_configured_default(tmp_path: Path) -> None:
    config = _config(tmp_path, "model: {default: configured, provider: openai}\n")
    live = ModelChoice("anthropic", "live-model", "", "live-key")
    assert resolve(NOTHING, env={}, config=config, live=live).model == "live-model"
    assert resolve(NOTHING, env={"OPENAI_API_KEY": "k"}, config=config).model == "configured"


@pytest.mark.parametrize(
    ("mode", "release", "model"),
    [
        ("custom", "seed-tiered", "haiku"),
        ("auto", "seed-tiered", "live-model"),
        ("same-as-main", "seed-tiered", "live-model"),
        ("custom", "0.22", "aux/model"),
    ],
)
def test_a_document_chooses_the_model_for_summaries_by_mode(
    tmp_path: Path, mode: str, release: str, model: str
) -> None:
    chosen = f"auxiliary:\n  mode: {mode}\n  custom: {{compression: anthropic/haiku}}"
    config = _config(tmp_path, AUX.replace("auxiliary:", chosen))
    live = ModelChoice("anthropic", "live-model", "", "live-key")
    env = {"ANTHROPIC_API_KEY": "k"}
    assert resolve(NOTHING, env=env, config=config, live=live, release=release).model == model


@pytest.mark.parametrize(
    ("model", "variable", "host", "wire"),
    [
        ("claude-haiku-4-5", "ANTHROPIC_API_KEY", "api.anthropic.com", "anthropic"),
        ("gpt-5-mini", "OPENAI_API_KEY", "api.openai.com", "openai"),
        ("qwen/qwen3", "OPENROUTER_API_KEY", "openrouter.ai", "openai"),
    ],
)
def test_a_bare_model_name_finds_its_provider(model: str, variable: str, host: str, wire: str) -> None:
    choice = resolve(ModelChoice(model=model), env={variable: "k"}, config=HermesConfig())
    assert (choice.endpoint.host, choice.wire, choice.api_key) == (host, wire, "k")
    assert not choice.endpoint.local


def test_a_key_never_goes_to_an_address_it_was_not_given_for(tmp_path: Path) -> None:
    flags = ModelChoice(base_url="https://elsewhere.example.org/v1")
    env = {"OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": "k", "OPENROUTER_API_KEY": "k"}
    with pytest.raises(SummaryFailure) as failure:
        resolve(flags, env=env, config=_config(tmp_path))
    assert failure.value.kind is FailureKind.NO_PROVIDER
    assert "elsewhere.example.org" in failure.value.where


@pytest.mark.parametrize(
    "host",
    ["http://localhost:11434/v1", "http://192.168.1.7:8000/v1", "http://[::1]:1/v1", "localhost:8080/v1"],
)
def test_a_server_at_home_needs_no_key(host: str) -> None:
    choice = resolve(ModelChoice(model="qwen3", base_url=host), env={}, config=HermesConfig())
    assert choice.api_key


def test_a_local_provider_needs_nothing_but_a_model() -> None:
    choice = resolve(ModelChoice(provider="ollama", model="qwen3"), env={}, config=HermesConfig())
    assert choice.base_url == "http://localhost:11434/v1"


def test_nobody_naming_a_model_is_stated_with_a_remedy() -> None:
    with pytest.raises(SummaryFailure) as failure:
        resolve(NOTHING, env={}, config=HermesConfig())
    assert failure.value.kind is FailureKind.NO_PROVIDER
    assert "--model" in failure.value.line


def test_a_missing_key_names_the_variable_to_set() -> None:
    with pytest.raises(SummaryFailure) as failure:
        resolve(ModelChoice(model="claude-haiku-4-5"), env={}, config=HermesConfig())
    assert "ANTHROPIC_API_KEY" in failure.value.line


def test_a_key_is_never_printed() -> None:
    assert "hunter2" not in repr(ModelChoice(model="m", api_key="hunter2"))


@pytest.mark.parametrize(
    ("host", "local"),
    [
        ("localhost", True),
        ("127.0.0.1", True),
        ("127.8.0.9", True),
        ("::1", True),
        ("10.0.0.3", False),
        ("192.168.1.20", False),
        ("169.254.169.254", False),
        ("0.0.0.0", False),
        ("fd00::5", False),
        ("box.local", False),
        ("gpu.lan", False),
        ("llm.corp.internal", False),
        ("host.docker.internal", False),
        ("localhost.example.com", False),
        ("127.0.0.1.nip.io", False),
        ("api.openai.com", False),
        ("8.8.8.8", False),
        ("", False),
    ],
)
def test_only_this_machine_itself_is_local(host: str, local: bool) -> None:
    assert on_this_machine(host) is local


def test_a_server_in_the_same_network_needs_no_key_and_is_asked_about() -> None:
    flags = ModelChoice(provider="custom", model="hermes-4", base_url="http://gpu.lan:8080/v1")
    choice = resolve(flags, env={}, config=HermesConfig())
    assert choice.api_key
    assert not choice.endpoint.local
