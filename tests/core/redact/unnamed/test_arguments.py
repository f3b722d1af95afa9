"""A list of arguments is read as the command line it represents."""

from __future__ import annotations

import json

import pytest

from core.redact.text import redact_text

SECRET = "Tango99!x"


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"cmd": ["mysql", "-u", "root", f"-p{SECRET}", "shop"]}),
        f"subprocess.run(['sshpass', '-p', '{SECRET}', 'ssh', 'box'])",
        f'exec.Command("curl", "-u", "bob:{SECRET}", url)',
        f'spawn("mysqldump", ["-u", "root", "-p{SECRET}"])',
        json.dumps({"input": json.dumps(["sshpass", "-p", SECRET, "ssh", "box"])}),
    ],
)
def test_its_password_is_masked_and_nothing_else(text: str) -> None:
    assert redact_text(text) == text.replace(SECRET, "[redacted:login]")


def test_a_list_that_is_not_a_command_stays() -> None:
    text = '["a-b", "-p", "left-right", "-x", "up2down"]'
    assert redact_text(text) == text
