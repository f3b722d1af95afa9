"""The app in a real browser: it opens, shows the list and answers keys; no picture leaves this machine."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.inspector.test_web import url as url

playwright = pytest.importorskip("playwright.sync_api")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium here"),
    pytest.mark.filterwarnings("ignore"),  # playwright's own loop leaves warnings behind
]
QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
PATIENCE = 60_000
"""Milliseconds for anything; a machine may be busy."""


@pytest.fixture(autouse=True)
def short_folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A browser's socket has a path of at most a hundred characters; that of a test is longer."""
    with TemporaryDirectory(dir="/tmp", ignore_cleanup_errors=True) as folder:
        monkeypatch.setenv("TMPDIR", folder)
        yield


@contextmanager
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=CHROMIUM, args=list(QUIET))
        try:
            yield opened
        finally:
            opened.close()


class Terminal:
    """What the app wrote to the terminal of a page, and what the page loaded."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.written = ""
        self.loaded: list[str] = []
        page.on("websocket", lambda socket: socket.on("framereceived", self._take))
        page.on("requestfinished", lambda request: self.loaded.append(request.url))

    def _take(self, frame: str | bytes) -> None:
        self.written += frame if isinstance(frame, str) else frame.decode("utf-8", "replace")

    def shows(self, text: str) -> bool:
        """Wait until it was written."""
        for _ in range(PATIENCE // 100):
            if text in self.written:
                return True
            self.page.wait_for_timeout(100)
        return False


def test_it_opens_shows_the_list_and_the_reason_of_a_compression(url: str) -> None:
    with browser() as chromium:
        page = chromium.new_page(viewport={"width": 1280, "height": 800})
        terminal = Terminal(page)
        page.goto(url, timeout=PATIENCE)
        assert terminal.shows("Any key closes this")
        assert "token" not in page.url
        page.keyboard.press("Escape")
        page.wait_for_timeout(500)  # a letter right behind it would be alt with that letter
        assert terminal.shows("Refactor the auth module")
        page.keyboard.press("w")
        assert terminal.shows("Compressed")
        where = urlsplit(url).netloc
        assert [one for one in terminal.loaded if urlsplit(one).netloc not in ("", where)] == []


def test_a_second_browser_with_the_same_url_gets_403(url: str) -> None:
    with browser() as chromium:
        assert chromium.new_context().new_page().goto(url, timeout=PATIENCE).status == 200
        refused = chromium.new_context().new_page().goto(url, timeout=PATIENCE)
        assert refused.status == 403


def test_a_wrong_token_and_a_page_of_another_origin_get_403(url: str) -> None:
    where = urlsplit(url)
    with browser() as chromium:
        page = chromium.new_page()
        assert page.goto(f"http://{where.netloc}/?token=wrong", timeout=PATIENCE).status == 403
        assert page.goto(url, timeout=PATIENCE).status == 200
        answer = page.request.get(f"http://{where.netloc}/", headers={"Origin": "http://evil.example"})
        assert answer.status == 403
