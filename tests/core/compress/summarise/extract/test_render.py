"""How facts read below their headings."""

from __future__ import annotations

from core.compress.summarise.extract.fact_lines import FactLine
from core.compress.summarise.extract.sections import render

HEADINGS = ("Completed Actions", "Blocked", "Relevant Files")
LONG = "/home/someone/work/lanterns/src/harbour/count.py"


def written(*facts: FactLine) -> str:
    return render(facts, HEADINGS)


def test_a_long_path_is_written_out_once_in_the_list_of_files() -> None:
    body = written(
        FactLine("actions", f"patch {LONG} (x3) -> done", 1),
        FactLine("blocked", f"SyntaxError: no (patch {LONG})", 2),
        FactLine("files", f"{LONG} (changed)", 2),
    )
    assert "1. patch count.py (x3) -> done" in body
    assert "- SyntaxError: no (patch count.py)" in body
    assert body.count(LONG) == 1


def test_a_path_that_is_listed_nowhere_stays_complete() -> None:
    assert f"patch {LONG} -> done" in written(FactLine("actions", f"patch {LONG} -> done", 1))


def test_two_files_of_one_name_keep_their_paths() -> None:
    other = LONG.replace("harbour", "orchard")
    body = written(
        FactLine("actions", f"patch {LONG} -> done", 1),
        FactLine("files", f"{LONG} (changed)", 1),
        FactLine("files", f"{other} (read)", 2),
    )
    assert f"patch {LONG} -> done" in body


def test_a_command_is_never_changed() -> None:
    body = written(
        FactLine("actions", f"terminal cat {LONG} -> 5 lines", 1), FactLine("files", f"{LONG} (read)", 1)
    )
    assert f"terminal cat {LONG} -> 5 lines" in body
