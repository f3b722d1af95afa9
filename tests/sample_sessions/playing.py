"""What the scenarios say was played."""

from __future__ import annotations

from collections.abc import Iterator

from sample_sessions.scenario import Compaction, Step


def made(steps: tuple[Step, ...]) -> Iterator[Compaction]:
    """The compactions of a script in order."""
    for step in steps:
        if step.compact:
            yield step.compact
        if step.repeat:
            yield from made(step.repeat.steps)
