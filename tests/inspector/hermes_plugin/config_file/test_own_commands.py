"""`plugin install` by Hermes' own commands where they work, and uninstalling afterwards.

HERMES_VENVS names a folder of virtual environments, as `0.19.0`; without it a stand-in is asked.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from inspector.cli.main import run
from inspector.hermes_plugin.config_file.edit import has_plugin

VENVS = Path(os.environ.get("HERMES_VENVS") or "/nowhere")
OFFLINE = {"0.13.0": True, "0.16.0": True, "0.18.2": True, "0.19.0": True, "0.22.2": False}
CONFIG = b"model: m  # mine\nplugins:\n  enabled: [other]\ncompression:\n  threshold: 0.5\n"
REWRITES = """
import os, sys
from pathlib import Path
import yaml
path = Path(os.environ["HERMES_HOME"]) / "config.yaml"
said = yaml.safe_load(path.read_text())
if sys.argv[1:3] == ["plugins", "enable"]:
    plugins = said.setdefault("plugins", {})
    plugins["enabled"] = [sys.argv[3], *plugins.get("enabled", [])]
    plugins["entries"] = {sys.argv[3]: {"allow": False}, "other": {"allow": True}}
else:
    said["context"] = {"engine": sys.argv[4]}
path.write_text(yaml.safe_dump(said))
"""
FORGETS = REWRITES.replace("path.write_text", 'said.pop("compression"); path.write_text')
FAILS = "raise SystemExit(1)"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    place = tmp_path / "home"
    place.mkdir()
    (place / "config.yaml").write_bytes(CONFIG)
    return place


def stand_in(folder: Path, body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A `hermes` next to the interpreter that is found."""
    from core.compress.engines.host import install

    command = folder / "bin" / "hermes"
    command.parent.mkdir()
    command.write_text(f"#!{sys.executable}\n{body}")
    command.chmod(0o755)
    found = install.HermesInstall(command.with_name("python"), "0.19.0", (), ())
    monkeypatch.setattr(install, "find_install", lambda python: found)


def plugin(home: Path, *words: str) -> int:
    return run(["plugin", *words, "--home", str(home), "--yes"])


def config(home: Path) -> bytes:
    return (home / "config.yaml").read_bytes()


@pytest.mark.skipif(sys.platform == "win32", reason="no such script")
def test_a_hermes_that_is_found_edits_config_yaml_and_uninstall_brings_the_bytes_back(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stand_in(tmp_path, REWRITES, monkeypatch)
    assert plugin(home, "install", "--engine") == 0
    assert has_plugin(config(home).decode(), "inspector", engine=True)
    assert b"# mine" not in config(home)
    assert "plugins enable` and `config set` write it" in capsys.readouterr().err
    assert plugin(home, "uninstall") == 0
    assert config(home) == CONFIG


@pytest.mark.skipif(sys.platform == "win32", reason="no such script")
def test_what_was_edited_behind_hermes_stays_and_the_file_before_is_left_next_to_it(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stand_in(tmp_path, REWRITES, monkeypatch)
    plugin(home, "install", "--engine")
    with (home / "config.yaml").open("a") as stream:
        stream.write("display: {skin: x}\n")
    assert plugin(home, "uninstall") == 0
    left = config(home).decode()
    assert "inspector" not in left
    assert "skin: x" in left
    assert "other" in left
    assert (home / "config.yaml.before-inspector").read_bytes() == CONFIG
    assert "before-inspector" in capsys.readouterr().err


@pytest.mark.parametrize("body", [FAILS, FORGETS, "pass"], ids=["fails", "forgets", "does nothing"])
@pytest.mark.skipif(sys.platform == "win32", reason="no such script")
def test_a_hermes_that_cannot_is_not_asked_to(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str
) -> None:
    stand_in(tmp_path, body, monkeypatch)
    assert plugin(home, "install", "--engine") == 0
    assert has_plugin(config(home).decode(), "inspector", engine=True)
    assert b"# mine" in config(home)
    assert plugin(home, "uninstall") == 0
    assert config(home) == CONFIG


@pytest.mark.skipif(sys.platform == "win32", reason="no such script")
def test_the_edit_can_be_chosen(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(tmp_path, REWRITES, monkeypatch)
    assert plugin(home, "install", "--edit") == 0
    assert b"# mine" in config(home)


@pytest.mark.parametrize("release", OFFLINE)
def test_a_real_release_edits_it_where_it_can_offline(release: str, home: Path) -> None:
    python = VENVS / release / "bin" / "python"
    if not python.exists():
        pytest.skip("HERMES_VENVS names no such release")
    assert plugin(home, "install", "--engine", "--recorder", "--hermes-python", str(python)) == 0
    assert has_plugin(config(home).decode(), "inspector", engine=True)
    assert (b"# mine" not in config(home)) == OFFLINE[release]
    listed = hermes(python, home, "plugins", "list")
    assert "inspector" in listed.stdout
    validated = hermes(python, home, "plugins", "validate", str(home / "plugins" / "inspector"))
    assert validated.returncode == 0 or "invalid choice" in validated.stderr
    assert (validated.returncode == 0) == (release >= "0.22")
    assert plugin(home, "uninstall") == 0
    assert config(home) == CONFIG


def hermes(python: Path, home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "HERMES_HOME": str(home), "HOME": str(home), "NO_COLOR": "1", "COLUMNS": "200"}
    return subprocess.run(
        [str(python.with_name("hermes")), *words],
        env=env,
        capture_output=True,
        text=True,
        timeout=120,
        stdin=subprocess.DEVNULL,
        check=False,
    )
