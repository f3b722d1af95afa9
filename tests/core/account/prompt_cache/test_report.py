"""The cache report of whole conversations: the samples', and those real releases left."""

from __future__ import annotations

import json
import lzma
import tarfile
from decimal import Decimal
from pathlib import Path
from shutil import copytree

import pytest

from core.account.pricing.price_book import PriceBook
from core.account.prompt_cache.report import CacheInputs, cache_report
from core.account.spending.ledger import collect
from core.compress.sizing.estimate import tool_tokens
from core.hermes.config.config import load_config
from core.hermes.log.read import Log, read_log
from core.hermes.log.record import Kind
from core.hermes.policy.policy import nearest_release
from core.model.accounting.prompt_cache import CacheReport
from core.model.transcript.storage import ToolPin
from core.store.database.locate import Location
from core.store.store import Store
from tests.core.account.homes import Book, tokens
from tests.core.account.prompt_cache.logs import line, log, utc
from tests.shared import shared

BOOK = PriceBook()


def report(home: Path, title: str, release: str = "0.19", *, with_log: bool = True) -> CacheReport:
    with Store(Location(home / "state.db", home)) as store:
        session = store.resolve(title)
        ids = [one.id for one in store.conversation(session.id).sessions]
        lines = read_log(home, ids) if with_log else Log()
        conversation, config = store.conversation(session.id), load_config(home)
        return cache_report(
            CacheInputs(store, conversation, store.messages, lines, release, config, prices=BOOK)
        )


def test_a_compaction_and_a_pause_are_distinguished(sample_home: Path) -> None:
    found = report(sample_home, "Refactor the auth module")
    assert [one.cause for one in found.breaks] == ["compaction", "ttl_expired", "compaction"]
    assert all(one.usd is not None and one.usd > 0 for one in found.breaks)
    assert (found.strategy, found.layout, found.ttl) == ("system_and_3", "native", "5m")


def test_every_switch_of_model_breaks_the_cache(sample_home: Path) -> None:
    found = report(sample_home, "Explain the query plan")
    assert [one.cause for one in found.breaks] == ["model_changed"] * 3


def test_breakpoints_count_from_the_live_messages_with_the_system_prompt_before(sample_home: Path) -> None:
    found = report(sample_home, "Rename the CLI flag")
    assert [point.index for point in found.breakpoints] == [-1, 3, 4, 5]
    prefix = [point.prefix_tokens or 0 for point in found.breakpoints]
    assert prefix == sorted(prefix)
    assert prefix[0] > 0


def test_022_marks_the_static_beginning_of_the_system_prompt_while_it_stands(
    sample_home: Path, tmp_path: Path
) -> None:
    home = copytree(sample_home, tmp_path / "home")
    (home / "SOUL.md").write_text("You are somebody else.")
    kept = report(sample_home, "Explain the query plan", release="0.22").breakpoints
    lost = report(home, "Explain the query plan", release="0.22").breakpoints
    assert [(point.index, point.prefix_tokens is None) for point in kept] == [
        (-2, True),
        (-1, True),
        (30, False),
        (31, False),
    ]
    assert [point.index for point in lost] == [-2, 30, 31]


