"""Saves a screen as a picture: the SVG that Textual draws, or a PNG of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from html import unescape
from itertools import groupby
from pathlib import Path

from core.errors import ConfigError
from inspector.terminal.glyphs import LEVELS
from inspector.terminal.text import cell_len

PNG = ".png"
_REMOTE_FONTS = re.compile(r"\s*@font-face\s*\{[^}]*\}")
_FONTS = 'font-family: Fira Code, "DejaVu Sans Mono", Menlo, Consolas, monospace;'
"""Monospaced fonts that have every glyph: a run with a missing glyph would fall back to a serif font."""

_TEXT = re.compile(
    r'<text class="(?P<ink>[^"]*)" x="(?P<x>[\d.]+)" y="(?P<y>[\d.]+)" textLength="(?P<wide>[\d.]+)"'
    r"(?P<clip>[^>]*)>(?P<said>[^<]*)</text>"
)
"""One run of cells as Rich writes it, its length computed as if no character took two cells."""
_UP, _HIGH = 18.5, 24.65
"""Units from a text's baseline up to the top of its row, and the height of a row."""


def write_picture(path: Path, svg: str) -> None:
    """Write the picture in the format that the file name asks for.

    Raises:
        OSError: The file cannot be written.
        ConfigError: The package that makes PNGs is not installed.
    """
    svg = _TEXT.sub(_drawn, _local_fonts(svg))
    if path.suffix.lower() == PNG:
        path.write_bytes(_png(svg))
    else:
        path.write_text(svg, encoding="utf-8")


def write_pictures(folder: Path, svg: str, now: datetime) -> Sequence[Path]:
    """Write an SVG named after the moment, and a PNG next to it if the package for that is installed.

    Raises:
        OSError: A file cannot be written.
    """
    path = folder / f"hermes-inspector-{now.astimezone():%Y%m%d-%H%M%S}.svg"
    write_picture(path, svg)
    try:
        write_picture(path.with_suffix(PNG), svg)
    except ConfigError:
        return (path,)
    return (path, path.with_suffix(PNG))


def picture_path(svg: str, now: datetime) -> str:
    """Write both pictures into the folder the app was started in, and return what to tell the user."""
    try:
        folder = Path.cwd()
    except OSError:
        return "No picture: the folder the app was started in is gone"
    try:
        written = write_pictures(folder, svg, now)
    except OSError as error:
        return f"No picture: {error}"
    return f"Written: {' and '.join(path.name for path in written)} in {folder}"


def _local_fonts(svg: str) -> str:
    """Remove web fonts, so that opening a picture of a session contacts no server."""
    local = _REMOTE_FONTS.sub("", svg).replace("font-family: arial;", "font-family: arial, sans-serif;")
    return local.replace("font-family: Fira Code, monospace;", _FONTS)


def _drawn(found: re.Match[str]) -> str:
    """Correct a run to the width of its cells; draw bars as rectangles, since glyphs leave gaps."""
    said = unescape(found["said"])
    wide = float(found["wide"])
    cell = wide / len(said) if said else 0.0
    if said and set(said) <= set(LEVELS[1:]):
        return "".join(_bars(found, said, cell))
    taken = cell * cell_len(said)
    return found[0] if taken == wide else found[0].replace(found["wide"], f"{taken:.1f}", 1)


def _bars(found: re.Match[str], text: str, cell: float) -> list[str]:
    x, bottom = float(found["x"]), float(found["y"]) - _UP + _HIGH
    rects: list[str] = []
    for level, run in groupby(text):
        wide, high = cell * len(list(run)), _HIGH * LEVELS.index(level) / (len(LEVELS) - 1)
        place = f'x="{x:.1f}" y="{bottom - high:.2f}" width="{wide:.1f}" height="{high:.2f}"'
        rects.append(f'<rect class="{found["ink"]}" {place} shape-rendering="crispEdges"{found["clip"]}/>')
        x += wide
    return rects


def _png(svg: str) -> bytes:
    try:
        from resvg_py import svg_to_bytes
    except ImportError as error:
        raise ConfigError(
            "a PNG needs resvg-py",
            where="this Python",
            remedy="Install it: pip install 'hermes-inspector[png]', or name the file .svg",
        ) from error
    return bytes(svg_to_bytes(svg_string=svg))
