"""Files on this machine and, with the extra `remote`, at any URL that fsspec knows (`s3://`, `gs://`, `hdfs://`)."""

from __future__ import annotations

import glob
import io
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from core.errors import ConfigError

_SCHEME = "://"
_UNFINISHED = ".unfinished"
_BUFFER = 2**20


def is_remote(path: str) -> bool:
    """Whether a path is a URL."""
    return _SCHEME in path


def filesystem(url: str) -> Any:
    """What fsspec reads a URL with.

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
    """A file for reading."""
    if is_remote(path):
        return io.BufferedReader(filesystem(path).open(path, "rb"), _BUFFER)  # whose lines have a limit
    return open(path, "rb", buffering=_BUFFER)


@contextmanager
def replaced(path: str, *, sync: bool = True) -> Iterator[IO[bytes]]:
    """A new file that takes its name only when it is whole.

    Args:
        path: Its name.
        sync: Wait until it is on the disk, where a loss of power leaves it.

    Raises:
        OSError: It cannot be written; nothing is left of it.
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
    """Remove what a killed process left of a file it was writing."""
    if not is_remote(path):
        for left in glob.glob(f"{glob.escape(path)}.*{_UNFINISHED}"):
            with suppress(OSError):
                os.unlink(left)


def size_of(path: str) -> int | None:
    """Bytes of a file; None when there is none."""
    if is_remote(path):
        store = filesystem(path)
        store.invalidate_cache()
        return int(store.info(path)["size"]) if store.exists(path) else None
    try:
        return os.path.getsize(path)
    except OSError:
        return None


def make_folder(path: str) -> None:
    """A folder and those above it."""
    if is_remote(path):
        filesystem(path).makedirs(path, exist_ok=True)
    else:
        Path(path).mkdir(parents=True, exist_ok=True)


def remove_folder(path: str) -> None:
    """A folder and what is in it; one that is not there is no fault."""
    if is_remote(path):
        with suppress(FileNotFoundError):
            filesystem(path).rm(path, recursive=True)
    else:
        import shutil

        shutil.rmtree(path, ignore_errors=True)
