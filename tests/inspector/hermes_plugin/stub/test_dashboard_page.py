"""The page of the tab in Hermes' dashboard: what a report holds is shown as text, and nothing else runs."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest

from inspector.cli.main import run
from inspector.hermes_plugin import stub
from tests.inspector.test_in_a_browser import CHROMIUM, browser
from tests.inspector.test_in_a_browser import short_folder as short_folder

PAGE = Path(stub.__file__).parent / "dashboard" / "page.html"
EVIL = "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"
AROUND = '<iframe sandbox="allow-scripts" src="/page.html" width=600 height=600></iframe>'
INTRUDER = """document.body.append(
  Object.assign(document.createElement("script"), { textContent: "document.title = 'owned'" }),
  Object.assign(document.createElement("img"), { src: "http://elsewhere/" }))"""
in_a_browser = [
    pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium here"),
    pytest.mark.filterwarnings("ignore"),  # playwright's own loop leaves warnings behind
]


@pytest.fixture
def found(sample_home: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """A report with two compactions."""
    assert run(["export", "Refactor the auth module", "--home", str(sample_home), "--format", "json"]) == 0
    report: dict[str, Any] = json.loads(capsys.readouterr().out)
    return report


def shown(found: dict[str, Any]) -> dict[str, Any]:
    """What a browser makes of a report, in a frame as in the dashboard."""
    asked: list[str] = []
    with browser() as chromium:
        page = chromium.new_page()
        page.route("**/*", lambda route: route.abort())
        page.route("http://elsewhere/*", lambda route: asked.append(route.request.url))
        page.route("http://here/around", lambda route: route.fulfill(body=AROUND, content_type="text/html"))
        page.route("http://here/page.html", lambda route: route.fulfill(path=PAGE, content_type="text/html"))
        page.goto("http://here/around")
        look = {"color": "rgb(1, 2, 3)"}
        page.evaluate("order => frames[0].postMessage(order, '*')", {"look": look, "found": found})
        inside = page.frames[1]
        inside.wait_for_selector("h1")
        inside.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        inside.evaluate(INTRUDER)
        answer: dict[str, Any] = inside.evaluate(
            """() => ({
              text: document.body.innerText, title: document.title,
              held: Object.fromEntries(["img", "script", "polyline", ".bar i"].map(
                (what) => [what, document.querySelectorAll(what).length])),
              color: getComputedStyle(document.body).color, wide: document.documentElement.scrollWidth,
            })"""
        )
    return {**answer, "asked": asked}


@pytest.mark.parametrize("part", ["script", "style"])
def test_its_policy_lets_in_its_own_script_and_style_alone(part: str) -> None:
    text = PAGE.read_text("utf-8")
    [inside] = re.findall(rf"<{part}>(.*?)</{part}>", text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
    assert f"{part}-src 'sha256-{digest}'" in text
    assert "default-src 'none'" in text


def test_it_names_no_way_to_read_text_as_markup_and_no_address() -> None:
    text = PAGE.read_text("utf-8").replace('"http://www.w3.org/2000/svg"', "")
    assert not re.findall(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|href|//\w+\.", text)


class TestInABrowser:
    """What is seen, and what runs."""

    pytestmark = in_a_browser

    def test_headline_context_compactions_usage_and_findings_are_shown(self, found: dict[str, Any]) -> None:
        page, why = shown(found), found["why"]
        for text in (why["headline"], why["now"]["headline"], found["findings"][0]["sentence"]):
            assert text in page["text"]
        assert f"Compaction 2 of {len(why['events'])}" in page["text"]
        assert f"({why['events'][0]['verdict']})" in page["text"]
        assert f"{found['usage']['totals']['tokens']['cache_read']:,}" in page["text"]
        assert not re.search(r"undefined|NaN|\[object", page["text"])
        assert page["held"] == {"img": 1, "script": 2, "polyline": 2 + len(why["events"]), ".bar i": 1}
        assert (page["color"], page["wide"]) == ("rgb(1, 2, 3)", 600)

    def test_markup_of_a_session_is_shown_as_the_text_it_is(self, found: dict[str, Any]) -> None:
        page = shown(hostile(found))
        assert EVIL in page["text"]
        assert (page["held"]["img"], page["held"]["script"]) == (1, 2), "those of the intruder and its own"
        assert page["title"] == "Hermes compression report"
        assert page["asked"] == []


def hostile(value: Any) -> Any:
    """The same report with markup in the place of every text but times."""
    if isinstance(value, str):
        return value if value[:2] == "20" else EVIL
    if isinstance(value, dict):
        return {key: hostile(one) for key, one in value.items()}
    return [hostile(one) for one in value] if isinstance(value, list) else value
