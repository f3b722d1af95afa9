"""What the screen of the findings says of itself: how many there are, how far it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.model.finding import Severity
from inspector.screens.findings.sweep import Diagnosis
from inspector.terminal import formatting as fmt
from inspector.terminal.glyphs import SEVERITY
from inspector.widgets.bars.status_line import Piece, titled


def counts(found: Mapping[Severity, Sequence[Diagnosis]], about: str) -> tuple[Piece, ...]:
    """How many there are of each severity, and in what."""
    pieces = list(titled("Findings", about))
    for severity, ones in found.items():
        if ones:
            pieces.append((f"severity-{severity}", f" · {SEVERITY[severity]} {len(ones):,} {severity}"))
    return tuple(pieces)


def progress(done: int, total: int) -> str:
    """How far the examination is."""
    if not total:
        return "examining …"
    return f"examined {done:,} of {fmt.plural(total, 'conversation')}, sub-agents too · esc stops"
