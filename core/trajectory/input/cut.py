"""Cutting an input into shards: pieces that are read, compressed and written independently."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from core.errors import ConfigError, NotFoundError
from core.trajectory.entries.spans import written
from core.trajectory.input.files import opened
from core.trajectory.input.sources import PARQUET, PLAIN, Source

_ROWS = 64
"""Rows turned into text at once."""


def row_groups(path: str) -> int:
    """How many row groups a file has."""
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


LEAST, MOST = 2 * 2**20, 256 * 2**20
"""Bytes of a shard: small enough to be done again and shared out evenly, large enough that few hold a set."""

_PARTS = 2_048


@dataclass(frozen=True, slots=True)
class Shard:
    """A piece of one file.

    Attributes:
        index: Its place in the whole input.
        source: Its file, by place in the input.
        start: First byte; in a parquet file the first row group. A line belongs to the shard it begins in.
        end: Behind the last one; None to the end of the file.
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
    """Bytes of a shard of this input: the same however many processes work on it."""
    return max(LEAST, min(MOST, sum(source.size for source in sources) // _PARTS))


def cut(sources: Sequence[Source], size: int) -> tuple[Shard, ...]:
    """The shards of an input, in order; a compressed file is one: it can be read from its beginning only."""
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
