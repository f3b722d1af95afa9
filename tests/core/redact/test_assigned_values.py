"""Names are examined only where a value could follow."""

from __future__ import annotations

import pytest

from core.redact import assigned_values
from core.redact.text import redact_text
from tests.core.redact.corpus import credentials


def test_weak_names_are_passed_over_where_nothing_could_be_their_value(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked: list[int] = []
    real = assigned_values._value

    def noted(text: str, start: int, *rest: object) -> tuple[int, int] | None:
        looked.append(start)
        return real(text, start, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(assigned_values, "_value", noted)
    dull = "token key=" * 5_000
    assert redact_text(dull) == dull
    assert looked == []
    assert redact_text(f"{dull}\ntoken=q7Zp2Lx9Rt4Vb6Nm1Ks8") == f"{dull}\ntoken=[redacted:secret-value]"
    assert len(looked) < 500


def test_what_is_passed_over_holds_no_value(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [f"{'token key= ' * 120}{one.text}{' token key=' * 120}" for one in list(credentials(5))[::20]]
    masked = [redact_text(text) for text in texts]
    monkeypatch.setattr(assigned_values, "_FAR_BEFORE", 10**9)
    monkeypatch.setattr(assigned_values, "_FAR_BEHIND", 10**9)
    assert [redact_text(text) for text in texts] == masked
