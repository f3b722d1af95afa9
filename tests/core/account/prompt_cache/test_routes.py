"""Who gets cache markers, by release, and how long what they mark is kept."""

from __future__ import annotations

import pytest

from core.account.prompt_cache.routes import Route, cache_route, cache_ttl

ANTHROPIC = Route("anthropic", "https://api.anthropic.com", "claude-opus-4-5")
OPENROUTER = Route("openrouter", "https://openrouter.ai/api/v1", "anthropic/claude-sonnet-4.6")
KIMI = Route("openrouter", "https://openrouter.ai/api/v1", "moonshotai/kimi-k2.6")
LITELLM = Route("my-litellm", "https://proxy.example/v1", "claude-opus-4-5")
M3 = Route("minimax", "https://api.minimax.io/anthropic", "MiniMax-M3")


@pytest.mark.parametrize(
    ("route", "early", "d", "e"),
    [
        (ANTHROPIC, "native", "native", "native"),
        (OPENROUTER, "envelope", "envelope", "envelope"),
        (KIMI, "none", "envelope", "envelope"),
        (
            Route("nous", "https://inference-api.nousresearch.com/v1", "k2.5"),
            "none",
            "envelope",
            "envelope",
        ),
        (LITELLM, "none", "none", "envelope"),
        (M3, "native", "native", "none"),
        (
            Route("minimax-cn", "https://x.example", "MiniMax-M2.5"),
            "native",
            "native",
            "native",
        ),
        (
            Route("gateway", "https://gw.example/anthropic", "claude-opus-4-5"),
            "native",
            "native",
            "native",
        ),
        (
            Route("opencode-go", "https://opencode.example", "qwen3.6-plus"),
            "envelope",
            "envelope",
            "envelope",
        ),
        (Route("openai", "https://api.openai.com/v1", "gpt-5.2"), "none", "none", "none"),
        (Route(), "none", "none", "none"),
    ],
)
def test_the_layout_depends_on_route_and_release(route: Route, early: str, d: str, e: str) -> None:
    assert [cache_route(route, release).layout for release in ("0.16", "0.19", "0.22")] == [early, d, e]


def test_the_wire_format_is_worked_out_when_nobody_says() -> None:
    assert (
        cache_route(Route("anthropic", "https://api.anthropic.com", "claude-opus-4-5"), "0.19").layout
        == "native"
    )


def test_a_look_alike_host_is_not_mistaken_for_the_real_one() -> None:
    route = Route("custom", "https://openrouter.ai.evil.example/v1", "anthropic/claude-opus-4.5")
    assert cache_route(route, "0.19").layout == "none"


def test_a_route_says_which_marks_it_takes() -> None:
    assert cache_route(ANTHROPIC, "0.22").tool_schemas
    assert not cache_route(ANTHROPIC, "0.19").tool_schemas
    assert not cache_route(LITELLM, "0.22").tool_parts


@pytest.mark.parametrize(
    ("configured", "release", "source", "expected"),
    [
        ("5m", "0.19", "cli", "5m"),
        ("1h", "0.19", "cli", "1h"),
        ("2h", "0.19", "cli", "5m"),
        ("auto", "0.19", "cli", "5m"),
        ("auto", "0.22", "cli", "1h"),
        ("auto", "0.22", "cron", "5m"),
        ("off", "0.22", "cli", None),
        (False, "0.22", "cli", None),
        ("off", "0.19", "cli", "5m"),
    ],
)
def test_the_configured_lifetime_is_read_as_the_release_reads_it(
    configured: object, release: str, source: str, expected: str | None
) -> None:
    assert cache_ttl(configured, ANTHROPIC, release, source) == expected


def test_some_routes_keep_five_minutes_whatever_is_asked() -> None:
    qwen = Route("alibaba", "", "qwen3.6-plus")
    assert (cache_ttl("1h", qwen, "0.22"), cache_ttl("1h", qwen, "0.19")) == ("5m", "1h")
    assert cache_ttl("1h", Route("opencode-go", "", "qwen3.6-plus"), "0.22") == "1h"
    assert cache_ttl("1h", Route("opencode-go", "", "minimax-m2.5"), "0.22") == "5m"
