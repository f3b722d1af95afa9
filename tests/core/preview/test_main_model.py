"""Which model is asked after the summary model failed, release by release."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from core.compress.summarise.model_choice import ModelChoice
from core.hermes.config.config import load_config
from core.hermes.policy.policy import load_policy, releases
from core.preview.summarisers import main_model

SMALL = ModelChoice(
    provider="openrouter", model="small", base_url="https://openrouter.ai/api/v1", api_key="k"
)


def here(provider: str, base_url: str) -> Any:
    """A conversation that its own model answers."""
    tip = SimpleNamespace(provider=provider, model="big", base_url=base_url)
    return cast(Any, SimpleNamespace(conversation=SimpleNamespace(tip=tip), config=load_config(None)))


def asked(release: str, provider: str, base_url: str) -> str | None:
    found = main_model(SMALL, here(provider, base_url), load_policy(release), {"OPENROUTER_API_KEY": "k"})
    return found.model if found is not None else None


@pytest.mark.parametrize("release", releases())
def test_the_oldest_two_ask_nobody_else(release: str) -> None:
    expected = None if release in ("0.13", "0.14") else "big"
    assert asked(release, "custom", "http://127.0.0.1:8080/v1") == expected


@pytest.mark.parametrize("release", releases())
def test_until_the_newest_only_a_main_model_of_another_provider_is_asked(release: str) -> None:
    expected = "big" if release == "0.22" else None
    assert asked(release, "openrouter", "https://openrouter.ai/api/v1") == expected


def test_after_which_failures_differs() -> None:
    kinds = {release: set(load_policy(release).failure.main_model_on) for release in releases()}
    assert kinds["0.15"] == kinds["0.17"] == {"quota", "network", "timeout"}
    assert "rate_limit" in kinds["0.18"]
    assert "auth" not in kinds["0.19"]
    assert {"auth", "server", "empty"} <= kinds["0.22"]
