"""What another engine would do is described in its terms, not those of Hermes' compressor."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from core.compress.engines.host.hosted_preview import hosted_preview
from core.compress.planning.measure import measure
from core.compress.planning.plan import plan
from core.hermes.policy.policy import load_policy
from core.model.compaction.plan import Settings
from core.model.compaction.preview import Preview
from core.model.transcript.message import Message
from core.preview.headline import headline_of, plan_headline
from tests.core.compress.engines.builders import compacted, conversation, engine


def made(folder: Path, body: str) -> Preview:
    measured = measure(tuple(map(Message, conversation())), load_policy("0.19"))
    cut = plan(measured, Settings(window=64_000, current_tokens=40_000))
    found = compacted(engine(folder, body))
    return hosted_preview(measured, cut, found, None, "extractive")


def test_one_that_keeps_everything_is_stated_to(tmp_path: Path) -> None:
    found = made(tmp_path, "return messages")
    assert headline_of(found).sentence == (
        "Nothing would change: the engine small keeps the 26 messages as they are."
    )
    futile = plan_headline(found.plan)
    assert "/compress would change nothing: it keeps all 26 messages." in futile.sentence
    assert "Set context.engine to compressor" in str(futile.remedy)


def test_one_that_writes_nothing_is_stated_to_drop(tmp_path: Path) -> None:
    found = made(tmp_path, "return messages[-1:]")
    assert headline_of(found).sentence.startswith(
        "The engine small drops 25 of 26 messages and writes nothing in their place: "
    )


@pytest.mark.parametrize(
    ("threshold", "fires", "said"),
    [
        (0, True, "The engine small fires at 40.0K tokens; it does not say from how many on."),
        (
            32_000,
            True,
            "Past the 32K limit (0.50 of 64K): the engine small fires before the next model call.",
        ),
        (32_000, False, "Past the 32K limit (0.50 of 64K), but the engine small does not fire."),
        (48_000, False, "Not due yet: 8.0K tokens below the 48K limit (0.75 of 64K) of the engine small."),
        (48_000, True, "Below the 48K limit (0.75 of 64K), but the engine small fires."),
    ],
)
def test_when_it_fires_is_what_it_says(tmp_path: Path, threshold: int, fires: bool, said: str) -> None:
    found = made(tmp_path, "return messages[-1:]")
    told = replace(found.plan, threshold_tokens=threshold or None, would_fire=fires, compared_tokens=40_000)
    assert plan_headline(told).sentence == f"{said} /compress would replace 25 of 26 messages."
