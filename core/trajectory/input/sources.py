"""Finds the files of an INPUT, local or (extra `remote`) at any fsspec URL, and notices changed files."""

from __future__ import annotations

import glob
import io
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from core.errors import ConfigError, NotFoundError

PLAIN, GZIP, ZSTD, PARQUET = "jsonl", "gzip", "zstd", "parquet"
_ENDINGS = {".parquet": PARQUET, ".gz": GZIP, ".zst": ZSTD}
_WANTED = (".jsonl", ".jsonl.gz", ".jsonl.zst", ".parquet")
_GLOB = "*?["
_SCHEME = "://"
_UNFINISHED = ".unfinished"
_BUFFER = 2**20


@dataclass(frozen=True, slots=True)
class Source:
    """A file of the input.

    Attributes:
        path: An absolute path, or a URL.
        name: Its path below the input's folder, and the name of its own output file.
        kind: How it is read.
        stamp: Time of the last change; with the size it shows whether a file changed.
    """

    path: str
    name: str
    kind: str
    size: int
    stamp: str

    @property
    def identity(self) -> list[object]:
        """What a manifest stores of the file to notice changes."""
        return [self.path, self.size, self.stamp]


@dataclass(frozen=True, slots=True)
class Input:
    """An input as named by the user, and its files.

    Attributes:
        many: Whether it is a folder or a pattern, which may have any number of files.
    """

    sources: tuple[Source, ...]
    many: bool


def find_input(named: str) -> Input:
    """The files that a path, folder, pattern or URL names, sorted by name.

    Raises:
        NotFoundError: There are none, or one cannot be read.
    """
    if is_remote(named):
        return _remote(named)
    path = Path(os.path.expanduser(named))
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


def is_remote(path: str) -> bool:
    """Whether a path is a URL."""
    return _SCHEME in path


def filesystem(url: str) -> Any:
    """The fsspec file system of a URL.

    Raises:
        ConfigError: fsspec, or what it needs for this kind of URL, is not installed.
    """
    try:
        import fsspec

        return fsspec.core.url_to_fs(url)[0]
    except (ImportError, ValueError) as error:
        raise ConfigError(
            f"this URL cannot be opened ({error})", where=url, remedy="pip install 'hermes-inspector[remote]'"
        ) from None


def joined(folder: str, name: str) -> str:
    """A name below a folder or URL."""
    return f"{folder.rstrip('/')}/{name}" if is_remote(folder) else os.path.join(folder, name)


def opened(path: str) -> IO[bytes]:
    """Open a file for reading."""
    if is_remote(path):
        return io.BufferedReader(filesystem(path).open(path, "rb"), _BUFFER)  # whose lines have a limit
    return open(path, "rb", buffering=_BUFFER)


@contextmanager
def replaced(path: str, *, sync: bool = True) -> Iterator[IO[bytes]]:
    """Write a new file that gets its name only once it is complete, and with `sync` survives a loss of power.

    Raises:
        OSError: It cannot be written; nothing of it is left.
    """
    if is_remote(path):
        with filesystem(path).open(path, "wb") as stream:  # an object appears when it is closed
            yield stream
        return
    unfinished = f"{path}.{os.getpid()}{_UNFINISHED}"
    try:
        with open(unfinished, "wb") as stream:
            yield stream
            stream.flush()
            if sync:
                os.fsync(stream.fileno())
        os.replace(unfinished, path)
    finally:
        with suppress(OSError):
            os.unlink(unfinished)


def drop_unfinished(path: str) -> None:
    """Remove the unfinished file of a killed process."""
    if not is_remote(path):
        for left in glob.glob(f"{glob.escape(path)}.*{_UNFINISHED}"):
            with suppress(OSError):
                os.unlink(left)


def size_of(path: str) -> int | None:
    """Bytes of a file; None if it does not exist."""
    if is_remote(path):
        store = filesystem(path)
        store.invalidate_cache()
        return int(store.info(path)["size"]) if store.exists(path) else None
    try:
        return os.path.getsize(path)
    except OSError:
        return None


def make_folder(path: str) -> None:
    """Create a folder and its parents."""
    if is_remote(path):
        filesystem(path).makedirs(path, exist_ok=True)
    else:
        Path(path).mkdir(parents=True, exist_ok=True)


def remove_folder(path: str) -> None:
    """Remove a folder with its contents, if it exists."""
    if is_remote(path):
        with suppress(FileNotFoundError):
            filesystem(path).rm(path, recursive=True)
    else:
        import shutil

        shutil.rmtree(path, ignore_errors=True)
