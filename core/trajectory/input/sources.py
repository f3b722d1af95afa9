"""The files an INPUT names, and how a changed file is noticed."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from core.errors import NotFoundError
from core.trajectory.input.files import filesystem, is_remote

PLAIN, GZIP, ZSTD, PARQUET = "jsonl", "gzip", "zstd", "parquet"
_ENDINGS = {".parquet": PARQUET, ".gz": GZIP, ".zst": ZSTD}
_WANTED = (".jsonl", ".jsonl.gz", ".jsonl.zst", ".parquet")
_GLOB = "*?["


@dataclass(frozen=True, slots=True)
class Source:
    """One file of the input.

    Attributes:
        path: Absolute, or a URL.
        name: Below the folder the input names; the name of an output file of its own.
        kind: How it is read.
        stamp: When it was last changed; with the size, what a changed file is known by.
    """

    path: str
    name: str
    kind: str
    size: int
    stamp: str

    @property
    def identity(self) -> list[object]:
        """What a manifest keeps of the file, to notice when it has changed."""
        return [self.path, self.size, self.stamp]


@dataclass(frozen=True, slots=True)
class Input:
    """An input as it was named, and the files it holds.

    Attributes:
        many: A folder or a pattern, which may hold any number of files.
    """

    sources: tuple[Source, ...]
    many: bool


def find_input(named: str) -> Input:
    """The files a path, a folder, a pattern or a URL names, in the order of their names.

    Raises:
        NotFoundError: There are none, or one cannot be read.
    """
    if is_remote(named):
        return _remote(named)
    path = Path(named).expanduser()
    if path.is_dir():
        return _local(_wanted(path), path, many=True, named=named)
    if path.exists():
        return _local([path], path.parent, many=False, named=named)
    if any(sign in named for sign in _GLOB):
        paths = [Path(one) for one in sorted(glob.glob(str(path), recursive=True)) if os.path.isfile(one)]
        above = Path(os.path.commonpath([one.parent for one in paths])) if paths else path
        return _local(paths, above, many=True, named=named)
    raise NotFoundError("no such file or folder", where=named, remedy="Check the path")


def kind_of(name: str) -> str:
    """How a file of this name is read."""
    return next((kind for ending, kind in _ENDINGS.items() if name.endswith(ending)), PLAIN)


def _wanted(folder: Path) -> list[Path]:
    try:
        return [one for one in sorted(folder.iterdir()) if one.name.endswith(_WANTED) and one.is_file()]
    except OSError as error:
        raise NotFoundError(f"cannot be read ({error.strerror})", where=str(folder)) from error


def _local(paths: Iterable[Path], above: Path, *, many: bool, named: str) -> Input:
    sources = tuple(_source(path, above) for path in paths)
    if not sources:
        raise NotFoundError(
            "no trajectories here", where=named, remedy=f"Looked for files ending in {', '.join(_WANTED)}"
        )
    return Input(sources, many)


def _source(path: Path, above: Path) -> Source:
    try:
        state = path.stat()
        with path.open("rb"):
            pass
    except OSError as error:
        raise NotFoundError(f"cannot be read ({error.strerror})", where=str(path)) from error
    name = path.relative_to(above).as_posix()
    return Source(str(path.absolute()), name, kind_of(path.name), state.st_size, str(state.st_mtime_ns))


def _remote(named: str) -> Input:
    store = filesystem(named)
    many = any(sign in named for sign in _GLOB) or store.isdir(named)
    if store.isdir(named):
        found = [one for one in sorted(store.ls(named, detail=False)) if one.endswith(_WANTED)]
    else:
        found = sorted(store.glob(named)) if many else [named] * bool(store.exists(named))
    if not found:
        raise NotFoundError("no trajectories here", where=named, remedy="Check the URL")
    sources = []
    for one in found:
        about = store.info(one)
        stamp = next((str(about[key]) for key in ("ETag", "etag", "mtime", "created") if about.get(key)), "")
        path = one if is_remote(one) else store.unstrip_protocol(one)
        name = path.rsplit("/", 1)[-1]
        sources.append(Source(path, name, kind_of(name), int(about["size"]), stamp))
    return Input(tuple(sources), many)
