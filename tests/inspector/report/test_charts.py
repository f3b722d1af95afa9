"""The context used, drawn: every call has its column, made of what the call was made of."""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from inspector.report.charts import context_used


def test_a_column_shows_each_call_and_a_line_for_each_compression() -> None:
    found = _found([1_000, 2_000, 3_000, 800], events=["2026-11-22T10:03:30Z"])
    drawn = _paths(found)
    assert drawn["bar uncached"].count("M") == 4
    assert len([name for name in drawn if name == "event"]) == 1
    chart = context_used(found)
    assert chart is not None
    assert "4 calls of the log. Compressions: 1 before your message." in chart.caption


def test_one_call_alone_is_not_a_curve() -> None:
    assert context_used(_found([1_000])) is None


def test_of_many_calls_the_largest_is_still_seen() -> None:
    found = _found([100] * 2_500 + [90_000] + [100] * 2_500)
    drawn = _paths(found)["bar uncached"]
    assert drawn.count("M") <= 360
    assert min(map(float, re.findall(r"V([\d.]+)", drawn))) < 50


def test_a_call_with_unreported_cache_is_not_drawn_as_uncached() -> None:
    found = _found([1_000, 2_000])
    for call in found["cache"]["calls"]:
        call["cache_read"] = None
    drawn = _paths(found)
    assert "bar uncached" not in drawn
    assert drawn["bar unknown"].count("M") == 2


@given(st.lists(st.integers(1, 3_000_000), min_size=2, max_size=900), st.integers(0, 3_000_000))
def test_nothing_is_drawn_outside_of_the_plane(sizes: list[int], limit: int) -> None:
    found = _found(sizes)
    found["why"]["now"]["threshold"] = limit
    for name, path in _paths(found).items():
        heights = map(float, re.findall(r"[V ]([\d.]+)(?=[VMH]|$)", path))
        assert all(25.9 <= height <= 176.1 for height in heights), name


def _paths(found: dict[str, Any]) -> dict[str, str]:
    chart = context_used(found)
    assert chart is not None
    root = ElementTree.fromstring(chart.svg)
    return {
        path.get("class", ""): path.get("d", "")
        for path in root.iter("path")
        if "key" not in path.get("class", "")
    }


def _found(sizes: list[int], events: list[str] | None = None) -> dict[str, Any]:
    calls = [
        {
            "at": f"2026-11-22T{10 + n // 3600:02}:{n // 60 % 60:02}:{n % 60:02}Z",
            "prompt": size,
            "cache_read": 0,
            "cache_write": 0,
        }
        for n, size in (
            (index * 60 if len(sizes) < 100 else index, size) for index, size in enumerate(sizes, start=1)
        )
    ]
    told = [{"at": at, "trigger": "preflight", "completed": True, "threshold": 3_000} for at in events or []]
    return {"cache": {"calls": calls, "breaks": []}, "why": {"events": told, "now": {"threshold": 3_000}}}
