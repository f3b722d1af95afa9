"""`results`: what became of tool results, what they cost, and whether their files are there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.compress.tool_results.arrival import Arriving, arrive
from core.compress.tool_results.replacement import Storage, result_sizes
from core.hermes.policy.policy import load_policy
from inspector.cli.main import run
from tests.core.explain.home import Home
from tests.inspector.cli.conftest import Cli, Json, Text

AUTH = "Refactor the auth module"
KEYS = {
    "row",
    "tool",
    "call_id",
    "tokens",
    "layer",
    "path",
    "readable",
    "calls_seen",
    "lifetime_tokens",
    "lifetime_usd",
    "stub",
}


def test_results_have_every_key_promised_and_come_most_expensive_first(as_json: Json) -> None:
    found = as_json("results", AUTH)
    assert found["results"]
    assert all(set(one) >= KEYS for one in found["results"])
    prices = [float(one["lifetime_usd"] or 0) for one in found["results"]]
    assert prices == sorted(prices, reverse=True)
    assert found["totals"]["results"] == len(found["results"])
    assert {one["readable"] for one in found["results"]} == {None}


def test_a_limit_shows_fewer_results_and_what_all_of_them_come_to_stays(as_text: Text, as_json: Json) -> None:
    whole, short = (as_text("results", AUTH, *limit) for limit in ((), ("--limit", "5")))
    assert whole.splitlines()[0] == short.splitlines()[0]
    assert "5 of 83 results" in short
    every, few = (as_json("results", AUTH, *limit) for limit in ((), ("--limit", "5")))
    assert few["results"] == every["results"][:5]
    assert few["totals"] == every["totals"]


def test_results_that_arrive_take_no_option_of_those_in_a_session(cli: Cli) -> None:
    for option in (("--limit", "1"), ("--check-files",)):
        assert "needs SESSION" in cli("results", "--incoming", "none.json", *option, code=2).err


@pytest.fixture
def saved(tmp_path: Path) -> tuple[Path, Path]:
    """A home whose session holds a result saved to a file, and that file, not there yet."""
    folder = tmp_path / "home"
    folder.mkdir()
    home = Home(folder)
    home.db.session("S")
    results = tmp_path / "hermes-results"
    sizes = result_sizes(load_policy("0.19").results, None)
    (one,) = arrive([Arriving("c1", "terminal", "x" * 150_000)], sizes, Storage(str(results))).results
    home.db.message("S", "user", "look")
    home.db.message("S", "assistant", "", calls=[("c1", "terminal", '{"command": "ls"}')])
    home.db.message("S", "tool", one.content, tool_call_id="c1", tool_name="terminal")
    home.db.message("S", "assistant", "done")
    home.db.connection.close()
    return folder, results / "c1.txt"


def _only(cli: Cli, home: Path, *words: str) -> Any:
    (one,) = cli("results", "S", "--home", home, "--json", *words).json["results"]
    return one


def test_a_saved_result_names_its_file_and_looks_for_it_only_when_asked(
    saved: tuple[Path, Path], cli: Cli
) -> None:
    home, file = saved
    one = _only(cli, home)
    assert (one["layer"], one["path"], one["readable"]) == ("persisted", str(file), None)
    assert one["original_chars"] == 150_000
    assert one["calls_seen"] == 1
    assert "terminal" in one["stub"]
    assert str(file) not in one["stub"]  # no release keeps the path when it prunes
    assert _only(cli, home, "--check-files")["readable"] is False
    file.parent.mkdir()
    file.touch()
    assert _only(cli, home, "--check-files")["readable"] is True


def test_a_file_kept_for_a_terminal_elsewhere_is_found_at_home_or_not_judged(
    saved: tuple[Path, Path], cli: Cli
) -> None:
    """Run with a docker, modal, ssh and daytona terminal: 0.22.2 always writes a copy to the home first."""
    home, _ = saved
    (home / "config.yaml").write_text("terminal:\n  backend: docker\n")
    assert _only(cli, home, "--check-files")["readable"] is None
    copies = home / "cache" / "spillover"
    copies.mkdir(parents=True)
    (copies / "c1.txt").touch()
    assert _only(cli, home, "--check-files")["readable"] is True


def test_another_window_would_replace_it_sooner(saved: tuple[Path, Path], cli: Cli) -> None:
    small = _only(cli, saved[0], "--release", "0.19", "--window", "16384")["would"]
    assert (small["outcome"], small["threshold"]) == ("persisted", 9_830)


def _arriving(tmp_path: Path, capsys: pytest.CaptureFixture[str], results: Any, *words: str) -> Any:
    path = tmp_path / "incoming.json"
    path.write_text(json.dumps(results))
    code = run(["results", "--incoming", str(path), "--json", *words])
    shown = capsys.readouterr()
    return json.loads(shown.out) if code == 0 else (code, shown.err)


def test_results_that_arrive_together_share_the_turns_budget(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    three = [{"id": str(i), "tool": "terminal", "content": "a" * 70_000} for i in range(3)]
    found = _arriving(tmp_path, capsys, three, "--release", "0.19")
    assert [one["layer"] for one in found["results"]] == ["turn", None, None]
    assert (found["turn_budget"], found["total_before"]) == (200_000, 210_000)
    lost = _arriving(tmp_path, capsys, three, "--release", "0.19", "--environment", "none")
    assert lost["results"][0]["outcome"] == "truncated"


@pytest.mark.parametrize("results", [{}, [1], [{"tool": "a", "content": 3}], [{"content": "a"}]])
def test_a_file_of_anything_else_is_refused_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], results: Any
) -> None:
    code, said = _arriving(tmp_path, capsys, results)
    assert code == 2
    assert len(said.strip().splitlines()) <= 2
    assert "Traceback" not in said


def test_a_release_that_deletes_such_files_says_that_an_old_one_is_probably_gone(
    saved: tuple[Path, Path], cli: Cli
) -> None:
    home, _ = saved
    assert [_only(cli, home, "--release", one)["expired"] for one in ("0.19", "0.22")] == [False, True]
    assert "probably gone" in cli("results", "S", "--home", home, "--release", "0.22").out


def test_each_release_has_its_own_caps_of_tools() -> None:
    """As the tools themselves cut what a server, a page, a process and a sub-agent gave them."""
    ran = {
        "0.13": (5_000, 8_000, 200_000, None, None),
        "0.18": (15_000, 8_000, 200_000, 24_000, None),
        "0.19": (15_000, 15_000, 200_000, 24_000, None),
        "0.22": (15_000, 15_000, 200_000, 24_000, 2_000_000),
    }
    tools = ("web_extract", "browser_navigate", "process", "delegate_task", "mcp_")
    for release, seen in ran.items():
        caps = dict(load_policy(release).results.tool_caps)
        assert tuple(caps.get(tool) for tool in tools) == seen, release
        assert caps["terminal"] == 50_000
