"""One engine of one agent: our replay of the running release's compressor, with the home's settings."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from core.compress.engines.builtin import ContextCompressor
from core.compress.summarise.base import Summariser
from core.errors import ConfigError
from core.hermes.config.config import HermesConfig, load_config
from core.hermes.policy.policy import Policy, load_policy, nearest_release, newest_release
from core.model.transcript.message import Message
from core.preview.summarisers import offline_summariser, remote_summariser
from inspector.hermes_plugin import compactions, recall
from inspector.hermes_plugin.compactions import Measured

Rows = list[dict[str, Any]]
MODELS = ("anthropic", "openai")


class EngineSession:
    """What the worker stores for one engine.

    Attributes:
        compressor: None until the agent names its model.
    """

    def __init__(self, home: Path, version: str, state: Path, summariser: Mapping[str, Any]) -> None:
        self._home, self._state, self._choice = home, state, summariser
        release = nearest_release(version) if version else newest_release()
        self._policy: Policy = load_policy(release)
        self._last: Measured | None = None
        self._session = ""
        self.compressor: ContextCompressor | None = None

    def take_over(self, values: Mapping[str, Any]) -> None:
        """Take over counts that the agent may have changed since the last call."""
        for name, value in values.items():
            if self.compressor is not None and isinstance(value, int):
                setattr(self.compressor, name, value)

    def update_model(self, route: Mapping[str, Any]) -> dict[str, Any]:
        """Create the compressor for the agent's model, or update it."""
        if self.compressor is None:
            self.compressor = self._made(route)
        self.compressor.update_model(**route)
        return {}

    def update_from_response(self, usage: Mapping[str, Any]) -> dict[str, Any]:
        """Pass on the token counts of a response."""
        if self.compressor is not None:
            self.compressor.update_from_response(usage)
        return {}

    def should_compress(self, tokens: int) -> dict[str, Any]:
        """Whether to compact, and what blocks it if not."""
        compressor = self._ready()
        fires = compressor.should_compress(tokens)
        over = tokens >= compressor.threshold_tokens
        return {"result": fires, "reason": self._block(compressor) if over and not fires else None}

    def should_defer(self, tokens: int) -> dict[str, Any]:
        """Whether to wait for the provider's count."""
        return {"result": self._ready().should_defer_preflight_to_real_usage(tokens)}

    def has_content(self, messages: Rows) -> dict[str, Any]:
        """Whether there are messages to summarise."""
        return {"result": self._ready().has_content_to_compress(messages)}

    def compress(self, order: Mapping[str, Any]) -> dict[str, Any]:
        """Compact a list of messages, measure what the summary kept, and store that."""
        compressor, rows = self._ready(), order["messages"]
        began = time.perf_counter()
        after = compressor.compress(rows, order["tokens"], order["focus"], order["force"], order["memory"])
        answer: dict[str, Any] = {"aborted": compressor.last_aborted, "fallback": compressor.last_fallback}
        answer["reason"] = compressor.last_error
        if compressor.last_aborted or after == rows:
            return {**answer, "same": True}
        after = self._with_reply(rows, after)
        seconds = time.perf_counter() - began
        self._last = compactions.measured(rows, after, self._policy, order["focus"])
        self._last = replace(self._last, seconds=seconds)
        compactions.keep(self._state, self._home, self._session, self._last)
        return {**answer, "messages": _references(rows, after)}

    def session_start(self, session: str) -> dict[str, Any]:
        """A session began or continues."""
        self._session = session
        if self.compressor is not None:
            self.compressor.on_session_start(session)
        return {}

    def session_end(self) -> dict[str, Any]:
        """A session ended."""
        if self.compressor is not None:
            self.compressor.on_session_end("", [])
        return {}

    def session_reset(self) -> dict[str, Any]:
        """The user started over."""
        if self.compressor is not None:
            self.compressor.on_session_reset()
        return {}

    def tool(self, name: str, args: Mapping[str, Any], session: str) -> dict[str, Any]:
        """Answer a call of one of the engine's tools."""
        if name == "inspector_recall":
            return {"result": recall.recall_answer(self._home, session, args)}
        if name == "inspector_status":
            status = {} if self.compressor is None else dict(self.compressor.get_status())
            return {"result": {**status, "last_compaction": compactions.measured_json(self._last)}}
        return {"result": {"error": f"unknown tool: {name}"}}

    def _ready(self) -> ContextCompressor:
        if self.compressor is None:
            raise ConfigError("the agent has not named its model")
        return self.compressor

    def _made(self, route: Mapping[str, Any]) -> ContextCompressor:
        config = self._config()
        release = self._policy.release
        settings = config.settings(
            release,
            model=str(route.get("model") or ""),
            provider=str(route.get("provider") or ""),
            base_url=str(route.get("base_url") or ""),
        )
        settings = replace(settings, window=int(route.get("context_length") or 0) or None)
        abort = bool(config.value("compression.abort_on_summary_failure", release))
        writer = chosen(self._choice, config, self._policy)
        return ContextCompressor(self._policy, settings, writer, abort_configured=abort)

    def _config(self) -> HermesConfig:
        try:
            return load_config(self._home)
        except ConfigError:
            return HermesConfig()  # like Hermes, which then uses its defaults

    def _block(self, compressor: ContextCompressor) -> str:
        past = compressor.backoff
        if past.error:
            return f"the last summary failed: {past.error}"
        if past.strikes:
            return f"{past.strikes} compactions in a row did not help"
        return "too many summaries in a row were made by rule"

    def _with_reply(self, rows: Rows, after: Rows) -> Rows:
        """Put the newest answer back if the release's agent would otherwise lack it."""
        from core.compress.assembly.last_changes import with_reply

        if not self._policy.host.keeps_reply:
            return after
        given = [Message(row) for row in rows]
        return [dict(one.wire) for one in with_reply(tuple(map(Message, after)), given, self._policy)]


def _references(rows: Rows, after: Rows) -> list[dict[str, Any]]:
    """Refer to kept rows by index, so that the agent keeps its own objects."""
    reached, answer = 0, []
    for row in after:
        place = next((i for i in range(reached, len(rows)) if rows[i] == row), None)
        answer.append({"new": row} if place is None else {"row": place})
        reached = reached if place is None else place + 1
    return answer


def chosen(choice: Mapping[str, Any], config: HermesConfig, policy: Policy) -> Summariser:
    """The summariser for a choice: `{"name", "model", "provider", "base_url"}`.

    Raises:
        SummaryFailure: No model is named, or its key is missing.
    """
    name = str(choice.get("name") or "extractive")
    if name not in MODELS:
        return offline_summariser(policy, name)
    from core.compress.summarise.model_choice import ModelChoice, resolve

    provider, model, base_url = (str(choice.get(key) or "") for key in ("provider", "model", "base_url"))
    wanted = ModelChoice(provider=provider, model=model, base_url=base_url)
    resolved = resolve(wanted, env=os.environ, config=config)
    return remote_summariser(resolved, policy, name)
