"""Homes that are damaged in one of many ways, the same for the same seed."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

from tests.core.store.database import SessionDatabase
from tests.damaged_homes import contents, files, large, pages, tables

Damage = Callable[[Path, random.Random], None]

DAMAGES: tuple[Damage, ...] = (*pages.DAMAGES, *tables.DAMAGES, *contents.DAMAGES, *files.DAMAGES)
"""Each takes a moment to make."""

LARGE: tuple[Damage, ...] = large.DAMAGES
"""Each is tens or hundreds of megabytes."""


def sound(folder: Path) -> Path:
    """A home with a compacted conversation, a chain, settings and a log."""
    folder.mkdir(parents=True)
    (folder / "logs").mkdir()
    (folder / "logs" / "agent.log").write_text(
        "2026-05-01 10:00:00,000 INFO x: conversation turn: session=a\n"
    )
    (folder / "config.yaml").write_text("model:\n  default: test-model\n  context_length: 64000\n")
    with SessionDatabase(folder / "state.db", "0.19") as made:
        made.session("a", title="A", input_tokens=10, output_tokens=5, estimated_cost_usd=0.5)
        for name in "1234":
            made.turn("a", name)
        made.compact("a", 2, 3, "what came before")
        made.session("b", title="B")
        made.turn("b", "x")
        made.rotate("b", "c", 1, 1, "carried")
    return folder


def name(chosen: Damage) -> str:
    """What a kind of damage is called."""
    return chosen.__name__.strip("_")


def damage(home: Path, seed: int) -> str:
    """Damage a home; says how."""
    chosen = DAMAGES[seed % len(DAMAGES)]
    chosen(home, random.Random(seed))
    return name(chosen)
