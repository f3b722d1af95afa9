"""Texts stored in one piece are returned unchanged, also with half a character."""

from __future__ import annotations

from core.compress.planning.row_facts import StubTexts


def test_each_position_has_its_text() -> None:
    texts = StubTexts().with_([(2, "[terminal] ran `ls`"), (5, "é\ud800")]).with_([(9, ""), (11, "last")])
    assert [texts.at(place) for place in (2, 5, 9, 11)] == ["[terminal] ran `ls`", "é\ud800", "", "last"]
    assert [texts.at(place) for place in (0, 3, 12)] == [None, None, None]
