"""The moving picture of the three jobs: a recording of a terminal, and an SVG that moves without a script.

`python -m tests.reference.moving_picture` plays them and writes both.
"""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
from collections.abc import Sequence
from html import escape
from pathlib import Path

from rich.color import ColorSystem
from rich.segment import Segment
from rich.style import Style

from sample_sessions.builder import build
from tests.conftest import NOW
from tests.reference.all_pages import DOCS
from tests.reference.moving_frames import HEIGHT, WIDTH, Frame, frames

CAST, SVG = DOCS / "pictures" / "jobs.cast", DOCS / "pictures" / "jobs.svg"
CELL, LINE, BASE = 8, 17, 13
"""Pixels of a cell and of a line, and where in it the letters stand."""
INK, GROUND = "#d5dbe3", "#10141b"
_HEAD = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img"
 aria-label="{title}">
<style>text{{font:13px "Fira Code","DejaVu Sans Mono",Menlo,Consolas,monospace;white-space:pre}}
.f{{visibility:hidden;animation:{length}s step-end infinite}}
{rules}</style>
<rect width="100%" height="100%" fill="{ground}"/>
"""
TITLE = "Three questions asked of Hermes Inspector: why it compressed, what that would lose, what it cost"


def cast(played: Sequence[Frame]) -> str:
    """A recording in the form of asciinema, version 2."""
    head = {"version": 2, "width": WIDTH, "height": HEIGHT + 1, "title": TITLE}
    lines, at = [json.dumps(head)], 0.0
    for frame in played:
        screen = "\r\n".join("".join(map(_ansi, line)) for line in (*frame.lines, (Segment(frame.says),)))
        lines.append(json.dumps([round(at, 3), "o", f"\x1b[2J\x1b[H{screen}"]))
        at += frame.seconds
    return "\n".join([*lines, json.dumps([round(at, 3), "o", ""])]) + "\n"


def _ansi(segment: Segment) -> str:
    style = segment.style or Style()
    return style.render(segment.text, color_system=ColorSystem.TRUECOLOR)


def moving(played: Sequence[Frame]) -> str:
    """The frames one after another, round and round; a line that several of them show is drawn once."""
    length = sum(frame.seconds for frame in played)
    shared, inks = dict[str, str](), dict[str, str]()
    groups, rules, at = list[str](), list[str](), 0.0
    for number, frame in enumerate(played):
        rows = [
            f'<use href="#{shared.setdefault(drawn, f"l{len(shared)}")}" y="{row * LINE}"/>'
            for row, line in enumerate(frame.lines)
            if (drawn := _drawn(line, inks))
        ]
        says = f'<text x="{CELL}" y="{HEIGHT * LINE + BASE + 5}" fill="{INK}">{escape(frame.says)}</text>'
        groups.append(f'<g class="f" style="animation-name:f{number}">{"".join(rows)}{says}</g>')
        first, last = 100 * at / length, 100 * (at + frame.seconds) / length
        rules.append(_shown(number, first, last))
        at += frame.seconds
    rules += [f".{name}{{{rule}}}" for rule, name in inks.items()]
    lines = "".join(f'<g id="{name}">{drawn}</g>' for drawn, name in shared.items())
    head = _HEAD.format(
        width=WIDTH * CELL,
        height=HEIGHT * LINE + 24,
        title=TITLE,
        length=f"{length:g}",
        rules="\n".join(rules),
        ground=GROUND,
    )
    return f"{head}<defs>{lines}</defs>\n" + "\n".join(groups) + "\n</svg>\n"


def _shown(number: int, first: float, last: float) -> str:
    """When a frame is seen."""
    before = "0%{visibility:hidden}" if first else ""
    return (
        f"@keyframes f{number}{{{before}{first:.2f}%{{visibility:visible}}{last:.2f}%{{visibility:hidden}}}}"
    )


def _drawn(line: Sequence[Segment], inks: dict[str, str]) -> str:
    """One line: what is behind the letters, and the letters; spaces are not drawn."""
    grounds, letters, x = list[str](), list[str](), 0
    for segment in line:
        style, cells = segment.style or Style(), segment.cell_length
        ink, ground = _colours(style)
        if ground != GROUND:
            grounds.append(f'<rect x="{x * CELL}" width="{cells * CELL}" height="{LINE}" fill="{ground}"/>')
        if text := segment.text.strip():
            begin = x + len(segment.text) - len(segment.text.lstrip())
            rule = f"fill:{ink}" + (";font-weight:bold" if style.bold else "")
            name = inks.setdefault(rule, f"c{len(inks)}")
            place = f'x="{begin * CELL}" y="{BASE}" textLength="{Segment(text).cell_length * CELL}"'
            letters.append(f'<text class="{name}" {place}>{escape(text)}</text>')
        x += cells
    return "".join(grounds) + "".join(letters)


def _colours(style: Style) -> tuple[str, str]:
    ink = style.color.get_truecolor().hex if style.color and not style.color.is_default else INK
    ground = style.bgcolor.get_truecolor().hex if style.bgcolor and not style.bgcolor.is_default else GROUND
    return (ground, ink) if style.reverse else (ink, ground)


async def play(home: Path) -> list[Frame]:
    """All frames."""
    return [frame async for frame in frames(home)]


def main() -> None:
    """Play the jobs, in folders of their own, and write both pictures."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update({f"XDG_{one}_HOME": f"{folder}/{one}" for one in ("CACHE", "CONFIG", "STATE")})
        os.environ["HOME"] = folder
        played = asyncio.run(play(build(Path(folder) / ".hermes", now=NOW)))
    CAST.write_text(cast(played), encoding="utf-8")
    SVG.write_text(moving(played), encoding="utf-8")


if __name__ == "__main__":
    main()
