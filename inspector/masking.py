"""Credentials are masked wherever a stored text is shown or printed."""

from __future__ import annotations

from core.compress.suspect import may_hold_credential

SHORTEST = 4
"""Characters of a name and its value at the least."""


def mask(text: str) -> str:
    """Mask the credentials in a text, and leave everything else as it is."""
    if len(text) < SHORTEST or not may_hold_credential(text):
        return text
    # Most lists hold nothing that needs the full search, so they need not wait for its imports either.
    from core.compress.redact import redact_text

    return redact_text(text)


def warm() -> None:
    """Load what masking needs, in a worker, so that the first row drawn need not wait for it."""
    from core.compress.redact import redact_text

    redact_text("")
