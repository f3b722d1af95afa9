"""Reading messages from a file: what is accepted, and what is refused in one clear line."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from core.errors import NotFoundError, UsageError
from core.imports.openai_messages import read_messages

HELLO = [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "hi"}]


def _write(tmp_path: Path, data: bytes) -> str:
    path = tmp_path / "messages.json"
    path.write_bytes(data)
    return str(path)


@pytest.mark.parametrize("document", [HELLO, {"model": "m", "messages": HELLO}])
def test_a_list_and_a_request_body_hold_the_same_messages(tmp_path: Path, document: object) -> None:
    messages = read_messages(_write(tmp_path, json.dumps(document).encode()))
    assert [dict(message.wire) for message in messages] == HELLO


def test_key_order_is_kept_because_estimates_depend_on_it(tmp_path: Path) -> None:
    (message,) = read_messages(_write(tmp_path, b'[{"content": "x", "role": "user"}]'))
    assert list(message.wire) == ["content", "role"]


def test_an_empty_list_is_a_conversation_without_messages(tmp_path: Path) -> None:
    assert read_messages(_write(tmp_path, b"[]")) == ()


def test_a_byte_order_mark_is_not_an_obstacle(tmp_path: Path) -> None:
    assert len(read_messages(_write(tmp_path, b"\xef\xbb\xbf" + json.dumps(HELLO).encode()))) == 2


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "not valid JSON"),
        (b"[{", "not valid JSON"),
        (b"\xff\xfe", "not UTF-8"),
        (b'"text"', "found a string"),
        (b"{}", "found an object"),
        (b"null", "found null"),
        (b"3", "found a number"),
        (b"[1]", "message 0 is a number"),
        (b'[{"role": "user"}, []]', "message 1 is a list"),
        (b'[{"content": "x"}]', "message 0 has no role"),
        (b"[" * 100_000, "nested too deeply"),
        (b"[" + b"9" * 5_000 + b"]", "not valid JSON"),
    ],
)
def test_anything_else_is_refused_with_the_place_and_the_form(tmp_path: Path, data: bytes, says: str) -> None:
    path = _write(tmp_path, data)
    with pytest.raises(UsageError) as caught:
        read_messages(path)
    assert says in caught.value.line
    assert path in caught.value.line


def test_a_missing_file_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError):
        read_messages(str(tmp_path / "none.json"))


def test_a_directory_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        read_messages(str(tmp_path))


def test_a_dash_reads_stdin(monkeypatch: pytest.MonkeyPatch) -> None:
    stdin = io.TextIOWrapper(io.BytesIO(json.dumps(HELLO).encode()))
    monkeypatch.setattr(sys, "stdin", stdin)
    assert len(read_messages("-")) == 2


def test_closed_stdin_is_stated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(UsageError, match="stdin is closed"):
        read_messages("-")
