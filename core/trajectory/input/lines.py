"""The lines of one shard, one at a time: memory holds the longest, never the file."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from typing import IO

from core.errors import ConfigError, InspectorError
from core.trajectory.input.cut import Shard, rows
from core.trajectory.input.files import opened
from core.trajectory.input.sources import GZIP, PARQUET, ZSTD, Source

LONGEST = 256 * 2**20
"""Bytes of a line that is still read whole; a longer one is handed on in pieces."""

_BUFFER = 2**20


class ReadFault(InspectorError):  # noqa: N818 - a kind of InspectorError, told apart by where it happened
    """A file of the input cannot be read on."""

    exit_code = 3


def read_lines(source: Source, shard: Shard) -> Iterator[bytes]:
    """The lines of a shard with their ends; a piece of a line over `LONGEST` has none.

    Raises:
        ReadFault: The file cannot be read, or is damaged.
        ConfigError: What reads this kind of file is not installed.
    """
    try:
        yield from _lines(source, shard)
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ReadFault(f"cannot be read ({reason})", where=source.path) from error


def _lines(source: Source, shard: Shard) -> Iterator[bytes]:
    if source.kind == PARQUET:
        yield from rows(source.path, shard.start)
        return
    with opened(source.path) as raw:
        if source.kind == GZIP:
            yield from _pieces(io.BufferedReader(gzip.GzipFile(fileobj=raw), _BUFFER), 0, None)
        elif source.kind == ZSTD:
            yield from _zstd_lines(raw, source.path)
        else:
            yield from _pieces(raw, shard.start, shard.end)


def _pieces(stream: IO[bytes], start: int, end: int | None) -> Iterator[bytes]:
    at = start
    if start:
        stream.seek(start - 1)
        at = start - 1 + _finish_line(stream)
    while end is None or at < end:
        line = stream.readline(LONGEST)
        if not line:
            return
        at += len(line)
        yield line
        while not line.endswith(b"\n") and len(line) == LONGEST:
            line = stream.readline(LONGEST)
            at += len(line)
            yield line


def _finish_line(stream: IO[bytes]) -> int:
    """Read on to the end of a line that began before; returns the bytes read."""
    seen = 0
    while line := stream.readline(_BUFFER):
        seen += len(line)
        if line.endswith(b"\n"):
            break
    return seen


def _zstd_lines(raw: IO[bytes], path: str) -> Iterator[bytes]:
    try:
        import zstandard
    except ImportError:
        raise ConfigError(
            "reading .zst needs the library zstandard",
            where=path,
            remedy="pip install 'hermes-inspector[zstd]'",
        ) from None
    reader = zstandard.ZstdDecompressor().stream_reader(raw, read_across_frames=True)
    try:
        yield from _pieces(io.BufferedReader(reader, _BUFFER), 0, None)
    except zstandard.ZstdError as error:
        raise OSError(str(error)) from error
