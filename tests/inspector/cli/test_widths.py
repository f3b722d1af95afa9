"""Every command fits the terminal, at any width, and breaks no word that fits on a line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from inspector.cli.table import Column, lines
from inspector.terminal.text import cell_len
from inspector.terminal.wrap import broken
from tests.core.store.database import SessionDatabase
from tests.inspector.cli.conftest import Cli

AUTH = "Refactor the auth module"
COMMANDS = (
    "sessions", "sessions --all", "usage", "usage --by day", "usage --by model", "status", "doctor",
    "engines", "findings", "search the", "watch --once", "config", "undo --list", "explain-error overloaded",
)  # fmt: skip
OF_SESSION = (
    "show", "show --full", "why", "why --turns --decisions --what-if", "plan", "compress", "compress --diff",
    "compress --compare-focus tests", "cache", "chain", "findings", "results", "recall the",
)  # fmt: skip
CJK = "把租户设置表拆成两张，不要动已经发布的迁移。" * 8
EMOJI = "👩‍👩‍👧‍👦 🇩🇪 ship it 🚀" * 12


@pytest.fixture(scope="module")
def hostile_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home whose titles and messages are wide, long, without blanks, or act on a terminal."""
    home = tmp_path_factory.mktemp("hostile")
    with SessionDatabase(home / "state.db") as database:
        for place, title in enumerate(
            (CJK, EMOJI, "x" * 300, "\x1b]0;owned\x07 [/nope]", "/a/long/path" * 20)
        ):
            session = f"s{place}"
            database.session(session, title=title[:90], model=f"model/{'y' * 70}", source="cli")
            for words in (CJK, EMOJI, "z" * 500, title):
                database.turn(session, words)
    return home


def _too_long(words: list[str], home: Path, widths: tuple[int, ...], cli: Cli) -> list[tuple[int, str]]:
    """Lines that do not fit, with the width of the terminal."""
    found: list[tuple[int, str]] = []
    with pytest.MonkeyPatch.context() as patch:
        for width in widths:
            patch.setenv("COLUMNS", str(width))
            shown = cli(*words, "--home", home, code=None)
            assert "unexpected error" not in shown.err
            found += [(width, line) for line in shown.out.splitlines() if cell_len(line) > width]
    return found


def _words(command: str, session: str) -> list[str]:
    name, *rest = command.split()
    return [name, *([session] if command in OF_SESSION else []), *rest]


@pytest.mark.parametrize("command", [*COMMANDS, *OF_SESSION])
def test_no_line_is_longer_than_the_terminal(command: str, sample_home: Path, cli: Cli) -> None:
    assert _too_long(_words(command, AUTH), sample_home, (40, 80), cli) == []


@pytest.mark.parametrize("command", [*COMMANDS, *OF_SESSION])
def test_a_hostile_home_fits_too(command: str, hostile_home: Path, cli: Cli) -> None:
    asked = {"s0": (40, 120), "s1": (57, 200), "s2": (40,)}  # they differ in their titles alone
    for session, widths in asked.items() if command in OF_SESSION else (("", (40, 57, 120, 200)),):
        assert _too_long(_words(command, session), hostile_home, widths, cli) == []


TEXTS = st.text(st.sampled_from("ab/.-, 中文🚀é"), max_size=300)


@given(TEXTS, st.integers(20, 200))
def test_wrapping_loses_nothing_but_blanks_and_breaks_no_word_that_fits(text: str, width: int) -> None:
    rows = [(before, text[start:end]) for before, (start, end) in broken(text, width)]
    assert "".join(row for _, row in rows).replace(" ", "") == text.replace(" ", "")
    assert all(cell_len(before) + cell_len(row) <= width for before, row in rows)
    words = {word for word in text.split(" ") if cell_len(word) <= width * 2 // 3}
    assert words <= {word for _, row in rows for word in row.split(" ")} | {""}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(TEXTS, TEXTS, st.integers(0, 10**9)), max_size=6), st.integers(40, 200))
@example([("a" * 12, "a" * 12, 10**9)], 40)
def test_a_table_fits_and_cuts_no_number(
    monkeypatch: pytest.MonkeyPatch, rows: list[tuple[str, str, int]], width: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    columns = (
        Column("a name", shrinks=True),
        Column("text", shrinks=True, wraps=True),
        Column("n", right=True),
    )
    table = lines(columns, ([a, b, f"{n:,}"] for a, b, n in rows))
    assert [line for line in table if cell_len(line) > width] == []
    told = set(re.findall(r"[\d,]+", "\n".join(table)))
    assert {f"{n:,}" for _, _, n in rows} <= told


def test_what_every_row_says_is_stated_once(monkeypatch: pytest.MonkeyPatch) -> None:
    columns = (Column("name"), Column("source", varies=True), Column("note", varies=True))
    assert lines(columns, [["a", "cli", ""], ["b", "cli", ""]]) == [
        "name",
        "a",
        "b",
        "in every row: source: cli",
    ]
    assert lines(columns, [["a", "cli", "x"]]) == ["name  source  note", "a     cli     x"]


def test_what_has_no_room_is_named_and_the_rest_stays_complete(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "24")
    columns = (Column("name"), Column("tokens", right=True), Column("session", rank=1))
    table = lines(columns, [["one", "1,234,567", "20261122_195120"]])
    assert table == ["name     tokens", "one   1,234,567", "no room for: session"]


def test_a_quotation_stays_on_its_row_and_ends_between_words(
    sample_home: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for command in ("findings", "doctor"):
        told = cli(command, "--home", sample_home).out.splitlines()
        cut = [line.strip().removesuffix("…") for line in told if line.endswith("…")]
        monkeypatch.setenv("COLUMNS", "400")
        whole = cli(command, "--home", sample_home).out
        monkeypatch.setenv("COLUMNS", "80")
        short = [one for one in cut if len(one.rpartition(" ")[2]) < 25 and f"{one}…" not in whole]
        assert short
        assert [one for one in short if f"{one} " not in whole] == []
