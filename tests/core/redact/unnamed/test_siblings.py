"""A value in a list after a credential of the same form is one too."""

from __future__ import annotations

from core.redact.text import redact_text

FIRST, SECOND = "q7Zp2Lx9Rt4Vb6Nm1Ks8", "w3Fy8Hc5Jd2Gs9Ta4Mq7"


def test_the_second_of_two_keys_is_masked() -> None:
    assert redact_text(f"APP_KEY={FIRST},{SECOND}").count("[redacted:") == 2


def test_all_of_several_are_masked() -> None:
    assert FIRST not in redact_text(f"APP_KEY={SECOND}, {FIRST[::-1]} and {FIRST}")


def test_what_is_made_otherwise_stays() -> None:
    assert redact_text(f"APP_KEY={FIRST},eu-north-1b,web-frontend").endswith(",eu-north-1b,web-frontend")
