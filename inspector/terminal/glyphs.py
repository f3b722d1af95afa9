"""The signs the app draws with. Each state has a sign or word besides its colour, so NO_COLOR works."""

from __future__ import annotations

from core.model.finding import Severity, Verdict
from core.model.transcript.session import Kind

ROLE = {"system": "◇", "user": "○", "assistant": "◆", "tool": "┆"}
"""One sign per role; any other stored role gets `ROLE_OTHER`."""
ROLE_OTHER = "?"
CALL = "⚙"
SUMMARY = "§"
FAILED, SWITCHED = "×", "⇄"
"""A call that failed; a call that another model answered."""

PARTITION = {"head": "H", "middle": "M", "tail": "T"}

SEVERITY = {Severity.CRITICAL: "■", Severity.WARNING: "▲", Severity.INFO: "•"}
NO_SUMMARY = "✗"
"""The last summary failed."""
WELL = "●"
"""Nothing is wrong."""

KIND = {Kind.MAIN: " ", Kind.CONTINUATION: "▸", Kind.BRANCH: "├", Kind.DELEGATE: "↳"}
DEEPEST = 3
"""Levels by which a session is indented at most below the first of its family, so that its name fits."""
LIVE = "●"
PAUSED = "‖"
THRESHOLD = "│"
UP, DOWN = "▴", "▾"
GAUGE_FULL, GAUGE_HALF, GAUGE_TRACK = "━", "╸", "─"
LEVELS = " ▁▂▃▄▅▆▇█"
RULE = "─"
BAND = "═"
VERDICT = {Verdict.PROVED: "✓", Verdict.DERIVED: "≈", Verdict.SUSPECTED: "?", Verdict.UNKNOWN: "–"}


def kind_word(kind: Kind) -> str:
    """How a session relates to its parent, in a word for users."""
    return "sub-agent" if kind is Kind.DELEGATE else kind.value
