"""`plugin install` and `uninstall`: what they leave."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from inspector.cli.main import run

CONFIG = b"model: m\r\nplugins:\r\n  enabled: [other]   # mine\r\ncompression:\r\n  threshold: 0.5\r\n"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    place = tmp_path / "home"
    place.mkdir()
    (place / "config.yaml").write_bytes(CONFIG)
    return place


def plugin(home: Path, *words: str) -> int:
    return run(["plugin", *words, "--home", str(home), "--yes"])


def test_uninstall_leaves_config_yaml_byte_for_byte(home: Path) -> None:
    assert plugin(home, "install", "--engine", "--recorder") == 0
    assert (home / "config.yaml").read_bytes() != CONFIG
    assert plugin(home, "uninstall") == 0
    assert (home / "config.yaml").read_bytes() == CONFIG
    assert not (home / "plugins" / "inspector").exists()


def test_a_home_without_config_yaml_has_none_again(tmp_path: Path) -> None:
    assert plugin(tmp_path, "install", "--engine") == 0
    assert (tmp_path / "config.yaml").exists()
    assert plugin(tmp_path, "uninstall") == 0
    assert not (tmp_path / "config.yaml").exists()


def test_what_was_edited_meanwhile_stays(home: Path) -> None:
    plugin(home, "install", "--engine")
    with (home / "config.yaml").open("ab") as stream:
        stream.write(b"display:\r\n  skin: x\r\n")
    plugin(home, "uninstall")
    assert (home / "config.yaml").read_bytes() == CONFIG + b"display:\r\n  skin: x\r\n"


def test_what_hermes_wrote_again_is_rid_of_the_plugin(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plugin(home, "install", "--engine")
    (home / "config.yaml").write_text(
        "model: m\nplugins:\n  enabled:\n  - inspector\n  - other\ncontext:\n  engine: inspector\n"
    )
    capsys.readouterr()
    assert plugin(home, "uninstall") == 0
    assert "without our lines" in capsys.readouterr().out
    assert (home / "config.yaml").read_text() == "model: m\nplugins:\n  enabled:\n  - other\n"


def test_a_file_that_cannot_be_read_any_more_is_reported(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plugin(home, "install")
    (home / "config.yaml").write_text("plugins: [inspector\n")
    capsys.readouterr()
    assert plugin(home, "uninstall") == 0
    told = capsys.readouterr()
    assert "removed" not in told.out
    assert "still names it" in told.err


@pytest.mark.parametrize("receipt", ["{", "[]", '{"before": "no hex", "changes": []}'])
def test_a_damaged_receipt_is_named_with_what_to_do(
    home: Path, receipt: str, capsys: pytest.CaptureFixture[str]
) -> None:
    plugin(home, "install", "--engine")
    (home / "plugins" / "inspector" / "receipt.json").write_text(receipt)
    capsys.readouterr()
    assert plugin(home, "uninstall") == 4
    told = capsys.readouterr().err
    assert "receipt.json" in told
    assert "unexpected" not in told


def test_a_home_without_plugins_has_no_folder_for_them_again(home: Path) -> None:
    plugin(home, "install")
    plugin(home, "uninstall")
    assert [path.name for path in home.iterdir()] == ["config.yaml"]


def test_a_home_named_from_where_one_stands_is_found_from_anywhere(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(home.parent)
    plugin(Path("home"), "install", "--recorder")
    settings = json.loads((home / "plugins" / "inspector" / "settings.json").read_text())
    assert settings["home"] == str(home)


def test_engines_says_that_ours_is_in_force(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plugin(home, "install", "--engine")
    capsys.readouterr()
    assert run(["engines", "--home", str(home), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["in_force"] == "inspector"
    [ours] = [one for one in told["engines"] if one["name"] == "inspector"]
    assert ours["tools"] == ["inspector_recall", "inspector_status"]
    assert ours["accepted_by"][-1] == "0.22"
    assert ours["refused_by"] == {}


def test_status_says_what_was_installed(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plugin(home, "install", "--recorder")
    capsys.readouterr()
    run(["plugin", "status", "--home", str(home), "--json"])
    told = json.loads(capsys.readouterr().out)
    assert (told["installed"], told["engine"], told["recorder"], told["enabled"]) == (True, False, True, True)
    assert told["worker"]["answers"]
    assert told["recorded"]["requests"] == 0


def test_somebody_else_s_plugin_of_that_name_is_left_alone(home: Path) -> None:
    theirs = home / "plugins" / "inspector"
    theirs.mkdir(parents=True)
    (theirs / "__init__.py").write_text("# theirs\n")
    assert plugin(home, "install") == 2
    assert (home / "config.yaml").read_bytes() == CONFIG
    assert plugin(home, "uninstall") == 3
    assert (theirs / "__init__.py").read_text() == "# theirs\n"


def test_the_change_of_config_yaml_is_shown_as_it_will_stand_there(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plugin(home, "install", "--engine")
    shown = capsys.readouterr().err
    assert "hermes-inspector: +context:  # by hermes-inspector\n" in shown
    assert "hermes-inspector: +  engine: inspector  # by hermes-inspector\n" in shown


def test_nothing_is_written_without_agreement(home: Path) -> None:
    assert run(["plugin", "install", "--home", str(home)]) == 2
    assert not (home / "plugins").exists()
    assert (home / "config.yaml").read_bytes() == CONFIG


def test_the_copied_files_use_the_standard_library_alone(home: Path) -> None:
    plugin(home, "install", "--engine", "--recorder")
    for source in (home / "plugins" / "inspector").glob("*.py"):
        text = source.read_text().replace("from inspector.hermes_plugin.worker import main;", "")
        text = text.replace("from inspector.cli.main import run;", "")
        assert "import core" not in text
        assert "from core" not in text
        assert "from inspector" not in text


def test_it_says_what_each_part_does_and_how_to_get_rid_of_it(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plugin(home, "install")
    told = capsys.readouterr()
    assert "add --engine to make it the context engine too" in told.err
    assert "plugin uninstall" in told.out
    plugin(home, "uninstall")
    plugin(home, "install", "--engine", "--recorder")
    told = capsys.readouterr()
    assert "in place of Hermes' own" in told.err
    assert "none of their text" in told.err


def test_status_says_that_another_engine_was_chosen_since(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plugin(home, "install", "--engine")
    config = home / "config.yaml"
    assert "not the engine" not in capsys.readouterr().out
    config.write_text(config.read_text().replace("engine: inspector", "engine: lcm"))
    run(["plugin", "status", "--home", str(home)])
    assert "not the engine: context.engine is lcm" in capsys.readouterr().out
    plugin(home, "uninstall")
    run(["plugin", "status", "--home", str(home)])
    assert "plugin install" in capsys.readouterr().out
