"""The program reports of each sample what was made: the cause, the outcome, how bad it is, the cost."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from core.explain.events import explain
from core.model.compaction.event import CompressionEvent
from core.model.finding import Severity
from core.store.database.locate import locate
from core.store.store import Store
from sample_sessions.data import mapping
from sample_sessions.releases import profiles
from sample_sessions.scenario import Scenario, Script, scenarios
from tests.sample_sessions.playing import made

BEGINNINGS = {
    "preflight": "Compressed before your message: the request",
    "pre_api": "Compressed before a model call: the request",
    "post_response": "Compressed after an answer: its request",
    "overflow": "Compressed because the provider refused the request",
    "payload_too_large": "Compressed because the provider refused the request as too large to send (413)",
    "hygiene": "Compressed by the gateway before the agent ran:",
    "manual": "You ran /compress",
    "fallback": "No model wrote a summary: the summary model did not answer in time.",
    "aborted": "Compression failed: the summary model's API key was refused (401). Nothing was removed.",
}
SEVERITIES = {"model": None, "fallback": Severity.CRITICAL, "aborted": Severity.CRITICAL}
"""How bad a compaction is that no other thing is wrong with."""
PLAYED = [(scenario, script) for scenario in scenarios() for script in scenario.sessions]


COMPACTED = [(scenario, script) for scenario, script in PLAYED if list(made(script.steps))]


def name(value: object) -> str:
    return value.key if isinstance(value, Script) else getattr(value, "name", "")


@pytest.fixture(scope="module")
def stores(sample_home: Path) -> Iterator[dict[str, Store]]:
    with ExitStack() as opened:
        yield {
            profile: opened.enter_context(Store(locate(home=sample_home, profile=profile or "default")[0]))
            for profile in profiles()
        }


def without_time(event: CompressionEvent) -> str:
    """Its sentence without the time that tells one of several compactions from the others."""
    said, when = event.headline.sentence, event.apart
    return said.replace(f"{when.capitalize()} you", "You").replace(f" {when}", "", 1) if when else said


@pytest.mark.parametrize(("scenario", "script"), COMPACTED, ids=name)
def test_each_compaction_is_reported_with_the_cause_it_had(
    scenario: Scenario, script: Script, stores: dict[str, Store]
) -> None:
    store = stores[scenario.profile]
    told = explain(store, store.resolve(str(script.title)).id)
    played = list(made(script.steps))
    assert [event.trigger.value for event in told.events] == [spec.trigger for spec in played]
    foreign = bool(profiles()[scenario.profile].engine)  # nobody knows who wrote such a summary
    told_of = [event.summary.status.value for event in told.events]
    assert told_of == ["unknown" if foreign else spec.status for spec in played]
    for event, spec in zip(told.events, played, strict=True):
        assert event.focus == spec.focus
        smaller = spec.trigger == "overflow"  # the provider names a window smaller than Hermes expects
        assert event.headline.severity is (Severity.WARNING if smaller else SEVERITIES[spec.status])
        beginning = spec.trigger if spec.status == "model" else spec.status
        assert without_time(event).startswith(BEGINNINGS[beginning])


def test_every_trigger_and_every_outcome_is_played() -> None:
    specs = [spec for _, script in COMPACTED for spec in made(script.steps)]
    assert {spec.trigger for spec in specs} == BEGINNINGS.keys() - {"fallback", "aborted"}
    assert {spec.status for spec in specs} == SEVERITIES.keys()
    assert any(spec.trigger == "manual" and spec.focus for spec in specs)


def test_old_and_new_releases_wrote_them() -> None:
    written = {profile.release.name for profile in profiles().values()}
    assert written >= {"0.13", "0.16", "0.18", "0.19", "0.22"}
    assert any(profile.engine for profile in profiles().values())
    assert mapping("models.yaml")
