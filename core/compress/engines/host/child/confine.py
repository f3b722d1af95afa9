"""Limits for foreign code: memory, processor time, processes, and where it may write.

There are three layers, each for what the one before cannot do. The kernel limits memory, time and file sizes
everywhere. On Linux, Landlock also refuses any write outside the private folder, from whichever process. A
Python audit hook does the same elsewhere, and on every system refuses programs, networks and too many forks.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import signal
import struct
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

_MAX_PROCESSES = 8
_FILE_BYTES = 256 << 20
_MORE_PROCESSES = 64
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_NO_NEW_PRIVILEGES = 38
_PARENT_DEATH_SIGNAL = 1
_WRITES = sum(1 << bit for bit in (1, 4, 5, 6, 7, 8, 9, 10, 11, 12))
"""The rights of Landlock's first version that change something; reading and executing stay allowed."""
_LATER_WRITES = {2: 1 << 13, 3: 1 << 14}
"""The rights to move between folders and to truncate, by the version that introduced them."""
_FILE_WRITES = 1 << 1 | 1 << 14
_OWN_SIGNALS, _SCOPES_SINCE = 1 << 1, 6
"""Landlock's scope that keeps signals among its own processes, and the version that introduced it."""

_PROGRAMS = ("subprocess.Popen", "os.system", "os.posix_spawn", "os.exec", "os.startfile", "pty.spawn")
_SENDS = ("socket.connect", "socket.sendto", "socket.bind")
_REFUSED = {
    **dict.fromkeys(_PROGRAMS, "the host lets an engine start no programs"),
    **dict.fromkeys(_SENDS, "the host lets an engine use no network"),
}
_FORKS = ("os.fork", "os.forkpty")
_SIGNALS = ("os.kill", "os.killpg")
_CHANGES = {  # the positions of the paths that change
    "os.remove": (0,),
    "os.rename": (0, 1),
    "os.rmdir": (0,),
    "os.mkdir": (0,),
    "os.truncate": (0,),
    "os.chmod": (0,),
    "os.chown": (0,),
    "os.link": (1,),
    "os.symlink": (1,),
    "os.utime": (0,),
    "shutil.rmtree": (0,),
    "sqlite3.connect": (0,),
}
_ELSEWHERE = "the host lets an engine write in its own copy of the home only"


def confine(folder: str, memory: int, seconds: int) -> None:
    """Limit this process and all it starts, irrevocably: one folder to write to, bytes, processor seconds."""
    _limit(memory, seconds)
    _landlock(folder)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_end_with_parent)
    sys.addaudithook(_auditor(os.path.realpath(folder)))


def _end_with_parent() -> None:
    """End a process that an engine forked together with the engine, even from a session of its own."""
    if sys.platform.startswith("linux"):
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PARENT_DEATH_SIGNAL, int(signal.SIGKILL), 0, 0, 0)


def _limit(memory: int, seconds: int) -> None:
    with suppress(ImportError):  # none on Windows
        import resource

        limits = {
            "RLIMIT_AS": memory,
            "RLIMIT_CPU": seconds,
            "RLIMIT_FSIZE": _FILE_BYTES,
            "RLIMIT_CORE": 0,
            "RLIMIT_NPROC": _own_processes() + _MORE_PROCESSES,
        }
        for name, most in limits.items():
            with suppress(AttributeError, ValueError, OSError):
                kind = getattr(resource, name)
                hard = resource.getrlimit(kind)[1]
                most = most if hard == resource.RLIM_INFINITY else min(most, hard)
                resource.setrlimit(kind, (most, most))


def _own_processes() -> int:
    """Threads this user runs, which is what the kernel counts; a guess where that cannot be read."""
    try:
        owners = [os.stat(f"/proc/{name}").st_uid for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return 1000
    return 4 * owners.count(os.getuid())


def _landlock(folder: str) -> None:
    """Let the kernel refuse every write outside the folder, where it can."""
    if not sys.platform.startswith("linux"):
        return
    with suppress(OSError, AttributeError):
        call = ctypes.CDLL(None, use_errno=True).syscall
        version = call(_CREATE_RULESET, None, 0, 1)
        if version < 1:
            return
        rights = _WRITES + sum(right for since, right in _LATER_WRITES.items() if version >= since)
        rule_set = (rights, 0, _OWN_SIGNALS) if version >= _SCOPES_SINCE else (rights,)
        attributes = ctypes.create_string_buffer(struct.pack("Q" * len(rule_set), *rule_set))
        rules = call(_CREATE_RULESET, attributes, 8 * len(rule_set), 0)
        if rules < 0:
            return
        for place, allowed in ((folder, rights), ("/dev/null", rights & _FILE_WRITES)):
            handle = os.open(place, os.O_PATH | os.O_CLOEXEC)
            rule = ctypes.create_string_buffer(struct.pack("=Qi", allowed, handle))
            call(_ADD_RULE, rules, 1, rule, 0)
            os.close(handle)
        ctypes.CDLL(None).prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
        call(_RESTRICT_SELF, rules, 0)
        os.close(rules)


def _auditor(folder: str) -> Callable[[str, tuple[Any, ...]], None]:
    """An audit hook that refuses what the host does not allow."""
    forks = mmap.mmap(-1, 8)  # shared with every child, so that all use one allowance

    def may_write(path: Any) -> bool:
        if isinstance(path, int):
            return True
        text = os.fsdecode(path) if isinstance(path, str | bytes | os.PathLike) else ""
        if text in ("", ":memory:", os.devnull) or text.startswith("file:"):
            return True  # where the kernel has rules of its own, they still apply to a database by URI
        real = os.path.realpath(text)
        return real == folder or real.startswith(folder + os.sep)

    def audit(event: str, args: tuple[Any, ...]) -> None:
        """Refuse an event that would write elsewhere."""
        if event == "open":
            path, mode, flags = (*args, None, None, None)[:3]
            writes = isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC)
            if (writes or (isinstance(mode, str) and set(mode) & set("wax+"))) and not may_write(path):
                raise PermissionError(f"{_ELSEWHERE}: {path}")
        elif event in _CHANGES:
            for position in _CHANGES[event]:
                if position < len(args) and not may_write(args[position]):
                    raise PermissionError(f"{_ELSEWHERE}: {args[position]}")
        elif event in _REFUSED:
            raise PermissionError(_REFUSED[event])
        elif event in _SIGNALS and args[0] != os.getpid():
            raise PermissionError("the host lets an engine send no signals")
        elif event in _FORKS:
            used = int.from_bytes(forks[:8], "little") + 1
            forks[:8] = used.to_bytes(8, "little")
            if used > _MAX_PROCESSES:
                raise PermissionError(f"the host lets an engine start {_MAX_PROCESSES} processes at most")

    return audit
