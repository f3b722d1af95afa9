"""Keeps the memory of a long-running app small, and its garbage collections short.

While Hermes writes, lists of thousands of numbers are created each second, in threads. glibc gives each
thread a heap of its own and keeps freed memory in it: 22 MB in 80 s for a conversation of 9,000 messages, but
8 MB with `give_back`. Columns of 4,000 numbers and more are mapped separately: with a limit of 64 KB, holes
between them took half of what an open conversation grew by.

A garbage collection stops every thread. With 50,000 new objects per collection, one of the middle generation
took up to 116 ms on a conversation of 12,000 messages; with `short_looks` up to 16 ms. These seldom reach
what survived two of them, such as each line that Textual draws, which refers to itself; so full collections
run too.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from threading import Thread

_LARGE = 16 * 1024
"""Bytes from which a block of memory is mapped separately, and so returned when it is freed."""
_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8
"""The numbers of these options in malloc.h."""
_BREATH, _SPARING = 5.0, 200
"""Seconds between full collections, which also return the heap's holes: 1 to 2 MB in 1 to 30 ms of a thread;
and the least multiple of the time the last one took."""
_NEW, _YOUNG, _OLD = 5_000, 5, 200
"""New objects per young collection, young ones per middle one, and middle ones per full one."""


def short_looks() -> None:
    """Collect garbage often and in small steps; objects that exist by now are never examined."""
    gc.freeze()
    gc.set_threshold(_NEW, _YOUNG, _OLD)


def give_back(forget: Callable[[], object]) -> None:
    """Return freed memory to the system from now on, in a thread; `forget` drops cached data before."""
    Thread(target=_tidy, args=(_trimmer(), forget), daemon=True).start()


def _trimmer() -> Callable[[int], object]:
    """Returns the heap's holes to the system; does nothing without glibc."""
    if sys.platform.startswith("linux"):
        import ctypes

        with suppress(AttributeError, OSError):
            libc = ctypes.CDLL(None)
            for option, value in ((_ARENA_MAX, 1), (_MMAP_THRESHOLD, _LARGE), (_TRIM_THRESHOLD, _LARGE)):
                libc.mallopt(option, value)
            trim: Callable[[int], object] = libc.malloc_trim
            return trim
    return lambda kept: None


def _tidy(trim: Callable[[int], object], forget: Callable[[], object]) -> None:
    """Collect everything but the modules, which are loaded by the first time."""
    took = 0.0
    while True:
        time.sleep(max(_BREATH, took * _SPARING))
        began = time.thread_time()
        forget()
        gc.collect()
        if not took:
            gc.freeze()
        trim(0)
        took = time.thread_time() - began
