"""A name of many secrets gives away what is listed under it."""

from __future__ import annotations

import pytest

from core.redact.text import redact_text

SECRET = "t4ngo-99x-Kilo"


@pytest.mark.parametrize(
    "text",
    [
        f"[passwords]\nbob = {SECRET}\n\n[paths]\n",
        f"tokens:\n  - {SECRET}\n  - other\nport: 80",
        f"secrets:\n  mailer: {SECRET}\nport: 80",
        f'"credentials": {{"bob": "{SECRET}"}}',
        f'basic_auth: ["bob", "{SECRET}"]',
        f"keys = ('{SECRET}', 'x')",
    ],
)
def test_what_is_listed_under_it_is_masked(text: str) -> None:
    assert SECRET not in redact_text(text)


@pytest.mark.parametrize(
    "text",
    [
        "tokens:\n  input: 4096\nbuild: t4ngo-99x-Kilo",
        "[passwords]\nbob = changeme\n\n[hosts]\nweb = t4ngo-99x-Kilo",
        "public_keys: [t4ngo-99x-Kilo]",
        "max_tokens: {a: t4ngo-99x-Kilo}",
        "monkeys: [t4ngo-99x-Kilo]",
    ],
)
def test_what_comes_after_its_end_or_under_another_name_stays(text: str) -> None:
    assert redact_text(text) == text


@pytest.mark.parametrize("text", ["[users]\nbob = harbour2004\n", "users: {bob: Tango-99!x}"])
def test_a_group_of_people_may_hold_their_passwords(text: str) -> None:
    assert "[redacted:secret-value]" in redact_text(text)


@pytest.mark.parametrize(
    "text", ["users:\n  - name: box2024\n    role: admin1", "accounts: [main2024, web2024]"]
)
def test_and_mostly_what_else_is_known_of_them(text: str) -> None:
    assert redact_text(text) == text
