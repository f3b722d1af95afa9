"""Real tokenizer counts: equal to tiktoken, offline, tolerant of any text."""

from __future__ import annotations

import multiprocessing
import os
import socket
import sqlite3
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.account.tokenizers import count as tokens
from core.account.tokenizers import vocabularies as vocabulary
from core.account.tokenizers.count import TokenCache, count_messages, digest, encoding_for
from core.account.tokenizers.vocabularies import PIECE, count_text
from core.errors import ConfigError
from core.model.transcript.message import Message

EXACT = [
    "gpt-4o",
    "openai/gpt-5.2",
    "gpt-4.1-mini",
    "o3",
    "o4-mini",
    "chatgpt-4o-latest",
    "gpt-oss-120b",
    "gpt-6",
]
OLD = ["gpt-4", "gpt-4-turbo", "gpt-3.5-turbo", "ft:gpt-3.5-turbo-0125:acme"]
FOREIGN = [
    "claude-opus-4-5",
    "anthropic/claude-sonnet-4.6",
    "deepseek-chat",
    "gemini-2.5-pro",
    "hermes-4-14b",
    "",
]


@pytest.mark.parametrize("model", EXACT)
def test_current_openai_models_are_counted_exactly(model: str) -> None:
    assert (encoding_for(model).name, encoding_for(model).exact) == ("o200k_base", True)


@pytest.mark.parametrize("model", OLD)
def test_older_openai_models_have_their_own_vocabulary(model: str) -> None:
    assert (encoding_for(model).name, encoding_for(model).exact) == ("cl100k_base", True)


@pytest.mark.parametrize("model", FOREIGN)
def test_a_model_with_a_private_tokenizer_is_approximate(model: str) -> None:
    assert encoding_for(model).exact is False


def test_counts_are_those_of_the_published_tokenizers() -> None:
    text = "def login(user): return hmac.compare_digest(a, b)  # 密码 пароль 🙂"
    assert count_text("hello world", "o200k_base") == 2
    assert count_text("hello world", "cl100k_base") == 2
    # Counted with another implementation of the same vocabularies.
    assert (count_text(text, "o200k_base"), count_text(text, "cl100k_base")) == (19, 20)


def test_the_network_is_never_touched(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a tokenizer opened a connection")

    monkeypatch.setattr(socket, "socket", refuse)
    vocabulary._build.cache_clear()
    assert count_text("offline", "cl100k_base") > 0


def test_a_vocabulary_with_other_bytes_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(vocabulary.SHA256, "cl100k_base", "0" * 64)
    vocabulary._build.cache_clear()
    with pytest.raises(ConfigError, match="not the published one"):
        vocabulary.encoding("cl100k_base")


def test_an_unknown_vocabulary_names_those_that_ship() -> None:
    with pytest.raises(ConfigError, match="cl100k_base and o200k_base"):
        vocabulary.encoding("p50k_base")


def test_special_tokens_in_a_text_are_ordinary_text() -> None:
    assert count_text("<|endoftext|>", "o200k_base") > 1


def test_a_million_spaces_do_not_make_the_tokenizer_panic() -> None:
    assert count_text(" " * 1_000_000, "o200k_base") < 10_000


@settings(max_examples=60, deadline=None)
@given(st.text(st.characters(codec=None), max_size=400))
def test_any_text_can_be_counted_lone_surrogates_too(text: str) -> None:
    assert 0 <= count_text(text, "o200k_base") <= 4 * len(text)


def test_a_text_longer_than_a_piece_loses_nothing() -> None:
    line = "a line of code that stands in a very long file\n"
    text = line * (2 * PIECE // len(line))
    assert abs(count_text(text, "o200k_base") - count_text(line, "o200k_base") * text.count("\n")) <= 4


def message(**wire: object) -> Message:
    return Message(wire)


def test_calls_and_texts_count_thinking_is_separate_and_images_weigh_nothing() -> None:
    call = {"id": "1", "function": {"name": "terminal", "arguments": '{"command": "ls"}'}}
    parts = [{"type": "text", "text": "hello world"}, {"type": "image_url", "image_url": {"url": "data:"}}]
    counts = count_messages(
        [
            message(role="user", content=parts),
            message(
                role="assistant", content="", tool_calls=[call], reasoning="hello", reasoning_content="hello"
            ),
        ],
        "gpt-5.2",
    )
    assert counts.counts[0] == 2
    assert counts.counts[1] >= 6
    assert counts.reasoning == (0, 1)
    assert counts.total == sum(counts.counts)


def test_counting_can_be_stopped() -> None:
    messages = [message(role="user", content=f"message {n}") for n in range(200)]
    stops = iter((False, False, True))
    counts = count_messages(messages, "gpt-5.2", cancelled=lambda: next(stops))
    assert len(counts.counts) == 128
    assert not counts.complete


def test_counts_with_and_without_a_cache_agree(tmp_path: Path) -> None:
    messages = [message(role="user", content=text) for text in ("one", "two \ud800", "one", "")]
    plain = count_messages(messages, "gpt-5.2")
    with TokenCache(tmp_path / "counts.db") as cache:
        assert count_messages(messages, "gpt-5.2", cache=cache) == plain
        assert count_messages(messages, "gpt-5.2", cache=cache) == plain


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


def test_where_nothing_can_be_written_counting_continues_without(tmp_path: Path) -> None:
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
