"""What looks like a password, and what only looks odd."""

from __future__ import annotations

import pytest

from core.redact.unnamed.passwords import is_password


@pytest.mark.parametrize(
    "value",
    [
        "Tango99!x",
        "hunter2#Kilo",
        "HarborFalcon22",
        "xk4Pq9Lm2T",
        "abcd_1234",
        "qzxw-vkjh-pqzx-wvkj",
        "kXqZvBtWpLm",
    ],
)
def test_these_are_passwords(value: str) -> None:
    assert is_password(value)


@pytest.mark.parametrize(
    "value",
    [
        "short1!",
        "bob@example.org",
        "report-2026.csv",
        "2026-11-23",
        "v1.22.333",
        "sha256:ab12cd",
        "http2-server",
        "std::vector<1>",
        "src/main2.py",
        "$PASSWORD",
        "user-1234",
        "refactoring",
    ],
)
def test_these_are_not(value: str) -> None:
    assert not is_password(value)
