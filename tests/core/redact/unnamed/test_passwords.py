"""What looks like a password, and what only looks odd."""

from __future__ import annotations

import pytest

from core.redact.unnamed.shapes import could_be_password, is_password, is_thought_up


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


@pytest.mark.parametrize("value", ["harbour2004", "Meadow-Walnut-786", "amber_lantern42", "tundra.Fjord514"])
def test_words_and_a_number_are_how_people_make_them(value: str) -> None:
    assert is_thought_up(value)
    assert could_be_password(value)


@pytest.mark.parametrize(
    "value", ["harbour", "2004-11-02", "src/main2.py", "/etc/app2/x", "$PASSWORD1", "sha256sum"]
)
def test_what_has_no_number_or_is_a_path_could_be_none(value: str) -> None:
    assert not could_be_password(value)


@pytest.mark.parametrize("value", ["T_iger827", "349Saffron_", "NyHLiWMO3=ywuSAJew", "CRUJbvr2usvz"])
def test_odd_passwords_are_distinguished_from_names_and_assignments(value: str) -> None:
    assert is_password(value)


@pytest.mark.parametrize("value", ["ChaCha20-Poly1305", "max_tokens=32", "RSA-4096", "VERSION_2=x"])
def test_algorithms_and_assignments_are_not_passwords(value: str) -> None:
    assert not is_password(value)
