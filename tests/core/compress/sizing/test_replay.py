"""Which routes send old thinking again; the table was answered by Hermes 0.22 itself."""

from __future__ import annotations

import pytest

from core.compress.sizing.weight import replays_thinking
from core.model.compaction.plan import Settings

TABLE = [
    ("", "", "m", "", False),
    ("", "deepseek", "m", "", True),
    ("", "x", "deepseek-v4", "", True),
    ("", "kimi-coding", "m", "", True),
    ("", "", "m", "api.kimi.com", True),
    ("chat_completions", "openrouter", "m", "openrouter.ai", True),
    ("chat_completions", "groq", "m", "", False),
    ("chat_completions", "", "m", "api.groq.com", False),
    ("chat_completions", "", "m", "api.hunyuan.cloud.tencent.com", False),
    ("chat_completions", "custom", "m", "localhost", True),
    ("chat_completions", "novita", "m", "", True),
    ("chat_completions", "fireworks", "m", "", True),
    ("codex_responses", "", "gpt-5", "", False),
    ("codex_responses", "", "deepseek-v4", "", False),
    ("anthropic_messages", "", "claude-opus-4-5", "api.anthropic.com", True),
    ("anthropic_messages", "", "claude-opus-4-20250514", "api.anthropic.com", False),
    ("anthropic_messages", "", "claude-sonnet-4-5", "api.anthropic.com", False),
    ("anthropic_messages", "", "claude-sonnet-4-6", "api.anthropic.com", True),
    ("anthropic_messages", "", "claude-3-5-haiku", "api.anthropic.com", False),
    ("anthropic_messages", "", "claude-next", "api.anthropic.com", True),
    ("anthropic_messages", "", "claude-opus-5", "relay.example.com", False),
    ("anthropic_messages", "", "glm-5", "api.anthropic.com", False),
    ("anthropic_messages", "", "deepseek-v4", "api.deepseek.com", True),
]


@pytest.mark.parametrize(("api_mode", "provider", "model", "host", "replays"), TABLE)
def test_routes(api_mode: str, provider: str, model: str, host: str, replays: bool) -> None:
    chosen = Settings(api_mode=api_mode, provider=provider, model=model, host=host)
    assert replays_thinking(chosen) == replays
