"""Registers hooks that track the current session and, if wanted, record each request."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from .settings import Settings

REMEMBERS = ("on_session_start", "pre_llm_call")
RECORDS = ("pre_api_request", "post_api_request", "pre_auxiliary_call", "post_auxiliary_call")
PASSES = "llm_execution"
"""Middleware around a request; it receives the whole request, where hooks may get it cut short."""
SWITCH = "HERMES_INSPECTOR_RECORDER"
"""If this variable is `off`, this run of Hermes is not recorded."""


class SessionMemory:
    """The session that Hermes last mentioned."""

    def __init__(self) -> None:
        self.current = ""

    def note(self, **details: Any) -> None:
        """Take a hook's call."""
        session = details.get("session_id")
        if isinstance(session, str) and session:
            self.current = session


def register_hooks(ctx: Any, settings: Settings) -> SessionMemory:
    """Register those of our hooks that the running release knows."""
    session = SessionMemory()
    known = _known_hooks()
    for hook in REMEMBERS:
        if hook in known:
            ctx.register_hook(hook, session.note)
    if settings.recorder and os.environ.get(SWITCH, "").strip().lower() != "off":
        from .recording.recorder import recorder_for

        recorder = recorder_for(settings)
        for hook in RECORDS:
            if hook in known:
                ctx.register_hook(hook, _both(session, recorder.hook(hook)))
        if _passes():
            ctx.register_middleware(PASSES, recorder.middleware())
    return session


def _both(session: SessionMemory, take: Callable[..., None]) -> Callable[..., None]:
    def call(**details: Any) -> None:
        session.note(**details)
        take(**details)

    return call


def _passes() -> bool:
    """Whether the running release lets a plugin wrap a request."""
    try:
        from hermes_cli.middleware import VALID_MIDDLEWARE
    except ImportError:
        return False
    return PASSES in VALID_MIDDLEWARE


def _known_hooks() -> frozenset[str]:
    """The hooks of the running release; registering any other would log a warning.

    Releases that run plugins in a separate process do not say, but have all of ours.
    """
    try:
        from hermes_cli.plugins import VALID_HOOKS
    except ImportError:
        return frozenset((*REMEMBERS, *RECORDS))
    return frozenset(VALID_HOOKS)
