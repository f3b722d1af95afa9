"""Memory of an app that stays on: what is free goes back, and looks for garbage are short.

While Hermes writes, lists of thousands of numbers are made anew each second, in threads. glibc gives each
thread a heap of its own and keeps in it what was freed: 22 MB in 80 s for a conversation of 9,000 messages,
8 with `give_back`. Columns of 4,000 numbers and more are mapped by themselves: with a limit of 64 KB, holes
between them took half of what an open conversation grew by.

A look for garbage holds every thread. With 50,000 new objects to a look, one among the last of them took
up to 116 ms on a conversation of 12,000 messages; with `short_looks` up to 30.
"""

from __future__ import annotations

import gc
import sys
from contextlib import suppress

_LARGE = 16 * 1024
"""Bytes from which a piece of memory is mapped by itself, and goes back when it is freed."""
_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8
"""As malloc.h numbers them."""
_NEW, _YOUNG, _OLD = 10_000, 5, 100
"""New objects to a look among them, such looks to one among the last, and those to one through all."""


def short_looks() -> None:
    """Look for garbage often and among little; what is there by now stays to the end and is passed over."""
    gc.freeze()
    gc.set_threshold(_NEW, _YOUNG, _OLD)


def give_back() -> None:
    """From now on; nothing where another library than glibc allocates."""
    if not sys.platform.startswith("linux"):
        return
    import ctypes

    with suppress(AttributeError, OSError):
        mallopt = ctypes.CDLL(None).mallopt
        for option, value in ((_ARENA_MAX, 1), (_MMAP_THRESHOLD, _LARGE), (_TRIM_THRESHOLD, _LARGE)):
            mallopt(option, value)
