"""Parquet files, read with pyarrow (extra `parquet`), a row group at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from core.errors import ConfigError, NotFoundError
from core.trajectory.entries.spans import written
from core.trajectory.input.files import opened

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
