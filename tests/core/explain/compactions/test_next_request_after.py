"""What Hermes sends but does not store is missing in its count after a compaction; the next call tells."""

from __future__ import annotations

import pytest

from tests.core.explain.home import Home, compacted, only


@pytest.mark.parametrize(
    ("counted", "sent", "told"),
    [
        (13_653, 29_928, "counts 13,653 tokens after, the next request held 29,928"),
        (13_653, 16_000, ""),
        (1_000, 4_900, ""),
        (40_000, 47_000, ""),
    ],
)
def test_a_request_far_larger_than_what_was_counted_is_set_next_to_it(
    home: Home, counted: int, sent: int, told: str
) -> None:
    home.pre_api(54_828)
    home.started(54_828, 28)
    home.compact()
    home.done(28, 8, counted)
    home.call(2, sent)
    assert told in "".join(only(home).disagreements)
    assert bool(told) == bool(only(home).disagreements)


def test_a_request_of_the_next_turn_holds_what_was_said_since(home: Home) -> None:
    home.pre_api(54_828)
    home.started(54_828, 28)
    compacted(home)
    home.turn()
    home.call(1, 30_000)
    assert only(home).disagreements == ()
