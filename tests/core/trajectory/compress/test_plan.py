"""The cut: what is protected, what a summary replaces, and where boundaries may be."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.hermes.policy.policy import load_policy, releases
from core.model.compaction.plan import Span
from core.trajectory.compress.plan import Settings, find_region, protected_turns

LETTERS = {"s": "system", "h": "human", "g": "gpt", "t": "tool", "f": "function"}
OLD, SNAPPING, NEWEST = (load_policy(name).trajectory for name in ("0.16", "0.19", "0.22"))


def roles(letters: str) -> list[str]:
    return [LETTERS[letter] for letter in letters]


def region(letters: str, tokens: list[int], settings: Settings, rules: object = SNAPPING) -> Span | None:
    return find_region(roles(letters), tokens, settings, rules)  # type: ignore[arg-type]


def test_what_fits_is_left_alone() -> None:
    assert region("shgt", [10] * 4, Settings(target=40)) is None


def test_the_first_of_each_role_and_the_last_turns_are_protected() -> None:
    assert protected_turns(roles("shgtgtgh"), Settings(protect_last=2)) == {0, 1, 2, 3, 6, 7}


def test_only_as_many_turns_go_as_the_excess_and_the_summary_take() -> None:
    settings = Settings(target=100, summary_target=10, protect_last=1)
    assert region("shgthghghg", [11] * 10, settings) == Span(4, 6)


def test_the_whole_middle_goes_when_it_does_not_suffice() -> None:
    assert region("shgthghghg", [100] * 10, Settings(target=10, summary_target=0, protect_last=2)) == Span(
        4, 8
    )


def test_releases_up_to_0_16_part_a_call_from_its_result() -> None:
    settings = Settings(target=100, summary_target=10, protect_last=1)
    tokens = [5, 5, 5, 5, 5, 60, 10, 5, 5, 5]
    assert region("shgthgtghg", tokens, settings, OLD) == Span(4, 6)
    assert region("shgthgtghg", tokens, settings, SNAPPING) == Span(4, 7)


def test_a_region_smaller_than_its_summary_is_left_alone_from_0_22_on() -> None:
    settings = Settings(target=100, summary_target=50, protect_last=1)
    tokens = [100, 5, 5, 5, 5, 5, 5, 5, 5, 100]
    assert region("shgthghghg", tokens, settings, SNAPPING) == Span(4, 9)
    assert region("shgthghghg", tokens, settings, NEWEST) is None


@pytest.mark.parametrize("role", ["system", "human", "gpt", "tool"])
def test_a_role_can_go_unprotected(role: str) -> None:
    kept = tuple(one for one in ("system", "human", "gpt", "tool") if one != role)
    first = roles("shgtshgt").index(role)
    assert first not in protected_turns(roles("shgtshgt"), Settings(protected_roles=kept, protect_last=0))


cases = st.lists(st.tuples(st.sampled_from("shgtf"), st.integers(0, 400)), max_size=40)
settings = st.builds(
    Settings,
    release=st.sampled_from(releases()),
    target=st.integers(1, 3000),
    summary_target=st.integers(0, 300),
    protect_last=st.integers(0, 9),
)


@given(cases, settings)
def test_protected_turns_stay_and_no_result_loses_its_call(
    case: list[tuple[str, int]], asked: Settings
) -> None:
    names, tokens = [LETTERS[letter] for letter, _ in case], [count for _, count in case]
    rules = asked.rules
    found = find_region(names, tokens, asked, rules)
    if found is None:
        return
    assert 0 <= found.start < found.end <= len(names)
    assert not protected_turns(names, asked) & set(range(found.start, found.end))
    if rules.keeps_tool_turns_together and found.end < len(names):
        assert names[found.end] != "tool"


@given(cases, settings)
def test_what_is_under_the_target_is_never_touched(case: list[tuple[str, int]], asked: Settings) -> None:
    tokens = [count for _, count in case]
    if sum(tokens) <= asked.target:
        assert find_region([LETTERS[letter] for letter, _ in case], tokens, asked, asked.rules) is None
