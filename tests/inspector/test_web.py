"""`serve`: one token, one origin, one host; everybody else gets 403, and nothing else listens."""

from __future__ import annotations

import http.client
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from core.apply.database.connection import READ_ONLY, opened
from core.errors import UsageError
from inspector.cli.main import run

Answer = tuple[int, dict[str, str]]


@pytest.fixture
def url(sample_home: Path) -> Iterator[str]:
    pytest.importorskip("textual_serve")
    command = [sys.executable, "-m", "inspector", "serve", "--port", "0", "--home", str(sample_home)]
    served = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert served.stdout is not None
        yield served.stdout.readline().strip()
    finally:
        served.kill()
        served.communicate()


def ask(url: str, path: str, **headers: str) -> Answer:
    where = urlsplit(url)
    connection = http.client.HTTPConnection(where.hostname or "", where.port or 0, timeout=20)
    try:
        connection.request(
            "GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()}
        )
        answer = connection.getresponse()
        answer.read()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}
    finally:
        connection.close()


SOCKET = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec_WebSocket_Version": "13"}
SOCKET |= {"Sec_WebSocket_Key": "dGhlIHNhbXBsZSBub25jZQ=="}


def test_it_listens_on_this_machine_alone(url: str) -> None:
    assert url.startswith("http://127.0.0.1:")


def test_the_token_opens_the_app_once_and_only_for_who_brought_it(url: str) -> None:
    path = f"/?{urlsplit(url).query}"
    assert ask(url, "/")[0] == 403
    assert ask(url, "/?token=wrong")[0] == 403
    status, headers = ask(url, path)
    assert status == 303
    assert "HttpOnly" in headers["set-cookie"]
    assert "SameSite=Strict" in headers["set-cookie"]
    cookie = headers["set-cookie"].partition(";")[0]
    status, page = ask(url, "/", Cookie=cookie)
    assert status == 200
    assert "frame-ancestors 'none'" in page["content-security-policy"]
    assert ask(url, path)[0] == 403
    assert ask(url, "/", Cookie=f"{cookie}x")[0] == 403
    assert ask(url, "/static/js/textual.js")[0] == 403


def test_another_host_or_origin_gets_403_even_with_the_cookie(url: str) -> None:
    where = urlsplit(url)
    cookie = ask(url, f"/?{where.query}")[1]["set-cookie"].partition(";")[0]
    ours = f"http://{where.netloc}"
    assert ask(url, "/", Cookie=cookie, Host="evil.example")[0] == 403
    assert ask(url, "/", Cookie=cookie, Host=f"evil.example:{where.port}")[0] == 403
    assert ask(url, "/", Cookie=cookie, Origin="http://evil.example")[0] == 403
    assert ask(url, "/ws", Cookie=cookie, Origin="null", **SOCKET)[0] == 403
    assert ask(url, "/ws", Cookie=cookie, Origin=ours.replace("http", "https"), **SOCKET)[0] == 403
    assert ask(url, "/ws", Cookie=cookie, **SOCKET)[0] == 403
    assert ask(url, "/ws", Origin=ours, **SOCKET)[0] == 403
    assert ask(url, "/ws", Cookie=cookie, Origin=ours, **SOCKET)[0] == 101


def test_a_process_that_may_only_read_opens_no_database_for_writing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(READ_ONLY, "1")
    with pytest.raises(UsageError, match="nothing may be written"), opened(tmp_path / "state.db"):
        pass


@pytest.mark.parametrize(
    "words", [["sessions"], ["status"], ["why", "latest"], ["watch", "--once"], ["plan", "latest"]]
)
def test_nothing_but_serve_opens_a_socket(
    words: list[str], sample_home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(*_: object, **__: object) -> None:
        pytest.fail("a socket was opened")

    monkeypatch.setattr("socket.socket.bind", refuse, raising=False)
    monkeypatch.setattr("socket.socket.listen", refuse, raising=False)
    monkeypatch.setattr("socket.socket.connect", refuse, raising=False)
    assert run([*words, "--home", str(sample_home)]) == 0


def test_without_what_it_needs_it_says_how_to_get_it(
    sample_home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "textual_serve.server", None)
    monkeypatch.delitem(sys.modules, "inspector.web", raising=False)
    assert run(["serve", "--home", str(sample_home)]) == 4
    assert "hermes-inspector[web]" in capsys.readouterr().err


@pytest.mark.parametrize(("words", "read_only"), [([], "1"), (["--allow-apply"], None)])
def test_the_app_behind_may_write_only_with_allow_apply(
    words: list[str], read_only: str | None, sample_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("textual_serve")
    found: list[str | None] = []
    monkeypatch.setattr(
        "inspector.web.GuardedServer.serve", lambda _: found.append(os.environ.get(READ_ONLY))
    )
    monkeypatch.setenv(READ_ONLY, "0" if words else "")
    assert run(["serve", "--port", "0", "--home", str(sample_home), *words]) == 0
    assert found == [read_only]
    if read_only is None:
        with opened(sample_home / "state.db"):
            pass
