"""Words around numbers."""

from __future__ import annotations

from core.support.amounts import plural


def test_one_is_singular_and_every_other_number_plural() -> None:
    assert plural(1, "session") == "1 session"
    assert plural(1_518, "session") == "1,518 sessions"
    assert plural(2, "branch", "branches") == "2 branches"
    assert plural(0, "session") == "0 sessions"
