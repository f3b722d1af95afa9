"""Credentials are masked wherever a stored text is shown or printed."""

from __future__ import annotations

from collections.abc import Sequence

from core.redact.quick_check import masked, may_hold_credential

SHORTEST = 4
"""Characters of a name and its value at the least."""
_BETWEEN = "\n\x00\n"
"""No credential runs on across this."""


def mask(text: str) -> str:
    """Mask the credentials in a text, and leave everything else as it is."""
    return text if len(text) < SHORTEST else masked(text)


def mask_all(texts: Sequence[str]) -> Sequence[str]:
    """Mask the credentials in many short texts: one look at all of them costs a fifth of one at each."""
    if not may_hold_credential(_BETWEEN.join(texts)):
        return texts
    from core.redact.text import redact_all

    return redact_all(texts)


def warm() -> None:
    """Load what masking needs, in a worker, so that the first row drawn need not wait for it."""
    from core.redact.text import redact_text

    redact_text("")
