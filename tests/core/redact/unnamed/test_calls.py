"""The password a program connects with follows the host and the user."""

from __future__ import annotations

import json

import pytest

from core.redact.text import redact_text


@pytest.mark.parametrize(
    "text",
    [
        'mysqli_connect("localhost", "root", "harbour2004", "shop");',
        "new PDO('mysql:host=db1;dbname=shop', 'shop_rw', 'XhM5hOgrE!XW=V');",
        "ssh.connect('10.0.0.5', 22, 'root', 'harbour2004')",
        'DBI->connect("dbi:mysql:shop", "root", "harbour2004")',
    ],
)
def test_it_is_masked_also_within_json(text: str) -> None:
    for form in (text, json.dumps({"code": text})):
        clean = redact_text(form)
        assert "harbour2004" not in clean
        assert "XhM5hOgrE" not in clean


@pytest.mark.parametrize(
    "text",
    [
        'connect("db2.example.org", "root")',
        'connect("Harbour2004")',
        "session.connect('wss://host', { protocol: 'v2.json' })",
        'print("connect", "harbour2004")',
    ],
)
def test_hosts_the_first_argument_and_other_calls_stay(text: str) -> None:
    assert redact_text(text) == text
