"""Previews with different focuses are set side by side."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.compress.compare import compare
from core.compress.measure import measure
from core.compress.plan import plan
from core.compress.preview import preview
from core.compress.summarise.extractive import ExtractiveSummariser, quarter
from core.errors import UsageError
from core.hermes.policy import load_policy
from core.model.message import Message
from core.model.plan import Span
from core.model.preview import Preview
from core.model.settings import Settings
from tests.core.compress.builders import assistant, call, user


def _conversation() -> list[Message]:
    messages = [user("Work on the shop."), assistant("Ready."), user("Begin.")]
    for n in range(40):
        area = ("billing", "search", "upload", "mail")[n % 4]
        messages += [
            user(f"Look at {area} case {n}, ticket {area[:3].upper()}-{100 + n}" + " and so on" * 100),
            *call(
                "terminal",
                f"E   {area}Error: case {n} broke in src/{area}/m{n}.py\n" + "log\n" * 400,
                command=f"pytest {area} {n}",
            ),
            assistant(f"The {area} case {n} is settled in src/{area}/m{n}.py."),
        ]
    return messages


def _previews(*focuses: str | None) -> list[Preview]:
    measured = measure(_conversation(), load_policy("0.19"))
    planned = plan(measured, Settings(window=64_000, target_ratio=0.05))
    assert planned.middle.size > 20
    return [preview(measured, planned, ExtractiveSummariser(), focus) for focus in focuses]


@pytest.fixture(scope="module")
def three() -> list[Preview]:
    return _previews(None, "billing", "search")


def test_sections_are_aligned_by_heading_in_the_releases_order(three: list[Preview]) -> None:
    rows = compare(three, quarter).sections
    assert [row.heading for row in rows] == list(load_policy("0.19").summary.headings)
    assert all(len(row.texts) == len(row.tokens) == 3 for row in rows)


def test_each_focus_keeps_more_of_its_own_topic_than_of_the_other(three: list[Preview]) -> None:
    billing, search = compare(three, quarter).topics
    assert (billing.topic, search.topic) == ("billing", "search")
    lost = {topic.topic: [count.lost for count in topic.survival] for topic in (billing, search)}
    assert lost["billing"][1] <= lost["billing"][0]
    assert lost["billing"][1] < lost["billing"][2]
    assert lost["search"][2] < lost["search"][1]
    share = billing.tokens
    assert share[1] is not None
    assert share[2] is not None
    assert share[1] > share[2]


def test_differences_lead_back_to_their_messages(three: list[Preview]) -> None:
    comparison = compare(three, quarter)
    assert comparison.differences
    before = three[0].before
    for difference in comparison.differences[:20]:
        assert len(set(difference.fates)) > 1
        if difference.category == "paths":
            name = difference.value
            assert any(name in str(before[at].wire) for at in difference.messages)


def test_the_same_focus_twice_differs_in_nothing() -> None:
    comparison = compare(_previews("billing", "billing"), quarter)
    assert comparison.differences == ()
    assert len(comparison.topics) == 1


def test_a_section_only_one_summary_has_keeps_its_place(three: list[Preview]) -> None:
    first = replace(three[0], summary="## A\nx\n\n## C\nz")
    second = replace(three[1], summary="## A\nx\n\n## B\ny\n\n## C\nz")
    rows = compare([first, second], quarter).sections
    assert [row.heading for row in rows] == ["A", "B", "C"]
    assert rows[1].texts == (None, "y")


def test_previews_of_different_middles_cannot_be_compared(three: list[Preview]) -> None:
    other = replace(three[1], plan=replace(three[1].plan, middle=Span(3, 9)))
    with pytest.raises(UsageError):
        compare([three[0], other], quarter)


def test_nothing_compared_is_an_empty_comparison() -> None:
    comparison = compare([], quarter)
    assert (comparison.sections, comparison.topics, comparison.differences) == ((), (), ())
