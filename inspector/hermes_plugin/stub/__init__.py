"""Hermes Inspector inside Hermes: a context engine (`register_context_engine`), a recorder, and `/inspect`.

Hermes imports this folder into its own process, so it uses only the standard library; everything else is done
by a worker that runs on Hermes Inspector's Python. A failure here never stops the chat.
"""

from __future__ import annotations

import logging
from typing import Any

from .settings import Settings, read_settings

log = logging.getLogger(__name__)


def register(ctx: Any) -> None:
    """Hermes calls this to register the plugin; some releases call it twice, once for the engine alone."""
    try:
        settings = read_settings()
    except (OSError, ValueError) as error:
        log.warning("Hermes Inspector: its settings cannot be read (%s); it is inactive", error)
        return
    if settings.engine:
        _register_engine(ctx, settings)
    if hasattr(ctx, "manifest"):
        _register_rest(ctx, settings)


def _register_engine(ctx: Any, settings: Settings) -> None:
    try:
        from .engine import InspectorEngine

        ctx.register_context_engine(InspectorEngine(settings))
    except Exception as error:  # noqa: BLE001 - Hermes then uses its own engine
        log.warning("Hermes Inspector: its engine cannot be offered (%s)", error)


def _register_rest(ctx: Any, settings: Settings) -> None:
    try:
        from .command import InspectCommand
        from .hooks import register_hooks

        session = register_hooks(ctx, settings)
        ctx.register_command(
            "inspect",
            InspectCommand(settings, session),
            description="What Hermes Inspector knows about this conversation",
            args_hint="[why|plan|cost|lost TOPIC]",
        )
    except Exception as error:  # noqa: BLE001 - a chat without `/inspect` is still a chat
        log.warning("Hermes Inspector: its hooks cannot be registered (%s)", error)
