"""The cache of token counts: saves work, and never gets in the way."""

from __future__ import annotations

import multiprocessing
import os
import sqlite3
from pathlib import Path

import pytest

from core.account.tokenizers import count as tokens
from core.account.tokenizers import vocabularies as vocabulary
from core.account.tokenizers.count_cache import TokenCache, digest
from core.model.transcript.message import Message


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "counts.db"


def test_a_count_is_found_again_in_the_next_run(path: Path) -> None:
    key = digest("a text")
    with TokenCache(path) as cache:
        cache.put("o200k_base", {key: 17})
    with TokenCache(path) as cache:
        assert cache.get("o200k_base", [key, digest("another")]) == {key: 17}
        assert cache.get("cl100k_base", [key]) == {}


def test_a_text_is_tokenized_once(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    messages = [Message({"role": "user", "content": "count me"})]
    with TokenCache(path) as cache:
        first = tokens.count_messages(messages, "gpt-5.2", cache=cache)

    def refuse(*_: object) -> int:
        raise AssertionError("counted again")

    monkeypatch.setattr(vocabulary, "count_text", refuse)
    with TokenCache(path) as cache:
        assert tokens.count_messages(messages, "gpt-5.2", cache=cache) == first


@pytest.mark.parametrize(
    "content", [b"not a database at all, just bytes" * 40, b"SQLite format 3\x00" + b"\xff" * 4096]
)
def test_a_damaged_file_is_replaced(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    with TokenCache(path) as cache:
        cache.put("o200k_base", {digest("x"): 1})
        assert cache.get("o200k_base", [digest("x")]) == {digest("x"): 1}


def test_a_file_of_another_shape_is_replaced(path: Path) -> None:
    path.parent.mkdir()
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE counts (something TEXT)")
    db.commit()
    db.close()
    with TokenCache(path) as cache:
        cache.put("o200k_base", {digest("x"): 1})
        assert cache.get("o200k_base", [digest("x")]) == {digest("x"): 1}


def test_where_nothing_can_be_written_counting_goes_on_without(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("a file where a folder should be")
    with TokenCache(blocked / "counts.db") as cache:
        cache.put("o200k_base", {digest("x"): 1})
        assert cache.get("o200k_base", [digest("x")]) == {}


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_a_read_only_folder_means_no_cache(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with TokenCache(tmp_path / "counts.db") as cache:
        cache.put("o200k_base", {digest("x"): 1})
        assert cache.get("o200k_base", [digest("x")]) == {}


def _fill(path: str, start: int) -> None:
    with TokenCache(Path(path)) as cache:
        for number in range(start, start + 40):
            cache.put("o200k_base", {digest(str(number)): number})


def test_several_processes_share_one_file(path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_fill, args=(str(path), start)) for start in (0, 20, 40)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert [worker.exitcode for worker in workers] == [0, 0, 0]
    with TokenCache(path) as cache:
        assert len(cache.get("o200k_base", [digest(str(n)) for n in range(80)])) == 80


def test_the_cache_lives_in_the_users_cache_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert TokenCache().path == tmp_path / "hermes-inspector" / "token-counts.db"
