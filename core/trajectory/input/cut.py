"""Cuts an input into shards, and reads their lines: memory holds the longest line, never the file."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import IO, Any

from core.errors import ConfigError, InspectorError, NotFoundError
from core.trajectory.entries.spans import written
from core.trajectory.input.sources import GZIP, PARQUET, PLAIN, ZSTD, Source, opened

_ROWS = 64
"""Rows converted to text at once."""

MIN_SHARD, MAX_SHARD = 2 * 2**20, 256 * 2**20
"""Bytes of a shard: small enough to repeat and to share out evenly, large enough that a set has few."""

_PARTS = 2_048
MAX_LINE = 256 * 2**20
"""Bytes up to which a line is read whole; a longer one is passed on in pieces."""

_BUFFER = 2**20


def row_groups(path: str) -> int:
    """The number of row groups of a file."""
    with opened(path) as stream:
        return int(_file(stream, path).num_row_groups)


def rows(path: str, group: int) -> Iterator[bytes]:
    """The rows of a group, each a line of JSON."""
    with opened(path) as stream:
        for batch in _file(stream, path).iter_batches(batch_size=_ROWS, row_groups=[group]):
            for row in batch.to_pylist():
                yield f"{written(row)}\n".encode()


def _file(stream: Any, path: str) -> Any:
    try:
        from pyarrow import ArrowException
        from pyarrow.parquet import ParquetFile
    except ImportError:
        raise ConfigError(
            "reading parquet needs the library pyarrow",
            where=path,
            remedy="pip install 'hermes-inspector[parquet]'",
        ) from None
    try:
        return ParquetFile(stream)
    except (ArrowException, OSError) as error:
        raise NotFoundError(f"no parquet file ({error})", where=path) from error


@dataclass(frozen=True, slots=True)
class Shard:
    """A piece of a file.

    Attributes:
        index: Its index in the whole input.
        source: Index of its file in the input.
        start: First byte; in a parquet file the first row group. A line belongs to the shard it begins in.
        end: The byte after the last one; None for the end of the file.
    """

    index: int
    source: int
    start: int
    end: int | None

    @property
    def name(self) -> str:
        """Name of its part file."""
        return f"part-{self.index:06d}.jsonl"


def shard_size(sources: Sequence[Source]) -> int:
    """Bytes of a shard of this input, independent of the number of processes."""
    return max(MIN_SHARD, min(MAX_SHARD, sum(source.size for source in sources) // _PARTS))


def cut(sources: Sequence[Source], size: int) -> tuple[Shard, ...]:
    """The shards of an input, in order; a compressed file is one, as it can only be read from its start."""
    places = [(at, *bounds) for at, source in enumerate(sources) for bounds in _bounds(source, size)]
    return tuple(Shard(index, *place) for index, place in enumerate(places))


def _bounds(source: Source, size: int) -> Iterator[tuple[int, int | None]]:
    if source.kind == PARQUET:
        yield from ((group, group + 1) for group in range(row_groups(source.path)))
    elif source.kind != PLAIN or source.size <= size:
        yield 0, None
    else:
        count = -(-source.size // size)
        each = -(-source.size // count)  # all alike: a small last one would leave a processor idle
        yield from ((at * each, (at + 1) * each if at + 1 < count else None) for at in range(count))


class ReadFault(InspectorError):  # noqa: N818 - a kind of InspectorError, told apart by where it happened
    """A file of the input cannot be read further."""

    exit_code = 3


def read_lines(source: Source, shard: Shard) -> Iterator[bytes]:
    """The lines of a shard with their ends; a piece of a line over `MAX_LINE` has none.

    Raises:
        ReadFault: The file cannot be read, or is damaged.
        ConfigError: The library for this kind of file is not installed.
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
        line = stream.readline(MAX_LINE)
        if not line:
            return
        at += len(line)
        yield line
        while not line.endswith(b"\n") and len(line) == MAX_LINE:
            line = stream.readline(MAX_LINE)
            at += len(line)
            yield line


def _finish_line(stream: IO[bytes]) -> int:
    """Read to the end of a line that began earlier; returns the bytes read."""
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
