"""Part files put together in order: one output, or one for each file of the input."""

from __future__ import annotations

import gzip
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import IO, Any

from core.errors import ConfigError
from core.trajectory.input import files
from core.trajectory.input.cut import Shard
from core.trajectory.input.sources import GZIP, PARQUET, ZSTD, kind_of
from core.trajectory.shards.job import Job

_BUFFER = 2**20


def outputs(job: Job, output: str, *, folder: bool) -> dict[str, list[Shard]]:
    """The files a run writes, each with its shards.

    Args:
        job: The run.
        output: OUTPUT.
        folder: OUTPUT is a folder that takes a file for each of the input.
    """
    if not folder:
        return {output: list(job.shards)}
    found: dict[str, list[Shard]] = {
        files.joined(output, _own_name(source.name, source.kind)): [] for source in job.sources
    }
    names = list(found)
    for shard in job.shards:
        found[names[shard.source]].append(shard)
    return found


def join(job: Job, path: str, shards: Sequence[Shard]) -> int:
    """Put the parts of an output together; returns its bytes.

    Raises:
        OSError: A part cannot be read or the output not be written.
    """
    files.make_folder(path.rpartition("/")[0] or ".")
    with files.replaced(path) as raw, _packed(raw, kind_of(path)) as stream:
        for shard in shards:
            with files.opened(files.joined(job.parts, shard.name)) as part:
                shutil.copyfileobj(part, stream, _BUFFER)
    return files.size_of(path) or 0


def _own_name(name: str, kind: str) -> str:
    return f"{name}.jsonl" if kind == PARQUET else name


@contextmanager
def _packed(raw: IO[bytes], kind: str) -> Iterator[Any]:
    """What is written, compressed as its name says."""
    if kind == GZIP:
        with gzip.GzipFile(filename="", fileobj=raw, mode="wb", compresslevel=6, mtime=0) as stream:
            yield stream
    elif kind == ZSTD:
        try:
            import zstandard
        except ImportError:
            raise ConfigError(
                "writing .zst needs the library zstandard", remedy="pip install 'hermes-inspector[zstd]'"
            ) from None
        with zstandard.ZstdCompressor().stream_writer(raw, closefd=False) as stream:
            yield stream
    else:
        yield raw
