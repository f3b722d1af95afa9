"""Files of a home that are none: pipes, folders, circles of links, other encodings, endless lines."""

from __future__ import annotations

import os
import random
import shutil
from pathlib import Path

from tests.damaged_homes.common import DEEP, DIGITS

_BOMB = "a0: &a0 {x: 1, y: 2}\n" + "".join(
    f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 10)}], k{n}: 1}}\n" for n in range(1, 9)
)
_SETTINGS = (
    f"model: {DEEP}", _BOMB, "model: [", "- a\n- b", "\x00\x01", "? " * 9_000, "- " * 9_000,
    "model: !!python/x y",
    "compression: {threshold: .nan, target_ratio: -5}", f"model: {{context_length: {DIGITS}}}",
    "model: {context_length: 99999999999999999999999}", "compression: {protect_last_n: -7, threshold: 1e400}",
    "context: {engine: [1, 2]}", "when: 2026-13-41", "a: &a [*a]", "9" * 70_000,
    "model: 3\nmodel: {default: x}",
)  # fmt: skip
_FILES = ("config.yaml", "logs/agent.log", "SOUL.md", "context_length_cache.yaml", "logs/agent.log.1")


def _settings(home: Path, dice: random.Random) -> None:
    (home / "config.yaml").write_text(dice.choice(_SETTINGS))


def _other_encoding(home: Path, dice: random.Random) -> None:
    path = home / dice.choice(_FILES)
    text = path.read_text() if path.exists() else "model: {default: x}\n"
    path.write_bytes(text.encode(dice.choice(("utf-16", "utf-16-le", "utf-32", "utf-8-sig", "cp037"))))


def _noise(home: Path, dice: random.Random) -> None:
    path = home / dice.choice(_FILES)
    path.write_bytes(dice.choice((dice.randbytes(70_000), b"\x00" * 70_000, b"\r" * 9_000, b"\xff\xfe\xfd")))


def _long_lines(home: Path, dice: random.Random) -> None:
    """Very long log lines, one of them without an end."""
    start = "2026-05-01 10:00:00,000 INFO x: conversation turn: session=a "
    text = dice.choice((start, "compressed: ", "session=", "")) + dice.choice("x[ é{\"'") * 3_000_000
    (home / "logs" / "agent.log").write_text(f"{start}\n{text}{dice.choice(('', chr(10)))}")


def _pipe(home: Path, dice: random.Random) -> None:
    path = home / dice.choice(("state.db", *_FILES))
    path.unlink(missing_ok=True)
    os.mkfifo(path)


def _links(home: Path, dice: random.Random) -> None:
    path = home / dice.choice(("state.db", "config.yaml", "logs/agent.log"))
    kept = path.with_name("kept")
    path.rename(kept)
    path.symlink_to(dice.choice((path.name, "nowhere", kept.name, "/dev/zero")))


def _folder_of_links(home: Path, dice: random.Random) -> None:
    """Folders that lead back to where they are."""
    for name in dice.sample(("plugins", "profiles", "skills", "sessions", "logs/a"), 3):
        path = home / name
        if not os.path.lexists(path):
            path.symlink_to(dice.choice((".", "..", "/", path.name)))


def _folders(home: Path, dice: random.Random) -> None:
    path = home / dice.choice(("state.db", *_FILES, "state.db-wal", "state.db-shm"))
    path.unlink(missing_ok=True)
    path.mkdir()


def _closed(home: Path, dice: random.Random) -> None:
    shutil.rmtree(home / "logs")
    home.chmod(dice.choice((0o500, 0o555)))


def _unreadable(home: Path, dice: random.Random) -> None:
    for name in dice.sample(("state.db", "config.yaml", "logs/agent.log", "logs"), 2):
        (home / name).chmod(0)


DAMAGES = (
    _settings, _other_encoding, _noise, _long_lines, _pipe, _links, _folder_of_links, _folders, _closed,
    _unreadable,
)  # fmt: skip
