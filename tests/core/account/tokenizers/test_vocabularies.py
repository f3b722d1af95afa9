"""A tokenizer in a process of its own: the same counts, and its memory goes when it ends."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.account.tokenizers import vocabularies as tokenizer_process
from core.account.tokenizers.count import TokenCache, count_messages
from core.account.tokenizers.vocabularies import TokenizerProcess, count_texts, serve
from core.model.transcript.message import Message

TEXTS = ["hello world", "two\nlines", "密码 🙂", "half a pair \ud83d", "<|endoftext|>", "\x00 and \u2028"]


def test_it_counts_what_this_process_counts() -> None:
    with TokenizerProcess() as tokenizer:
        for name in ("o200k_base", "cl100k_base"):
            assert tokenizer.count(TEXTS, name) == count_texts(TEXTS, name)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.text(st.characters(codec=None), max_size=60), max_size=4))
def test_any_text_crosses_the_pipe(texts: list[str]) -> None:
    answers = io.BytesIO()
    serve([json.dumps(["o200k_base", *texts]).encode()], answers)
    assert json.loads(answers.getvalue()) == count_texts(texts, "o200k_base")


def test_the_vocabulary_is_loaded_there_and_not_here() -> None:
    code = """if True:
        import sys
        from core.account.tokenizers.vocabularies import TokenizerProcess
        with TokenizerProcess() as tokenizer:
            assert tokenizer.count(["hello world"], "o200k_base") == [2]
        assert "tiktoken" not in sys.modules
    """
    subprocess.run([sys.executable, "-c", code], check=True)


def test_it_starts_with_the_first_text_and_ends_with_the_block(monkeypatch: pytest.MonkeyPatch) -> None:
    children: list[subprocess.Popen[bytes]] = []
    start = tokenizer_process._start

    def remember(child: subprocess.Popen[bytes]) -> subprocess.Popen[bytes]:
        children.append(child)
        return child

    monkeypatch.setattr(tokenizer_process, "_start", lambda: remember(start()))
    with TokenizerProcess() as tokenizer:
        assert tokenizer.count([], "o200k_base") == []
        assert children == []
        tokenizer.count(["one"], "o200k_base")
        tokenizer.count(["two"], "o200k_base")
        assert len(children) == 1
    assert children[0].returncode == 0


def test_texts_counted_before_start_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    messages = [Message({"role": "user", "content": "count me"})]
    with TokenCache(tmp_path / "counts.db") as cache:
        first = count_messages(messages, "gpt-5.2", cache=cache)
        monkeypatch.setattr(tokenizer_process, "_start", lambda: pytest.fail("a process was started"))
        with TokenizerProcess() as tokenizer:
            assert count_messages(messages, "gpt-5.2", cache=cache, count=tokenizer.count) == first


@pytest.mark.parametrize("command", [("-c", "raise SystemExit(3)"), ("-c", "print('no counts')")])
def test_where_the_child_fails_this_process_counts(
    command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tokenizer_process, "COMMAND", command)
    with TokenizerProcess() as tokenizer:
        assert tokenizer.count(["hello world"], "o200k_base") == [2]
        assert tokenizer.count(["hello world"], "o200k_base") == [2]


def test_where_no_process_can_be_started_this_one_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with TokenizerProcess() as tokenizer:
        assert tokenizer.count(["hello world"], "o200k_base") == [2]


def test_modules_of_the_folder_the_user_is_in_are_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "core").mkdir()
    (tmp_path / "core" / "__init__.py").write_text("open('ran', 'w')")
    monkeypatch.chdir(tmp_path)
    with TokenizerProcess() as tokenizer:
        assert tokenizer.count(["hello world"], "o200k_base") == [2]
    assert not (tmp_path / "ran").exists()
