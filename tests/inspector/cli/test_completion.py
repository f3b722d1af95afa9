"""Completion and the manual page hold every command and option there is."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from inspector.cli.completion import SHELLS, all_options, parsers_of
from inspector.cli.registry import COMMANDS
from tests.inspector.cli.conftest import Cli

pytest.importorskip("shtab")


def printed(cli: Cli, shell: str) -> str:
    return cli("completion", shell).out


@pytest.mark.parametrize("shell", SHELLS)
def test_every_command_is_completed(shell: str, cli: Cli) -> None:
    script = printed(cli, shell)
    assert [name for name in COMMANDS if name not in script] == []


@pytest.mark.parametrize("command", COMMANDS)
def test_the_manual_page_has_every_option(command: str, cli: Cli) -> None:
    page = printed(cli, "man").replace("\\-", "-")
    section = page.partition(f".SS {command}\n")[2].partition("\n.SS ")[0]
    parser = parsers_of(all_options())[command]
    options = [
        name for action in parser._actions for name in action.option_strings if action.help != "==SUPPRESS=="
    ]
    assert [option for option in options if option not in section] == []


def test_the_manual_page_is_sound(cli: Cli, tmp_path: Path) -> None:
    groff = shutil.which("groff")
    if groff is None:
        pytest.skip("groff is not installed")
    page = tmp_path / "page.1"
    page.write_text(printed(cli, "man"), encoding="utf-8")
    done = subprocess.run([groff, "-k", "-man", "-Tutf8", "-ww", str(page)], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert "over budget" in done.stdout


def test_bash_completes_the_beginning_of_a_command(cli: Cli, tmp_path: Path) -> None:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("bash is not installed")
    script = tmp_path / "completion.bash"
    script.write_text(printed(cli, "bash"), encoding="utf-8")
    asked = (
        f"source {script}; COMP_WORDS=(hermes-inspector wat); COMP_CWORD=1; "
        '_shtab_hermes_inspector hermes-inspector wat hermes-inspector; echo "${COMPREPLY[@]}"'
    )
    done = subprocess.run([bash, "-c", asked], capture_output=True, text=True)
    assert done.stdout.split() == ["watch"]


def test_an_unknown_shell_is_reported(cli: Cli) -> None:
    assert "bash" in cli("completion", "ksh", code=2).err
