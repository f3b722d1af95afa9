"""A screen as SVG or PNG."""

from __future__ import annotations

import re
import sys
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from core.errors import ConfigError
from inspector.terminal.picture import picture_path, write_picture, write_pictures
from tests.conftest import NOW

SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><rect width="8" height="8"/></svg>'


def test_the_name_chooses_the_form(tmp_path: Path) -> None:
    write_picture(tmp_path / "a.svg", SVG)
    write_picture(tmp_path / "a.PNG", SVG)
    assert (tmp_path / "a.svg").read_text() == SVG
    assert (tmp_path / "a.PNG").read_bytes().startswith(b"\x89PNG")


def test_the_key_writes_both_and_names_them(tmp_path: Path) -> None:
    written = write_pictures(tmp_path, SVG, NOW)
    assert [path.suffix for path in written] == [".svg", ".png"]
    assert all(path.stat().st_size for path in written)


def test_without_the_extra_a_png_says_what_to_install_and_the_key_writes_the_svg(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    with pytest.raises(ConfigError, match=r"hermes-inspector\[png\]"):
        write_picture(tmp_path / "a.png", SVG)
    assert [path.suffix for path in write_pictures(tmp_path, SVG, NOW)] == [".svg"]


def test_a_picture_asks_no_server_for_its_font(tmp_path: Path) -> None:
    drawn = Console(record=True, file=StringIO()).export_svg()
    assert "https://cdnjs" in drawn
    write_picture(tmp_path / "a.svg", drawn)
    written = (tmp_path / "a.svg").read_text()
    assert "url(" not in written.replace("url(#", "")
    assert "DejaVu Sans Mono" in written


def test_wide_characters_take_two_cells_and_bars_fill_their_row(tmp_path: Path) -> None:
    svg = tmp_path / "one.svg"
    run = '<text class="r1" x="12.2" y="20" textLength="{}" clip-path="url(#l)">{}</text>'
    write_picture(svg, f"<svg>{run.format('36.6', 'a周末')}{run.format('24.4', '▄█')}</svg>")
    text = svg.read_text(encoding="utf-8")
    assert 'textLength="61.0"' in text
    half, full = re.findall(
        r'<rect class="r1" x="([\d.]+)" y="([\d.]+)" width="12.2" height="([\d.]+)"', text
    )
    assert (float(half[0]), float(full[0])) == (12.2, 24.4)
    assert float(full[2]) == pytest.approx(2 * float(half[2]), abs=0.02)
    assert float(full[1]) + float(full[2]) == pytest.approx(float(half[1]) + float(half[2]), abs=0.02)


def test_without_the_folder_the_app_was_started_in_there_is_no_picture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert picture_path(SVG, NOW) == "No picture: the folder the app was started in is gone"
