"""Every command about one conversation has an answer for each sample."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.cli.main import run
from sample_sessions.scenario import scenarios
from tests.inspector.cli.conftest import Cli

COMMANDS = (
    "show", "plan", "why", "why --turns", "findings", "usage", "cache", "results", "chain", "status",
    "export", "compress --summariser extractive",
)  # fmt: skip


SAMPLES = [(scenario.profile or "default", scenario.sessions[0].title or "") for scenario in scenarios()]
"""Profile and title of the first session of each scenario."""


@pytest.mark.parametrize("command", COMMANDS)
def test_it_ends_well_and_says_something(
    command: str, sample_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name, *options = command.split()
    for profile, session in SAMPLES:
        code = run([name, session, *options, "--home", str(sample_home), "--profile", profile])
        shown = capsys.readouterr()
        assert (code, shown.err) == (0, ""), (session, shown.err)
        assert len(shown.out.split()) > 3, session


def test_some_models_of_the_samples_have_a_price_and_some_have_none(sample_home: Path, cli: Cli) -> None:
    prices = [
        row["cost"]["computed_usd"]
        for row in cli("usage", "--by", "model", "--json", "--home", sample_home).json["rows"]
    ]
    assert None in prices
    assert any(prices)
