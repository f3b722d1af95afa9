"""What is read of an engine's files before it runs."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from core.compress.engines.host.discovery import discover, from_path
from tests.core.compress.engines.builders import FIRST_TWO, engine

ALIASES = "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}' if n else 'x'] * 10)}]\n" for n in range(9))


@pytest.mark.parametrize(
    "manifest",
    [b"name: " + b"[" * 100_000, f"{ALIASES}name: *a8\n".encode(), b"name: \xff", b"\x00", b"- a list"],
)
def test_a_manifest_nobody_would_write_counts_as_none(tmp_path: Path, manifest: bytes) -> None:
    folder = engine(tmp_path, FIRST_TWO)
    (folder / "plugin.yaml").write_bytes(manifest)
    assert (from_path(folder).name, from_path(folder).version) == ("small", None)


@pytest.mark.parametrize("begin", [b"", b"\xef\xbb\xbf"])
def test_a_manifest_may_begin_with_a_byte_order_mark(tmp_path: Path, begin: bytes) -> None:
    folder = engine(tmp_path, FIRST_TWO)
    (folder / "plugin.yaml").write_bytes(begin + b"name: other\nversion: 2\n")
    assert (from_path(folder).name, from_path(folder).version) == ("other", "2")


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo])
def test_a_manifest_that_is_no_file_is_not_waited_for(make: Callable[[Path], None], tmp_path: Path) -> None:
    folder = engine(tmp_path, FIRST_TWO)
    (folder / "plugin.yaml").unlink()
    make(folder / "plugin.yaml")
    assert from_path(folder).name == "small"


def test_a_pipe_among_the_sources_of_a_plugin_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(engine(tmp_path / "plugins", FIRST_TWO) / "a.py")
    assert "small" in [one.name for one in discover(tmp_path, None)]
