"""The sieve lets every credential through, and little else."""

from __future__ import annotations

import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.compress.redact.text import redact
from core.explain.findings.sieve import holding

RANDOM = "aB3dE5fG7hI9jK1lM2nO4pQ6rS8tU0vW"
CREDENTIALS = (
    f"sk-ant-api03-{RANDOM}",
    f"ghp_{RANDOM}",
    "AKIAIOSFODNN7ABCDEFG",
    f"AIza{RANDOM}abc",
    f"SG.{RANDOM}",
    "123456789:AAHfiqksKZ8WmR2zVxs2b3QjQpZ9b3abcde",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcDEF123",
    'password = "hunter2"',
    "DB_PASSWORD=hunter2horse",
    "postgres://bob:hunter2@db.example.com/x",
    f"Authorization: Bearer {RANDOM}",
    '{"arguments": "{\\"api_key\\": \\"zz11yy22xx33\\"}"}',
    "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA1234567890abcdefghij",
)


@pytest.mark.parametrize("text", CREDENTIALS)
def test_a_credential_gets_through(text: str) -> None:
    assert redact(text).counts
    assert holding([b"plain", f"so it is {text} here".encode(), b"plain"]) == {1}


@pytest.mark.parametrize(
    "text",
    ["talk of passwords and tokens", "token: header, *, limit", "def test_refresh_region_42_again():", ""],
)
def test_talk_of_credentials_does_not(text: str) -> None:
    assert holding([text.encode()]) == frozenset()


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.text(string.printable, max_size=200), max_size=6),
    st.sampled_from(CREDENTIALS),
    st.integers(0, 6),
)
def test_what_stands_around_hides_none_and_neighbours_do_not_count(
    texts: list[str], secret: str, place: int
) -> None:
    encoded = [text.encode() for text in texts]
    place = min(place, len(texts))
    alone = {at for at, text in enumerate(encoded) if holding([text])}
    encoded.insert(place, f"\n{secret}\n".encode())
    assert holding(encoded) == {at + (at >= place) for at in alone} | {place}
