"""One generation of a conversation read whole, for planning: as it is, or under other settings."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

from core.compress.planning.measure import Measured, measure, measured_on
from core.compress.planning.outlined import outlined
from core.compress.planning.plan import plan
from core.explain.context.context import counted_sizes, forget_messages, passing
from core.explain.context.generation import GenerationContext, generation_context
from core.hermes.policy.policy import documents, load_policy, releases
from core.model.compaction.plan import Plan
from core.model.finding import Evidence, certainty
from core.model.transcript.conversation import Conversation, Generation
from core.model.transcript.message import Message
from core.preview.comparison import ToolPairs
from core.preview.what_if import Hypothesis, WhatIf
from core.store.database.connect import Cancelled
from core.store.database.locate import Location
from core.store.store import Store

ORIGINS = (
    ("threshold", "compression.threshold"),
    ("target ratio", "compression.target_ratio"),
    ("protect first", "compression.protect_first_n"),
    ("protect last", "compression.protect_last_n"),
    ("output reservation", "model.max_tokens"),
)
"""Values of the what-if bar, with the keys of config.yaml that set them."""


@dataclass(frozen=True)
class RowPlaces:
    """Rows in the order of a list, found by bisection, as a dictionary takes 100 bytes a row.

    Attributes:
        ids: Row ids, each once.
    """

    ids: Sequence[int] = ()

    def place(self, row: int | None) -> int | None:
        """The index of a row; None if it is not in the list."""
        if row is None:
            return None
        at = bisect_left(self._ascending, row, key=self.ids.__getitem__)
        found = self._ascending[at] if at < len(self.ids) else -1
        return found if found >= 0 and self.ids[found] == row else None

    @cached_property
    def _ascending(self) -> Sequence[int]:
        """The indices ordered by row id, which is nearly always their order already."""
        places = range(len(self.ids))
        if all(one < following for one, following in pairwise(self.ids)):
            return places
        return array("i", sorted(places, key=self.ids.__getitem__))


@dataclass(frozen=True, slots=True)
class Reading:
    """One generation read whole.

    Attributes:
        rows: The rows of the messages.
        pairs: Which call each result among them answers.
    """

    context: GenerationContext
    rows: RowPlaces
    pairs: ToolPairs
    measured: Measured

    @property
    def messages(self) -> tuple[Message, ...]:
        """The messages of the generation, as the model saw them."""
        return self.context.messages

    @property
    def what_if(self) -> WhatIf:
        """A what-if bar with nothing changed."""
        actual = Hypothesis(self.context.policy.release, self.context.settings)
        return WhatIf.of(actual, (*releases(), *documents()))

    def under(self, supposed: Hypothesis) -> Reading:
        """The same generation under another release or other settings."""
        policy = load_policy(supposed.release)
        same = policy.release == self.measured.policy.release
        return replace(
            self,
            context=replace(self.context, policy=policy, settings=supposed.settings),
            measured=self.measured if same else measure(self.messages, policy),
        )

    def planned(self, measured: Measured, supposed: Hypothesis) -> Plan:
        """Where the cut would be; takes milliseconds for any number of messages."""
        return plan(measured, supposed.settings, self.context.gate)

    @property
    def origins(self) -> tuple[str, ...]:
        """The origins of release, window and settings, one a line."""
        here = self.context
        release, window = here.context.release, here.context.window
        lines = [f"release {release.version}, {certainty(release)}{_because(release.evidence)}"]
        size = "window unknown" if window.tokens is None else f"window {window.tokens:,}, {certainty(window)}"
        lines.append(size + _because(window.evidence))
        for label, key in ORIGINS:
            setting = here.config.setting(key, here.policy.release)
            value = "none" if setting.value is None else setting.value
            note = f" ({setting.note})" if setting.note else ""
            lines.append(f"{label} {value}, {setting.origin}{note}")
        return tuple(lines)


def read(
    location: Location,
    generation: Generation,
    stop: Cancelled,
    *,
    conversation: Conversation | None = None,
    before: Reading | None = None,
) -> Reading:
    """Read and measure a generation on a separate connection; its credentials are known from then on.

    If it only grew since the reading before, only new rows are read.
    """
    grew = before if before is not None and _grew(before, location, generation) else None
    start = len(grew.measured.messages) if grew else 0
    with Store(location, cancelled=stop) as store:
        if conversation is None:
            store.learn(generation.session_id)
        here = generation_context(
            store,
            generation.session_id,
            generation=generation.index,
            conversation=conversation,
            known=grew.messages if grew and grew.measured.whole else (),
            begin=start,
        )
    measured = measured_on(grew.measured, here.messages) if grew else _measured(here)
    if measured is None or measured.policy.release != here.policy.release:
        return read(location, generation, stop, conversation=conversation)
    rows = array("q", grew.rows.ids if grew else ())
    rows.extend(message.row.id if message.row else 0 for message in here.messages)
    pairs = (grew.pairs if grew else ToolPairs()).grown(here.messages)
    measured_generation = replace(here, closed=replace(here.closed, messages=measured.messages))
    return Reading(measured_generation, RowPlaces(rows), pairs, measured)


def followed(
    location: Location,
    generation: Generation,
    stop: Cancelled,
    *,
    conversation: Conversation,
    before: Reading | None = None,
) -> Reading:
    """The same for repeated reading: the texts are dropped unless each reading needs them."""
    found = read(location, generation, stop, conversation=conversation, before=before)
    if not forget_messages(found.context.context):
        return found
    old = before.measured if before is not None and not found.measured.whole else None
    start = 0 if old is None else min(len(old.messages), max(0, old.columns.newest_assistant))
    lean = outlined(found.measured, start)
    here = replace(found.context, closed=replace(found.context.closed, messages=lean.messages))
    return replace(found, context=here, measured=lean)


def with_texts(location: Location, reading: Reading, stop: Cancelled) -> Reading:
    """A reading with the texts of its messages, which are read again if they were dropped."""
    generation = reading.context.generation
    if reading.measured.whole or generation is None:
        return reading
    return read(location, generation, stop, conversation=reading.context.conversation)


def texts_of(location: Location, reading: Reading, stop: Cancelled) -> Generator[Message, None, None]:
    """The messages of a reading with their texts, one by one, so that a caller need not hold all.

    It holds a database open: a caller that may stop early closes it in its own thread.
    """
    here = reading.context
    if reading.measured.whole or here.conversation.generations[-1:] != (here.generation,):
        yield from with_texts(location, reading, stop).messages
        return
    with Store(location, cancelled=stop) as store:
        yield from passing(replace(here.context, store=store), reading.rows.ids)


def _measured(context: GenerationContext) -> Measured:
    return measure(context.messages, context.policy, counted_sizes(context.context, context.messages))


def _grew(before: Reading, location: Location, generation: Generation) -> bool:
    """Whether a generation is the one read before, the newest then, with rows added at the end."""
    old, context = before.context.generation, before.context.context
    newest = context.conversation.generations[-1:] == (old,) and context.store.location == location
    return old is not None and newest and old.grew_to(generation)


def _because(evidence: Sequence[Evidence]) -> str:
    return f": {evidence[0].text} ({evidence[0].where})" if evidence else ""
