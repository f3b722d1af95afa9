"""What turning a setting of the what-if bar, and a preview, cost in a long conversation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from core.compress.planning.measure import measure as measure_messages
from core.compress.planning.plan import plan
from core.hermes.policy.policy import load_policy, releases
from core.model.compaction.plan import Settings
from core.model.transcript.message import Message
from core.store.store import Store
from tests.benchmarks import measure
from tests.benchmarks.measure import Result
from tests.benchmarks.stores import Stores

ASKED = ("compress", "plan")


def results(stores: Stores) -> Iterator[Result]:
    """Planning again, the slowest of all releases; and measuring once, which happens in a worker."""
    messages = _messages(stores)
    again, once = [], []
    for release in releases():
        policy = load_policy(release)
        once.append(measure.call(partial(measure_messages, messages, policy), runs=2))
        measured = measure_messages(messages, policy)
        settings = replace(Settings(), window=200_000)
        again.append(measure.call(partial(plan, measured, settings)))
    yield Result(f"plan {len(messages):,} messages again", max(again) * 1000, "ms", 16)
    yield Result(f"measure {len(messages):,} messages once", max(once) * 1000, "ms", 1000)
    asked = [measure.inspector_command(one, "latest", "--db", str(stores.long), "--json") for one in ASKED]
    previewed, planned = measure.in_turn(*asked, runs=2)
    yield Result("a preview of them / their plan, as commands", previewed.busy / planned.busy, "x", 16)


def _messages(stores: Stores) -> tuple[Message, ...]:
    with Store(stores.long) as store:
        conversation = store.conversation(store.resolve("latest").id)
        return store.generation_messages(conversation.generations[-1])
