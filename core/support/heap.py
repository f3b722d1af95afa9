"""Memory of an app that stays on: what is free goes back, and looks for garbage are short.

While Hermes writes, lists of thousands of numbers are made anew each second, in threads. glibc gives each
thread a heap of its own and keeps in it what was freed: 22 MB in 80 s for a conversation of 9,000 messages,
8 with `give_back`. Columns of 4,000 numbers and more are mapped by themselves: with a limit of 64 KB, holes
between them took half of what an open conversation grew by.

A look for garbage holds every thread. With 50,000 new objects to a look, one among the last of them took
up to 116 ms on a conversation of 12,000 messages; with `short_looks` up to 16. These seldom reach what
outlived two of them, such as each line Textual draws, which holds itself: so all is looked through as well.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from threading import Thread

_LARGE = 16 * 1024
"""Bytes from which a piece of memory is mapped by itself, and goes back when it is freed."""
_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8
"""As malloc.h numbers them."""
_BREATH, _SPARING = 5.0, 200
"""Seconds between two times all is looked through and the holes of the heap are given back, 1 to 2 MB in 1 to
30 ms of a thread; and at least so many times longer than that took."""
_NEW, _YOUNG, _OLD = 5_000, 5, 200
"""New objects to a look among them, such looks to one among the last, and those to one through all."""


def short_looks() -> None:
    """Look for garbage often and among little; what is there by now stays to the end and is passed over."""
    gc.freeze()
    gc.set_threshold(_NEW, _YOUNG, _OLD)


def give_back(forget: Callable[[], object] = lambda: None) -> None:
    """From now on.

    Args:
        forget: Lets go of what was kept to save time, each time before garbage is looked for.
    """
    Thread(target=_tidy, args=(_trimmer(), forget), daemon=True).start()


def _trimmer() -> Callable[[int], object]:
    """What gives the holes of the heap back; nothing where another library than glibc allocates."""
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
    """Look through all but the modules, which are there by the first time."""
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
