"""The tab in Hermes' dashboard: what it is answered, and that a real dashboard lists and guards it."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from core.compress.engines.host.install import find_install
from inspector.cli.main import run
from inspector.hermes_plugin.install import plugin_folder

VENVS = Path(os.environ.get("HERMES_VENVS") or "/nowhere")
ASK = """
import sys
from fastapi.testclient import TestClient
from hermes_cli import web_server
client = TestClient(web_server.app, base_url="http://127.0.0.1")
token = {"X-Hermes-Session-Token": web_server._SESSION_TOKEN}
path = "/api/plugins/inspector/conversations"
listed = [one["name"] for one in client.get("/api/dashboard/plugins").json()]
files = [client.get(f"/dashboard-plugins/inspector/{name}").status_code for name in ("index.js", "page.html")]
codes = [client.get(path, headers=headers).status_code for headers in ({}, token)]
print("inspector" in listed, *files, *codes)
"""


class RefusedError(Exception):
    """Stands for FastAPI's own."""


@pytest.fixture
def plugin(home: Path) -> Path:
    """The folder of the plugin in a home of four conversations."""
    assert run(["plugin", "install", "--home", str(home), "--yes"]) == 0
    return plugin_folder(home)


@pytest.fixture
def api(plugin: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The file as the dashboard loads it, with a stand-in for the library that is only there."""
    monkeypatch.setenv("HERMES_HOME", str(plugin.parents[1]))
    router = SimpleNamespace(add_api_route=lambda *words, **named: None)
    fake = SimpleNamespace(APIRouter=lambda: router, HTTPException=RefusedError)
    monkeypatch.setitem(sys.modules, "fastapi", fake)
    file = plugin / "dashboard" / "dashboard_api.py"
    spec = importlib.util.spec_from_file_location("plugin_api", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_it_lists_conversations_and_reports_one(api: Any) -> None:
    listed = api.conversations()["sessions"]
    assert len(listed) >= 4
    found = api.report(listed[0]["id"])
    assert found["session"] == listed[0]["id"]
    assert {"why", "findings", "usage", "cache", "chain"} <= found.keys()


def test_what_cannot_be_reported_is_reported_in_the_words_of_the_command(api: Any) -> None:
    with pytest.raises(RefusedError, match="no session"):
        api.report("nothing of that name")


def test_an_option_in_place_of_a_session_is_none(api: Any) -> None:
    with pytest.raises(RefusedError):
        api.report("--output=/tmp/x")


@pytest.mark.parametrize("release", ["0.18.2", "0.19.0", "0.22.2"])
def test_a_real_dashboard_lists_it_and_asks_for_its_token(plugin: Path, release: str) -> None:
    python = VENVS / release / "bin" / "python"
    if not python.exists():
        pytest.skip("HERMES_VENVS names no such release")
    home = plugin.parents[1]
    env = {**os.environ, "HERMES_HOME": str(home), "HOME": str(home.parent)}
    done = subprocess.run(
        [str(python), "-c", ASK], env=env, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.stdout.split() == ["True", "200", "200", "401", "200"], done.stderr
    install = find_install(python)
    assert install is not None
    assert install.dashboard == (release != "0.22.2")


def test_its_script_names_only_what_the_dashboard_offers(plugin: Path) -> None:
    dashboard = plugin / "dashboard"
    manifest = json.loads((dashboard / "manifest.json").read_text())
    script = (dashboard / manifest["entry"]).read_text()
    assert set(re.findall(r"sdk\.(\w+)", script)) == {"React", "hooks", "fetchJSON"}
    assert 'sandbox: "allow-scripts"' in script
    assert "innerHTML" not in script
