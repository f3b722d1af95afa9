"""The three jobs played in the real app on its samples: what is on screen after each key."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

from rich.segment import Segment

from core.store.database.locate import locate
from inspector.app import InspectorApp
from tests.conftest import NOW
from tests.inspector.driving import press, settle

SIZE = WIDTH, HEIGHT = 100, 30


@dataclass(frozen=True, slots=True)
class Step:
    """Keys pressed together.

    Attributes:
        keys: As Textual names them.
        says: What is asked, or what the keys do.
        seconds: How long it stays.
    """

    keys: tuple[str, ...]
    says: str
    seconds: float = 2.5


@dataclass(frozen=True, slots=True)
class Frame:
    """What was on screen, line by line.

    Attributes:
        says: The step that led to it, with its keys.
        seconds: How long it stays.
    """

    lines: tuple[tuple[Segment, ...], ...]
    says: str
    seconds: float

    @property
    def text(self) -> str:
        """It without its colours."""
        return "\n".join("".join(one.text for one in line) for line in self.lines)


STEPS = (
    Step(
        (),
        "Which conversation needs me? How full each one is, what it cost, how often it was compressed",
        4.0,
    ),
    Step(("slash", *"auth"), "/ looks for a conversation"),
    Step(("enter", "w"), "1. Why did it compress? w says what happened, and what it rests on", 4.5),
    Step(("t",), "t lists every turn with the reason", 3.5),
    Step(("escape", "3"), "2. What would /compress keep, say and lose? A preview, nothing is written", 4.5),
    Step(("x",), "x lists the facts it would lose, the heaviest first", 3.5),
    Step(("escape", "1"), "1 is the map: what the model sees, and where the cut would be", 3.5),
    Step(("escape", "u"), "3. What did it cost? u shows today and the days before", 4.0),
    Step(("s",), "s groups by what you ask for", 3.0),
)


async def frames(home: Path) -> AsyncIterator[Frame]:
    """Play the steps on sample sessions; each frame is taken once everything requested is there."""
    app = InspectorApp([locate(home=home, profile="default")[0]], now=lambda: NOW)
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        for step in STEPS:
            for key in step.keys:
                await press(pilot, key)
            strips = app.screen._compositor.render_strips()
            lines = tuple(tuple(Segment.simplify(strip)) for strip in strips)
            yield Frame(lines, step.says, step.seconds)
