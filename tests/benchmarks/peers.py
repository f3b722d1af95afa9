"""`python -m tests.benchmarks.peers`: this program and others that add up the same store, in one run.

Installs the others from their registries into a temporary folder, so it needs a network and is no part of
CI. Every command gets a copy of the store of its own, and its best time of several runs counts. Who lists
sessions is held against our list of sessions, who only adds up against our sums. A program that cannot be
installed, or that fails on the store, is reported as such.
"""

from __future__ import annotations

import argparse
import platform
import shutil
import subprocess
import sys
import tempfile
import venv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks import measure, stores

LIST: tuple[str, ...] = ("usage", "--json")
"""What we are asked for where others list every session."""
SUMS: tuple[str, ...] = (*LIST, "--by", "model")
"""... and where they add up."""
TARGET = 3.0
"""How many times faster than each of the others we mean to be."""
_PATIENCE = 300


@dataclass(frozen=True, slots=True)
class Peer:
    """Another program.

    Attributes:
        registry: `pypi` or `npm`.
        arguments: Of its command; `{home}` and `{db}` stand for the store.
        packages: What to install besides.
        ours: Our words for the same question.
    """

    name: str
    registry: str
    arguments: tuple[str, ...]
    packages: tuple[str, ...] = ()
    ours: tuple[str, ...] = LIST


# npm leaves optional packages out without a word, and ccusage does nothing without its own.
_BINARY = f"@ccusage/ccusage-{sys.platform}-{'arm64' if platform.machine() == 'aarch64' else 'x64'}"
_AGENTBURN = ("report", "--agent", "hermes", "--db", "{db}", "--days", "0", "--no-cache", "--json")
PEERS = (
    Peer("hermesd", "pypi", ("--hermes-home", "{home}", "--snapshot", "--snapshot-format", "json")),
    Peer("agentburn", "pypi", _AGENTBURN, ours=SUMS),
    Peer("ccusage", "npm", ("hermes", "session", "--json", "--offline"), (_BINARY,)),
)


def main() -> int:
    """Measure everybody; 1 when a peer that ran is not `TARGET` times slower."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.peers", description=__doc__)
    parser.add_argument("--sessions", type=int, default=20_000)
    parser.add_argument("--messages", type=int, default=40_000)
    parser.add_argument("--runs", type=int, default=measure.RUNS)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hermes-inspector-peers-") as scratch:
        folder = Path(scratch)
        large = stores.prepare(folder, sessions=args.sessions, messages=args.messages).large
        return _compare(large, folder, args.runs)


def _compare(large: Path, folder: Path, runs: int) -> int:
    ours = {words: _ours(large, words, runs) for words in (LIST, SUMS)}
    missed = 0
    for peer in PEERS:
        home = _home(large, folder / f"home-{peer.name}")
        try:
            command = _command(peer, folder, home)
            took = measure.process(command, runs=runs, HERMES_HOME=str(home)).seconds
        except (OSError, subprocess.SubprocessError) as error:
            _say(f"        –               {peer.name}: {_reason(error)}")
            continue
        missed += took < TARGET * ours[peer.ours]
        ratio = took / ours[peer.ours]
        _say(f"{took * 1000:>9.0f} ms  {ratio:>6.1f} x  {' '.join((peer.name, *peer.arguments))}")
    return 1 if missed else 0


def _ours(large: Path, words: tuple[str, ...], runs: int) -> float:
    took = measure.inspector("--db", str(large), *words, runs=runs).seconds
    _say(f"{took * 1000:>9.0f} ms            hermes-inspector {' '.join(words)}")
    return took


def _home(large: Path, home: Path) -> Path:
    home.mkdir()
    shutil.copyfile(large, home / "state.db")
    return home


def _command(peer: Peer, folder: Path, home: Path) -> list[str]:
    program = _from_pypi(peer, folder) if peer.registry == "pypi" else _from_npm(peer, folder)
    filled = (word.format(home=home, db=home / "state.db") for word in peer.arguments)
    return [str(program), *filled]


def _from_pypi(peer: Peer, folder: Path) -> Path:
    place = folder / f"venv-{peer.name}"
    venv.create(place, with_pip=True)
    _quietly([str(place / "bin" / "python"), "-m", "pip", "install", "--quiet", peer.name, *peer.packages])
    return place / "bin" / peer.name


def _from_npm(peer: Peer, folder: Path) -> Path:
    place = folder / f"npm-{peer.name}"
    _quietly(["npm", "install", "--silent", "--prefix", str(place), peer.name, *peer.packages])
    return place / "node_modules" / ".bin" / peer.name


def _quietly(command: Sequence[str]) -> None:
    subprocess.run(command, check=True, capture_output=True, timeout=_PATIENCE)


def _reason(error: Exception) -> str:
    if isinstance(error, subprocess.CalledProcessError):
        words = error.cmd if isinstance(error.cmd, str) else " ".join(map(str, error.cmd))
        return f"exit {error.returncode} from {words}"
    return str(error)


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
