"""Which model is asked after the summary model failed, release by release."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from core.compress.summarise.model_choice import ModelChoice
from core.compress.summarise.remote.answers import failure_of
from core.hermes.config.config import load_config
from core.hermes.policy.policy import load_policy, releases
from core.preview.summarisers import main_model

SMALL = ModelChoice(
    provider="openrouter", model="small", base_url="https://openrouter.ai/api/v1", api_key="k"
)


@pytest.fixture(autouse=True)
def _a_key_for_the_router(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENROUTER_API_KEY", "k")


def here(provider: str, base_url: str) -> Any:
    """A conversation that its own model answers."""
    tip = SimpleNamespace(provider=provider, model="big", base_url=base_url)
    return cast(Any, SimpleNamespace(conversation=SimpleNamespace(tip=tip), config=load_config(None)))


def asked(release: str, provider: str, base_url: str) -> str | None:
    found = main_model(SMALL, here(provider, base_url), load_policy(release))
    return found.choice.model if found is not None else None


@pytest.mark.parametrize("release", releases())
def test_the_oldest_two_ask_nobody_else(release: str) -> None:
    expected = None if release in ("0.13", "0.14") else "big"
    assert asked(release, "custom", "http://127.0.0.1:8080/v1") == expected


@pytest.mark.parametrize("release", releases())
def test_until_the_newest_only_a_main_model_of_another_provider_is_asked(release: str) -> None:
    expected = "big" if release == "0.22" else None
    assert asked(release, "openrouter", "https://openrouter.ai/api/v1") == expected


class RefusedError(Exception):
    """What an SDK raises for a status."""

    def __init__(self, status: int) -> None:
        super().__init__(f"Error code: {status}")
        self.status_code = status


@pytest.mark.parametrize(
    ("release", "after"),
    [
        ("0.15", {402}),
        ("0.16", {402}),
        ("0.17", {402}),
        ("0.18", {402, 429}),
        ("0.19", {402, 429}),
        ("0.22", {400, 401, 402, 403, 404, 408, 429, 500, 502, 503, 504}),
    ],
)
def test_after_which_statuses_is_what_the_releases_themselves_did(release: str, after: set[int]) -> None:
    on = load_policy(release).failure.main_model_on
    statuses = (400, 401, 402, 403, 404, 408, 429, 500, 502, 503, 504)
    assert {status for status in statuses if failure_of(RefusedError(status), "").kind.value in on} == after


def test_after_which_failures_differs() -> None:
    kinds = {release: set(load_policy(release).failure.main_model_on) for release in releases()}
    assert kinds["0.15"] == kinds["0.17"] == {"quota", "network", "timeout"}
    assert kinds["0.18"] == kinds["0.19"] == {"quota", "rate_limit", "network", "timeout", "invalid"}
    assert {"auth", "server", "empty"} <= kinds["0.22"]


@pytest.mark.parametrize(
    ("release", "after"),
    [
        ("0.13", {"quota", "rate_limit", "network", "timeout"}),
        ("0.14", {"quota", "rate_limit", "network", "timeout"}),
        ("0.17", {"quota", "rate_limit", "network", "timeout"}),
        ("0.18", {"auth", "quota", "rate_limit", "network", "timeout", "invalid"}),
        ("0.19", {"auth", "quota", "rate_limit", "network", "timeout", "invalid"}),
    ],
)
def test_by_auto_a_server_of_ones_own_is_asked_with_the_main_model(
    release: str, after: set[str], tmp_path: Path
) -> None:
    (tmp_path / "config.yaml").write_text("auxiliary: {compression: {provider: auto, model: small}}\n")
    own = "http://127.0.0.1:8080/v1"
    small = ModelChoice(provider="custom", model="small", base_url=own, api_key="k")
    tip = SimpleNamespace(provider="custom", model="big", base_url=own)
    case: Any = SimpleNamespace(conversation=SimpleNamespace(tip=tip), config=load_config(tmp_path))
    found = main_model(small, case, load_policy(release))
    assert found is not None
    assert (found.choice.model, {kind.value for kind in found.on}) == ("big", after)
    (tmp_path / "config.yaml").write_text("auxiliary: {compression: {provider: custom, model: small}}\n")
    case.config = load_config(tmp_path)
    assert main_model(small, case, load_policy(release)) is None
