"""A screen as SVG or PNG."""

from __future__ import annotations

import sys
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from core.errors import ConfigError
from inspector.terminal.picture import write_picture, write_pictures
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
