"""A list is as large as the release's own, whatever its texts are; the table was made with the releases."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from core.compress.dry_run import Agent, preview
from core.compress.planning.measure import measure
from core.compress.planning.plan import plan
from core.compress.requests.request import summary_request
from core.compress.sizing.estimate import transcript_tokens
from core.compress.summarise.base import GivenSummary
from core.compress.summarise.fallback.summariser import StaticSummariser
from core.hermes.markers.wording import OURS, Wording, release_wording
from core.hermes.policy.policy import load_policy, releases
from core.model.compaction.plan import Settings
from core.model.compaction.preview import Preview
from core.model.transcript.message import Message
from tests.core.compress.conversations import SHAPES, messages
from tests.core.compress.planning.test_plan import SETTINGS

FIXTURE = Path(__file__).parents[3] / "fixtures" / "sizes.json"
BODY = '## Active Task\nIt\'s the "parser".\n\n## Goal\nA fixed summary.'
AGENT, COMPRESSOR = (Agent("sess-1", hosted=hosted) for hosted in (True, False))


def foreseen(
    rows: Sequence[Mapping[str, object]], release: str, chosen: Settings, agent: Agent = COMPRESSOR
) -> Preview:
    measured = measure([Message(dict(row)) for row in rows], load_policy(release))
    found = plan(measured, chosen)
    return preview(measured, found, GivenSummary(BODY), retention=False, agent=agent)


@pytest.mark.parametrize("release", releases())
def test_the_size_after_is_the_one_the_release_would_tell(release: str) -> None:
    for shape, seed, which, count, tokens in json.loads(FIXTURE.read_text("utf-8"))[release]:
        made = foreseen(SHAPES[shape](seed), release, SETTINGS[which])
        assert (len(made.after), made.after_tokens) == (count, tokens), (SHAPES[shape].__name__, seed, which)
        if made.summary is not None:
            assert made.feedback.token_line.endswith(f"→ ~{tokens:,} tokens")


@pytest.mark.parametrize("release", releases())
@pytest.mark.parametrize("agent", [AGENT, COMPRESSOR])
def test_what_we_would_write_is_measured_apart_and_holds_no_stand_in(release: str, agent: Agent) -> None:
    made = foreseen(SHAPES[0](8), release, SETTINGS[0], agent)
    assert made.written_tokens == transcript_tokens(made.after, load_policy(release).estimate)
    assert made.written_tokens < made.after_tokens
    texts = "\n".join(message.text for message in made.after)
    assert OURS.handoff in texts
    assert release_wording(release).handoff not in texts
    assert "~~~~" not in texts + str(made.summary)
    assert not any("_compaction_tail" in message.wire for message in made.after)


@pytest.mark.parametrize("release", releases())
def test_stand_ins_are_as_long_as_the_prefix_the_release_writes(release: str) -> None:
    theirs = release_wording(load_policy(release).summary.reads_as)
    lengths = {"0.16": 1378, "0.17": 1428, "0.18": 1428, "0.19": 1632, "0.22": 1954}
    assert len(theirs.handoff) == lengths.get(release, 772)
    assert len(theirs.note) == 327
    assert theirs.handoff.startswith("[CONTEXT SUMMARY]:")


def test_a_list_that_grows_by_the_releases_own_words_is_refused_as_it_would_be() -> None:
    rows = [{"role": "user" if i % 2 == 0 else "assistant", "content": f"word {i} " * 40} for i in range(10)]
    chosen = Settings(window=64000, protect_first=0, protect_last=1, tail_mode="legacy", target_ratio=0.01)
    made = foreseen(rows, "0.22", chosen, AGENT)
    assert made.summary is not None
    unguarded = foreseen(rows, "0.22", chosen)
    assert unguarded.written_tokens is not None
    assert unguarded.written_tokens < made.before_tokens < unguarded.after_tokens
    assert made.summary_index is None
    assert made.after == made.before


@pytest.mark.parametrize("release", ["0.16", "0.22"])
def test_a_summary_by_rule_leaves_room_for_the_prefix_of_the_release(release: str) -> None:
    measured = measure(messages(11), load_policy(release))
    request = summary_request(measured, plan(measured, replace(SETTINGS[0], window=128000)))
    prefix = len(release_wording(release).handoff)
    bodies = [
        StaticSummariser(measured.policy, prefix_length=length).summarise(request).body
        for length in (None, prefix, prefix + 5000)
    ]
    assert bodies[0] == bodies[1] != bodies[2]


def test_our_words_close_no_section() -> None:
    assert (OURS.skills, OURS.identifiers, OURS.users) == ("", "", "")
    assert isinstance(OURS, Wording)
