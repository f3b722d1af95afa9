"""What the app needed for a moment it does not hold for ever."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

PROGRAM = """
import sys
from threading import Thread
from core.support.heap import give_back

if sys.argv[1] == "yes":
    give_back(lambda: None)
kept = []

def work():
    for _ in range(20):
        lists = [(bytearray(b"x") * 100_000, kept.append(bytearray(600))) for _ in range(50)]

for _ in range(8):
    threads = [Thread(target=work) for _ in range(4)]
    [one.start() for one in threads]
    [one.join() for one in threads]
print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmRSS")))
"""
FORGETS = """
from core.support import heap
from threading import Event

heap._BREATH, told = 0.01, Event()
heap.give_back(told.set)
print(told.wait(20))
"""
LOOKS = """
import gc
from core.support.heap import short_looks

short_looks()
print(gc.get_freeze_count(), *gc.get_threshold())
"""


def held(give_back: str) -> int:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, give_back], capture_output=True, text=True, check=True
    )
    return int(done.stdout)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="glibc alone keeps what threads freed")
def test_threads_keep_no_heaps_of_what_they_freed() -> None:
    assert held("yes") < held("no") - 8_000


def test_what_was_kept_to_save_time_is_released_as_well() -> None:
    done = subprocess.run([sys.executable, "-c", FORGETS], capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"


def test_a_look_for_garbage_goes_through_little() -> None:
    done = subprocess.run([sys.executable, "-c", LOOKS], capture_output=True, text=True, check=True)
    frozen, new, young, _ = map(int, done.stdout.split())
    assert frozen > 1_000
    assert new * young <= 50_000
