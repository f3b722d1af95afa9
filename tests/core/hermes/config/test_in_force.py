from pathlib import Path

import pytest

from core.hermes.config.config import load_config
from core.hermes.config.in_force import WindowClaim, WindowGuess, find_window
from core.model.finding import Evidence, Source, Verdict
from tests.own_settings import write_own_settings

LOGGED = WindowClaim("log", 131_072, Evidence(Source.LOG, "agent.log:7", "ctx 131,072"), Verdict.PROVED)
CUSTOM = """\
model: {default: m, base_url: "http://h/v1/"}
custom_providers:
  - base_url: http://h/v1
    models:
      m:
        context_length: 40960
"""


def guess(tmp_path: Path, text: str = "", cache: str = "", **kwargs: object) -> WindowGuess:
    (tmp_path / "config.yaml").write_text(text, "utf-8")
    if cache:
        (tmp_path / "context_length_cache.yaml").write_text(cache, "utf-8")
    return find_window(load_config(tmp_path), home=tmp_path, **kwargs)  # type: ignore[arg-type]


def test_nothing_known_is_not_a_window(tmp_path: Path) -> None:
    found = guess(tmp_path, model="nobody-knows")
    assert (found.tokens, found.source, found.verdict) == (None, "unknown", Verdict.UNKNOWN)


def test_the_file_beats_the_log(tmp_path: Path) -> None:
    text = "model:\n  default: claude-x\n  context_length: 64000\n"
    found = guess(tmp_path, text, logged=LOGGED)
    assert (found.tokens, found.source) == (64_000, "config")
    assert [claim.source for claim in found.claims] == ["config", "log", "table"]
    assert found.evidence[0].where == "config.yaml:3"


def test_a_custom_provider_sets_the_window_of_its_model_at_its_endpoint(tmp_path: Path) -> None:
    found = guess(tmp_path, CUSTOM)
    assert (found.tokens, found.source, found.evidence[0].where) == (
        40_960,
        "custom_provider",
        "config.yaml:6",
    )
    assert guess(tmp_path, CUSTOM, model="other").tokens is None


def test_the_cache_is_asked_for_model_and_endpoint(tmp_path: Path) -> None:
    cache = "context_lengths:\n  m@http://a/v1: 8000\n  m@http://b/v1: 9000\n"
    assert guess(tmp_path, "", cache, model="m", base_url="http://b/v1/").tokens == 9000
    assert guess(tmp_path, "", cache, model="m").tokens is None


@pytest.mark.parametrize("cache", ["[", "context_lengths: 3", "context_lengths: {m@u: lots}", "\x00"])
def test_a_broken_cache_counts_as_empty(tmp_path: Path, cache: str) -> None:
    assert guess(tmp_path, "", cache, model="m", base_url="u").tokens is None


def test_the_log_beats_the_table_of_names(tmp_path: Path) -> None:
    found = guess(tmp_path, model="claude-x", logged=LOGGED)
    assert (found.tokens, found.verdict) == (131_072, Verdict.PROVED)


@pytest.mark.parametrize(
    ("model", "provider", "tokens"),
    [
        ("anthropic/claude-sonnet-4.6", "", 1_000_000),
        ("claude-3", "", 200_000),
        ("gpt-5.4-mini", "", 400_000),
        ("openai/gpt-5.5", "openai-codex", 272_000),
        ("DeepSeek-V4-Pro", "", 1_000_000),
    ],
)
def test_the_longest_name_in_the_table_wins(tmp_path: Path, model: str, provider: str, tokens: int) -> None:
    found = guess(tmp_path, model=model, provider=provider)
    assert (found.tokens, found.verdict) == (tokens, Verdict.SUSPECTED)


def test_the_users_word_counts_where_hermes_says_nothing(tmp_path: Path) -> None:
    write_own_settings("windows:\n  my-model: 32768\n")
    found = guess(tmp_path, model="maker/my-model")
    assert (found.tokens, found.source) == (32768, "own")
    assert "my-model: 32768" in found.evidence[0].text


def test_what_hermes_itself_says_goes_before_it(tmp_path: Path) -> None:
    write_own_settings("windows:\n  gpt-5.2: 32768\n")
    found = guess(tmp_path, "model:\n  default: gpt-5.2\n  context_length: 64000\n", model="gpt-5.2")
    assert (found.tokens, found.claims[1].source) == (64000, "own")


def test_what_hermes_assumes_counts_only_without_other_sources(tmp_path: Path) -> None:
    words = Evidence(Source.LOG, "agent.log:9", "defaulting to 256,000 tokens")
    assumed = WindowClaim("log", 256_000, words, Verdict.DERIVED)
    found = guess(tmp_path, model="nobody-knows", assumed=assumed)
    assert (found.tokens, found.source, found.verdict) == (256_000, "log", Verdict.DERIVED)
    told = guess(tmp_path, model="nobody-knows", assumed=assumed, logged=LOGGED)
    assert [claim.tokens for claim in told.claims] == [131_072]