def test_before_the_marker_of_the_tools_are_the_tools_alone(
    sample_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tools = ({"name": "terminal", "description": "Runs a command", "parameters": {"type": "object"}},)
    monkeypatch.setattr(Store, "tools", lambda *_: ToolPin("0.22.2", tools))
    found = report(sample_home, "Explain the query plan", release="0.22").breakpoints
    assert (found[0].index, found[0].prefix_tokens) == (-2, tool_tokens(tools, schema=True))


def test_a_summary_costs_the_mean_of_all_models_that_wrote_one(tmp_path: Path) -> None:
    book = Book(tmp_path / "state.db").session("s", model="opus", billing_provider="anthropic")
    book.usage("s", "cheap", "compression", **tokens(100, output=10, calls=3, actual_cost_usd=0.3))
    book.usage("s", "dear", "compression", **tokens(100, output=10, calls=1, actual_cost_usd=0.5))
    sizes = {0: 90_000, 40: 30_000}
    calls = (line(Kind.CALL, at, input=size, output=5, number=2) for at, size in sizes.items())
    lines = log(*calls, line(Kind.STARTED, 20), line(Kind.DONE, 30))
    with Store(book.path) as store:
        case = CacheInputs(store, store.conversation("s"), store.messages, lines, to_utc=utc)
        (payback,) = cache_report(case).paybacks
    assert payback.summariser_usd == Decimal("0.2")


def test_the_most_expensive_result_of_the_giant_conversation_is_the_giant(sample_home: Path) -> None:
    found = report(sample_home, "Where did the disk go")
    assert found.results[0].tool == "terminal"
    assert found.results[0].tokens > 20 * found.results[1].tokens
    assert found.results[0].calls == 27
    assert found.results[0].usd is not None


def test_a_copied_answer_is_not_another_call(sample_home: Path) -> None:
    found = report(sample_home, "Refactor the auth module")
    assert max(result.calls for result in found.results) <= len(found.calls)


def test_without_a_log_the_report_says_what_it_cannot_know(sample_home: Path) -> None:
    found = report(sample_home, "Refactor the auth module", with_log=False)
    assert (found.calls, found.breaks, found.log) == ((), (), False)
    assert found.breakpoints
    assert any("no log line" in note for note in found.notes)


def test_a_route_without_markers_says_why(sample_home: Path) -> None:
    found = report(sample_home, "Check the backups")
    assert (found.strategy, found.layout, found.breakpoints) == ("none", "none", ())
    assert found.advice is None


@pytest.fixture(scope="module")
def truth(tmp_path_factory: pytest.TempPathFactory) -> Path:
    packed = shared("truth/runs.tar.xz")
    target = tmp_path_factory.mktemp("truth")
    with lzma.open(packed) as stream, tarfile.open(fileobj=stream) as archive:
        archive.extractall(target, filter="data")
    return target


RUNS = [
    "0.13.0/preflight_64k",
    "0.16.0/continuation",
    "0.19.0/manual_focus",
    "0.19.0/overflow_400",
    "0.22.2/preflight_64k",
]


@pytest.mark.shared
@pytest.mark.parametrize("run", [run for run in RUNS if "overflow" not in run])
def test_buckets_equal_what_the_provider_answered_to_the_token(truth: Path, run: str) -> None:
    lines = map(json.loads, (truth / run / "requests.jsonl").read_text().splitlines())
    answered = [line for line in lines if line.get("prompt_tokens") is not None and not line["summary"]]
    with Store(truth / run / "home" / "state.db") as store:
        rows = [row for row in collect([store], by="task").ledger().rows if row.key != "compression"]
    assert sum(row.tokens.prompt or 0 for row in rows) == sum(one["prompt_tokens"] for one in answered)
    assert sum(row.tokens.cache_read or 0 for row in rows) == sum(one["cached"] for one in answered)


@pytest.mark.shared
@pytest.mark.parametrize("run", ["0.19.0/continuation", "0.19.0/preflight_64k", "0.22.2/preflight_64k"])
def test_summaries_equal_what_the_provider_answered_to_the_token(truth: Path, run: str) -> None:
    lines = map(json.loads, (truth / run / "requests.jsonl").read_text().splitlines())
    with Store(truth / run / "home" / "state.db") as store:
        (row,) = (row for row in collect([store], by="task").ledger().rows if row.key == "compression")
    assert row.tokens.prompt == sum(line["prompt_tokens"] for line in lines if line["summary"])


@pytest.mark.shared
@pytest.mark.parametrize("run", RUNS)
def test_real_breaks_are_compactions_and_new_processes(truth: Path, run: str) -> None:
    home = truth / run / "home"
    done = sum(
        "context compression done" in line for line in (home / "logs/agent.log").read_text().splitlines()
    )
    with Store(Location(home / "state.db", home)) as store:
        causes = []
        for row in store.conversations().rows:
            ids = [session.id for session in row.sessions]
            log, release = read_log(home, ids), nearest_release(run.split("/")[0])
            conversation = store.conversation(row.root.id)
            case = CacheInputs(store, conversation, store.messages, log, release)
            found = cache_report(case, results=False)
            causes += [one.cause for one in found.breaks]
    assert set(causes) <= {"compaction", "resume"}
    assert causes.count("compaction") <= done
    assert "compaction" in causes
