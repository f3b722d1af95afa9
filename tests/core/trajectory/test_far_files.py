"""Files at a URL."""

from __future__ import annotations

from typing import Any

import pytest

from core.trajectory.input import sources

DATA = b"one line\nand another\n"


def test_lines_of_a_file_at_a_url_are_read_up_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = pytest.importorskip("fsspec.spec")

    class Far(spec.AbstractBufferedFile):  # type: ignore[misc, name-defined]
        def _fetch_range(self, start: int, end: int) -> bytes:
            return DATA[start:end]

    class Store(spec.AbstractFileSystem):  # type: ignore[misc, name-defined]
        def open(self, path: str, mode: str = "rb", *given: Any, **named: Any) -> Any:
            return Far(self, path, mode, size=len(DATA))

    monkeypatch.setattr(sources, "filesystem", lambda url: Store())
    with sources.opened("far://set/in.jsonl") as stream:
        assert [stream.readline(4), stream.readline(40), stream.readline(40)] == [
            b"one ",
            b"line\n",
            b"and another\n",
        ]
