"""Release policies: complete, checked, and the only place that knows one release from another."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

from core.errors import ConfigError
from core.hermes.policy import policy as module
from core.hermes.policy.policy import (
    Policy,
    documents,
    load_policy,
    nearest_release,
    newest_release,
    patches,
    releases,
)

ROOT = Path(__file__).parents[4]


def test_releases_are_named_oldest_first() -> None:
    assert releases() == ("0.13", "0.14", "0.15", "0.16", "0.17", "0.18", "0.19", "0.22")
    assert newest_release() == "0.22"


@pytest.mark.parametrize("name", [*releases(), *patches(), *documents()])
def test_every_policy_is_complete(name: str) -> None:
    loaded = load_policy(name)
    assert loaded.release == name
    assert loaded.source == ("document" if name in documents() else "release")


def test_groups_are_the_releases_that_cut_alike() -> None:
    assert "".join(load_policy(release).group for release in releases()) == "AAAABCDE"


@pytest.mark.parametrize(
    ("version", "release"),
    [
        ("0.15.2", "0.15"),
        ("v0.22", "0.22"),
        ("hermes-agent 0.18.2", "0.18"),
        ("0.18.0", "0.18.0"),
        ("0.18.1", "0.18"),
        ("0.20.0.post2", "0.20.0"),
        ("0.20.1", "0.20.5"),
        ("0.20", "0.20.6"),
        ("0.20.9", "0.20.6"),
        ("0.21.5.post2", "0.21.5"),
        ("0.23.1", "0.22"),
        ("0.4.0", "0.13"),
        ("1.3", "0.22"),
    ],
)
def test_a_version_takes_its_patch_release_or_the_last_release_known_before_it(
    version: str, release: str
) -> None:
    assert nearest_release(version) == release


def test_a_text_without_a_version_is_refused() -> None:
    with pytest.raises(ConfigError, match="no version"):
        nearest_release("latest")


def test_an_unknown_release_names_the_known_ones() -> None:
    with pytest.raises(ConfigError, match=r"0\.9.*0\.13, 0\.14"):
        load_policy("0.9")


BASE = {field.name: None for field in fields(Policy)}


@pytest.mark.parametrize(
    ("section", "values", "complaint"),
    [
        ("estimate", {"unit": 3}, "estimate.unit is not a text: 3"),
        ("estimate", {"image_tokens": "many"}, "estimate.image_tokens is not a whole number: 'many'"),
        ("tail", {"anchors": 1}, "tail.anchors is not true or false: 1"),
        ("tail", {"colour": "red"}, "unknown key tail.colour"),
        ("summary", {"headings": "Goal"}, "summary.headings is not a list: 'Goal'"),
        ("summary", {"bands": [{"below": 3}]}, r"summary.bands\[0\].ratio is missing"),
        ("gate", None, "gate is not a mapping"),
    ],
)
def test_a_wrong_value_is_named_with_its_file_and_key(
    monkeypatch: pytest.MonkeyPatch, section: str, values: object, complaint: str
) -> None:
    sound = module._merged("0.13")
    broken = {**sound, section: {**sound[section], **values} if isinstance(values, dict) else values}
    monkeypatch.setattr(module, "_merged", lambda _: broken)
    with pytest.raises(ConfigError, match=f"policies/0.13.yaml: {complaint}"):
        load_policy.__wrapped__("0.13")


def test_a_missing_key_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = {key: value for key, value in module._merged("0.13").items() if key != "head"}
    monkeypatch.setattr(module, "_merged", lambda _: broken)
    with pytest.raises(ConfigError, match="head is missing"):
        load_policy.__wrapped__("0.13")


def test_the_compressor_never_asks_which_release_it_is() -> None:
    sources = (ROOT / "core" / "compress").rglob("*.py")
    asking = re.compile(r"""release\s*(==|!=|in|>=|<)\s*[("']|group\s*==""")
    assert [path.name for path in sources if asking.search(path.read_text("utf-8"))] == []


def test_the_gateway_of_0_18_0_drops_the_results_of_tools_as_before() -> None:
    assert [load_policy(release).hygiene.tool_rows for release in ("0.17", "0.18.0", "0.18")] == [
        False,
        False,
        True,
    ]
