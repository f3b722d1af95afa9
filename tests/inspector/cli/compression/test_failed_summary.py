"""A summary that fails over the command line: reported for every release, and not written without asking."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from core.hermes.policy.policy import releases
from inspector.cli.main import run
from tests.core.compress.summarise.far_end import FarEnd, far_end
from tests.inspector.cli.conftest import Cli

SLOW = "Why is the deploy slow"


@pytest.fixture
def copy(home: Path, tmp_path: Path) -> Path:
    """A home of the samples that may be written to."""
    for side in home.glob("state.db-*"):
        side.unlink()
    return Path(shutil.copytree(home, tmp_path / "home"))


def asking(end: FarEnd, home: Path, *words: str) -> list[str]:
    server = ["--summariser", "openai", "--base-url", f"{end.root}/v1", "--model", "local"]
    return ["compress", SLOW, *server, "--home", str(home), *words]


def rows(home: Path) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(f"file:{home / 'state.db'}?mode=ro", uri=True)) as db:
        return list(db.execute("SELECT * FROM messages ORDER BY id"))


@pytest.mark.parametrize("release", releases())
def test_a_refused_key_is_reported_whatever_the_release_says(release: str, home: Path, cli: Cli) -> None:
    with far_end("401") as end:
        found = cli(*asking(end, home, "--release", release, "--json")).json
        if release == releases()[-1]:  # people read the same in each
            assert (
                "The summary failed (the key was refused" in cli(*asking(end, home, "--release", release)).out
            )
    assert found["failure"].startswith("the key was refused")
    assert found["usage"] is None


def test_what_was_made_by_rule_is_not_written_unasked(
    copy: Path, capsys: pytest.CaptureFixture[str], cli: Cli
) -> None:
    before = rows(copy)
    with far_end("404") as end:
        words = asking(end, copy, "--release", "0.18", "--apply", "--yes", "--force", "activity,writer")
        shown = cli(*words, code=1)
        assert rows(copy) == before
        assert "--accept-fallback" in shown.err
        assert shown.err.strip().count("\n") == 0
        assert run([*words, "--accept-fallback", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["applied"] is True
    assert rows(copy) != before


def test_accepting_a_fallback_goes_with_writing(home: Path, cli: Cli) -> None:
    assert "--apply" in cli("compress", SLOW, "--accept-fallback", "--home", home, code=2).err
