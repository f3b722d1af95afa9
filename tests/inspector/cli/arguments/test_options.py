"""Options every command shares."""

from __future__ import annotations

import pytest

from inspector.cli.arguments.options import valued
from inspector.cli.main import split


@pytest.mark.parametrize("option", sorted(valued()))
def test_the_value_of_an_option_is_never_taken_for_a_command(option: str) -> None:
    assert split([option, "usage", "why", "latest"]) == ("why", [option, "usage", "latest"])


def test_an_option_that_takes_none_leaves_the_next_word_alone() -> None:
    assert split(["--json", "usage"]) == ("usage", ["--json"])
    assert "--json" not in valued()
