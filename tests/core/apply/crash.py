"""Killing an apply or an undo at a random moment, and looking at what is left.

Run as a program to do it many times: `python -m tests.core.apply.crash 500`.
"""

from __future__ import annotations

import multiprocessing
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from multiprocessing.synchronize import Event
from pathlib import Path

from core.apply.database.snapshot import live_messages
from core.apply.execute import execute
from core.apply.journal import Journal
from core.apply.rehearse import rehearse, same_transcript
from core.apply.undo import recover, undo
from core.model.compaction.apply import ApplyMode, EntryState, Rehearsal
from core.store.store import Store
from tests.core.apply.material import check_integrity, conversation, dump, preview

_LOCKS = "compression_locks"
CASES = (("0.19", ApplyMode.IN_PLACE), ("0.22", ApplyMode.IN_PLACE), ("0.13", ApplyMode.CONTINUATION))


@dataclass(frozen=True)
class Outcome:
    """What one kill left behind.

    Attributes:
        applied: The compaction had reached the database.
        finished: The process was done before it could be killed.
    """

    applied: bool
    finished: bool


def templates(folder: Path) -> list[Rehearsal]:
    """For each case a conversation and what compressing it would write, to be used again and again."""
    made = []
    for release, mode in CASES:
        with Store(conversation(folder / f"{release}.db", release, turns=15)) as store:
            made.append(rehearse(store, "s", preview(store), mode))
    return made


def kill_once(
    folder: Path, template: Rehearsal, delay: float, undoing: bool, *, writing: bool = False
) -> Outcome:
    """Kill an apply (or an undo) after a delay; fails unless all is wholly before or wholly after.

    Args:
        delay: Seconds.
        undoing: Apply first, and kill the undo.
        writing: The delay begins with the transaction of an apply, not with all that comes before.
    """
    path, journal = folder / "state.db", Journal(folder / "journal.db")
    shutil.copy(template.database, path)
    rehearsal = replace(template, database=path)
    before = _rows(path)
    if undoing:
        done = execute(rehearsal, journal)
        finished = _killed(lambda: undo(journal, done.undo_id), delay)
    else:
        begun = multiprocessing.get_context("fork").Event()

        def tell(step: str) -> None:
            if step == "write":
                begun.set()

        finished = _killed(
            lambda: execute(rehearsal, journal, progress=tell), delay, begun if writing else None
        )
    assert check_integrity(path) == "ok"
    applied = _is_applied(path, journal, rehearsal, before)
    if applied:
        # The journal alone must be able to take it back.
        undo(journal, journal.entries()[0].id)
    assert _rows(path) == before
    return Outcome(applied, finished)


def _is_applied(path: Path, journal: Journal, rehearsal: Rehearsal, before: dict[str, object]) -> bool:
    recover(journal)
    with Store(path) as store:
        loaded = live_messages(store, rehearsal.target_id)
    applied = same_transcript(loaded, rehearsal.after)
    assert applied or _rows(path) == before, "neither before nor after"
    states = [entry.state for entry in journal.entries()]
    assert EntryState.PENDING not in states
    if EntryState.APPLIED in states and not applied:
        # Killed between the undo's commit and its note in the journal.
        assert undo(journal, journal.entries()[0].id).state is EntryState.UNDONE
    return applied


def _rows(path: Path) -> dict[str, object]:
    return {name: rows for name, rows in dump(path).items() if name != _LOCKS}


def _killed(work: Callable[[], object], delay: float, begun: Event | None = None) -> bool:
    process = multiprocessing.get_context("fork").Process(target=work)
    process.start()
    if begun is not None:
        begun.wait(30)
    time.sleep(delay)
    finished = not process.is_alive()
    process.kill()
    process.join()
    process.close()
    return finished


def main(times: int) -> None:
    """Kill so many times and say what was left."""
    counts: dict[str, int] = {}
    chance = random.Random(times)
    with tempfile.TemporaryDirectory(prefix="crash-") as scratch:
        cases = templates(Path(scratch))
        for number in range(times):
            undoing = number % 4 == 3
            folder = Path(scratch, str(number))
            folder.mkdir()
            writing = number % 2 == 0
            delay = chance.uniform(0.0, 0.06 if writing else 0.25)
            outcome = kill_once(folder, cases[number % len(cases)], delay, undoing, writing=writing)
            shutil.rmtree(folder)
            key = f"{'undo' if undoing else 'apply'}: {'after' if outcome.applied else 'before'}"
            key += " (done before the kill)" if outcome.finished else ""
            counts[key] = counts.get(key, 0) + 1
    for key, count in sorted(counts.items()):
        sys.stdout.write(f"{count:5} {key}\n")


if __name__ == "__main__":
    main(int(sys.argv[1]))
