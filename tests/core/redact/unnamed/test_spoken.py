"""On a line about a password, or of a command that takes one, what looks like a password is masked."""

from __future__ import annotations

import pytest

from core.redact.text import redact_text

SECRET = "Tango99!x"


@pytest.mark.parametrize(
    "text",
    [
        f"log in as bob / {SECRET}",
        f"the wifi: guest / {SECRET}",
        f"try {SECRET} for the password of the old box",
        f"I changed the password from {SECRET} to something else",
        f"sign in with ops@example.org and '{SECRET}'",
        f'"pgbouncer" "{SECRET}"',
        f"mycli -u bob -h db -x {SECRET}",
        f"la contraseña nueva es {SECRET}",
        f"비밀번호: {SECRET}",
    ],
)
def test_it_is_masked(text: str) -> None:
    assert SECRET not in redact_text(text)


@pytest.mark.parametrize(
    "text",
    [
        "the login page lives in src/auth/login_page_v2.tsx",
        "sign in as ops@example.org / https://example.org/login",
        "password rules: at least 8 characters, SHA-256, utf-8",
        "login takes 12.5/second on api-server-2",
        "we met Tango99!x at the harbour",
        "passport-local@1.0.0 and passport-jwt@4.0.1",
    ],
)
def test_names_files_numbers_and_lines_of_other_things_stay(text: str) -> None:
    assert redact_text(text) == text


def test_the_next_line_is_another_one() -> None:
    text = "the password is kept elsewhere.\nThe build of tango-kilo99 failed."
    assert redact_text(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "the password for the box is {}",
        "Das Passwort für den Server lautet {}, bitte nicht weitergeben.",
        "temporary password {}, change it",
        "the password has been changed to {}",
        "what's the root password?\n> {}\nthanks",
        "{} is the password for the box",
        "creds bob:{}",
        "find('password').type('{}')",
    ],
)
def test_right_after_the_word_anything_odd_is_one(text: str) -> None:
    assert "harbour2004" not in redact_text(text.format("harbour2004"))


@pytest.mark.parametrize(
    "text",
    [
        "at verifyPassword (/app/src/auth/password.js:556:17)",
        "the password of the user is required",
        "I lost the password to db-prod-01",
        "login: jsmith1985",
        "what's the password?\nnobody knows",
    ],
)
def test_a_name_next_to_the_word_is_none(text: str) -> None:
    assert redact_text(text) == text
