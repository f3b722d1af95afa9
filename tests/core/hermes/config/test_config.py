import os
from collections.abc import Callable
from pathlib import Path

import pytest

from core.errors import ConfigError
from core.hermes.config.config import HermesConfig, load_config
from core.hermes.policy import policy


def config(tmp_path: Path, text: str) -> HermesConfig:
    (tmp_path / "config.yaml").write_text(text, "utf-8")
    return load_config(tmp_path)


def test_a_home_without_a_file_has_the_defaults_of_the_release() -> None:
    settings = load_config(None).settings("0.19")
    assert (settings.threshold, settings.target_ratio) == (0.50, 0.20)
    assert (settings.protect_first, settings.protect_last, settings.enabled) == (3, 20, True)


@pytest.mark.parametrize(("release", "limit"), [("0.13", 400), ("0.17", 400), ("0.18", 5000), ("0.22", 5000)])
def test_defaults_change_with_the_release(release: str, limit: int) -> None:
    setting = HermesConfig().setting("compression.hygiene_hard_message_limit", release)
    assert (setting.value, setting.origin) == (limit, f"default of {release}")


def test_without_a_release_the_defaults_are_of_the_newest_one_that_has_a_policy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(policy, "_names", lambda: ("0.22", "0.23"))
    assert HermesConfig().setting("compression.threshold").origin == "default of 0.23"


def test_a_key_the_release_does_not_know_has_no_value(tmp_path: Path) -> None:
    setting = config(tmp_path, "compression:\n  tail_mode: legacy\n").setting("compression.tail_mode", "0.19")
    assert (setting.value, setting.origin) == (None, "unknown to 0.19")


def test_each_value_names_its_line(tmp_path: Path) -> None:
    loaded = config(tmp_path, "# mine\ncompression:\n  enabled: true\n  threshold: 0.7\n")
    assert loaded.setting("compression.threshold").origin == "config.yaml:4"
    assert loaded.settings("0.19").threshold == 0.7


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("true", True),
        ("'yes'", True),
        ("1", True),
        ("'1'", True),
        ("no", False),
        ("'off'", False),
        ("''", False),
    ],
)
def test_booleans_are_read_from_their_words(tmp_path: Path, written: str, meant: bool) -> None:
    loaded = config(tmp_path, f"compression:\n  enabled: {written}\n")
    assert loaded.settings("0.19").enabled is meant


def test_an_emptied_enabled_switches_compression_off_and_says_so(tmp_path: Path) -> None:
    setting = config(tmp_path, "compression:\n  enabled:\n").setting("compression.enabled")
    assert setting.value is False
    assert "empty" in setting.note


@pytest.mark.parametrize("written", ["soon", "[1]", ".nan", "true", "9" * 400])
def test_a_value_of_the_wrong_type_is_noted_and_the_default_taken(tmp_path: Path, written: str) -> None:
    loaded = config(tmp_path, f"compression:\n  threshold: {written}\n")
    assert loaded.value("compression.threshold") == 0.50
    assert "config.yaml:2" in loaded.setting("compression.threshold").note
    assert loaded.notes() != ()


def test_a_window_written_with_a_letter_is_not_a_window(tmp_path: Path) -> None:
    assert config(tmp_path, "model:\n  context_length: 256K\n").value("model.context_length") is None


def test_the_short_form_of_model_is_understood(tmp_path: Path) -> None:
    assert config(tmp_path, "model: anthropic/claude-sonnet-4.6\n").model == "anthropic/claude-sonnet-4.6"


def test_values_are_held_inside_their_bounds(tmp_path: Path) -> None:
    loaded = config(tmp_path, "compression:\n  protect_first_n: -4\n  max_attempts: 40\n")
    assert loaded.value("compression.protect_first_n") == 0
    assert loaded.value("compression.max_attempts") == 10


@pytest.mark.parametrize(
    ("text", "where"),
    [("a: [1\nb: 2\n", "config.yaml:2"), ("- a list\n", "config.yaml"), ("a: \x07\n", "config.yaml")],
)
def test_a_file_that_is_no_yaml_mapping_is_a_configuration_error(
    tmp_path: Path, text: str, where: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        config(tmp_path, text)
    assert where in caught.value.where
    assert caught.value.exit_code == 4


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo])
def test_what_is_not_a_file_is_a_configuration_error_and_not_waited_for(
    make: Callable[[Path], None], tmp_path: Path
) -> None:
    make(tmp_path / "config.yaml")
    with pytest.raises(ConfigError, match="not a regular file"):
        load_config(tmp_path)


@pytest.mark.parametrize("text", ["", "# nothing\n", "compression:\n", "compression: 7\nmodel: [x]\n"])
def test_an_empty_or_odd_file_leaves_the_defaults(tmp_path: Path, text: str) -> None:
    assert config(tmp_path, text).settings("0.19").threshold == 0.50


@pytest.mark.parametrize(
    ("provider", "base_url", "mode"),
    [
        ("anthropic", "", "anthropic_messages"),
        ("custom", "http://127.0.0.1:1/v1", "chat_completions"),
        ("custom", "https://relay.example/anthropic", "anthropic_messages"),
        ("custom", "http://[bad", "chat_completions"),
        ("", "api.anthropic.com/v1", "anthropic_messages"),
        ("", "", ""),
    ],
)
def test_the_wire_format_follows_the_route(provider: str, base_url: str, mode: str) -> None:
    assert HermesConfig().settings("0.22", provider=provider, base_url=base_url).api_mode == mode


def test_per_model_thresholds_reach_the_settings_of_the_release_that_has_them(tmp_path: Path) -> None:
    odd = f"odd: high, a: .nan, b: .inf, c: {'9' * 400}"
    loaded = config(tmp_path, f"compression:\n  model_thresholds: {{kimi: 0.6, {odd}}}\n")
    assert loaded.settings("0.22").model_thresholds == {"kimi": 0.6}
    assert loaded.settings("0.19").model_thresholds == {}


def test_aliases_of_aliases_cost_nothing(tmp_path: Path) -> None:
    many = (", ".join(f"k{key}: *a{number}" for key in range(40)) for number in range(8))
    rows = ["model: m", "a0: &a0 {x: 1}", *(f"a{n}: &a{n} {{{row}}}" for n, row in enumerate(many, 1))]
    assert config(tmp_path, "\n".join(rows)).setting("model.default").origin == "config.yaml:1"


def test_the_answer_is_reserved_no_more_by_releases_that_stopped_reading_it(tmp_path: Path) -> None:
    """Run with 0.22.2: requests carry no max_tokens, and compression fires at a share of the whole window."""
    loaded = config(tmp_path, "model: {max_tokens: 30000}\n")
    kept = {release: loaded.settings(release).max_output for release in ("0.18", "0.21.0", "0.21.3", "0.22")}
    assert kept == {"0.18": 30_000, "0.21.0": 30_000, "0.21.3": None, "0.22": None}
