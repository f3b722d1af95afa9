"""The name of a file says that it holds credentials."""

from __future__ import annotations

import pytest

from core.redact.text import redact_text

SECRET = "harbour2004"


@pytest.mark.parametrize(
    "text",
    [
        f"$ cat ~/.vault_pass\n{SECRET}\n$ ls",
        f"==> /etc/vpn/auth.txt <==\nbob\n{SECRET}\n",
        f"# /etc/ppp/chap-secrets\nbob {SECRET}",
        f"echo {SECRET} > secrets/db_password.txt",
        f"printf '%s' \"{SECRET}\" | sudo tee -a /run/secrets/db_password",
        f'{{"path": "/srv/.vault_pass", "content": "{SECRET}"}}',
        f"## Password\n`{SECRET}`",
    ],
)
def test_what_it_holds_is_masked(text: str) -> None:
    assert SECRET not in redact_text(text)


@pytest.mark.parametrize(
    "text",
    [
        f"$ cat notes.txt\n{SECRET}",
        "$ cat src/token.py\nfrom harbour2004 import tokens",
        f"refs/heads/no-secrets\n{SECRET}",
        f"echo {SECRET} > notes.txt",
        f"# ~/.vault_pass\nthe box of ann is called {SECRET} by all of us",
        f"tokens:\n  input: 4096\nbuild: {SECRET}",
    ],
)
def test_other_files_and_prose_stay(text: str) -> None:
    assert redact_text(text) == text
