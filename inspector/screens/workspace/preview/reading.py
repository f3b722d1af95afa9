"""What the preview reads and makes, in workers of its own; each answer carries the number of its question."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from textual.message import Message as Event

from core.compress.dry_run import preview
from core.compress.planning.measure import Measured
from core.compress.planning.plan import plan
from core.compress.sizing.estimate import message_size, total_tokens
from core.compress.summarise.base import Summariser
from core.model.compaction.plan import Plan
from core.model.compaction.preview import Preview
from core.model.transcript.conversation import Generation
from core.model.transcript.message import Message
from inspector.base.workers import cancelled, in_thread
from inspector.preview.comparison import Comparison, foreseen, kept_of
from inspector.preview.savings import read_rate
from inspector.preview.what_if import Hypothesis
from inspector.screens.workspace.map.model import Reading, read
from inspector.screens.workspace.views import GenerationView, Subject
from inspector.widgets.messages.diff_view import DiffLine, message_diff


@dataclass(frozen=True, slots=True)
class Basis:
    """What every preview of one generation starts from.

    Attributes:
        reading: The generation, under what is supposed when something is.
        rate: USD a token in each later request.
        supposed: What differs from what is true, in words; empty when nothing does.
    """

    reading: Reading
    plan: Plan
    rate: Decimal | None = None
    supposed: str = ""

    def keeping(self, turns: int | None) -> Basis:
        """The same with the last user turns kept; None leaves the cut to the release."""
        here = self.reading.situation
        return replace(self, plan=plan(self.reading.measured, here.settings, here.gate, keep=turns))


def basis_of(
    subject: Subject, generation: Generation, stop: Callable[[], bool], supposed: Hypothesis | None = None
) -> Basis:
    """Read, measure and plan a generation, as it is or as the what-if bar supposes it to be."""
    actual = read(subject, generation, stop)
    reading = actual if supposed is None else actual.under(supposed)
    cut = reading.planned(reading.measured, reading.what_if.actual)
    rate = read_rate(subject.conversation.tip, cut.compared_tokens)
    return Basis(reading, cut, rate, actual.what_if.supposing(supposed).named())


def compare(
    basis: Basis,
    summariser: Summariser,
    focus: str | None,
    *,
    on_text: Callable[[str], None] | None = None,
    stop: Callable[[], bool] | None = None,
) -> Comparison:
    """Carry a planned compaction out on paper."""
    measured = basis.reading.measured
    tip = basis.reading.situation.conversation.tip
    made = preview(measured, basis.plan, summariser, focus, session=tip.id, on_text=on_text, cancelled=stop)
    weights = weights_after(made, measured)
    shown = foreseen(made, measured.estimates, weights, _author(summariser, made), basis.rate)
    return replace(shown, supposed=basis.supposed)


def weights_after(made: Preview, measured: Measured) -> tuple[int, ...]:
    """The estimate of each message after; only those that changed are measured."""
    kept = kept_of(made.before, made.after, made.summary_index)
    return tuple(_weight(message, kept.get(index), measured) for index, message in enumerate(made.after))


def _weight(message: Message, origin: int | None, measured: Measured) -> int:
    if origin is not None and message.wire is measured.messages[origin].wire:
        return measured.estimates[origin]
    rules = measured.policy.estimate
    return total_tokens((message_size(message.wire, rules),), rules)


def _author(summariser: Summariser, made: Preview) -> str:
    where = summariser.describe()
    if made.summary is None:
        return "no summary"
    return f"{summariser.name}, offline" if where is None else f"{where.model} at {where.host}"


class PreparingView(GenerationView):
    """The workers behind the preview. A subclass handles the events."""

    @dataclass
    class Prepared(Event):
        """A generation was read; previews of it cost little from now on."""

        basis: Basis
        asked: int

    @dataclass
    class Recut(Event):
        """The same messages were cut elsewhere."""

        basis: Basis
        turns: str
        asked: int

    @dataclass
    class Compared(Event):
        """Both sides are there."""

        comparison: Comparison | None
        asked: int

    @dataclass
    class Written(Event):
        """A piece of the summary arrived from a model."""

        text: str
        asked: int

    @dataclass
    class Diffed(Event):
        """The unified diff is there."""

        lines: Sequence[DiffLine]
        asked: int

    @in_thread("preview")
    def prepare(self, generation: Generation, supposed: Hypothesis | None, asked: int) -> None:
        """Read a generation."""
        if self.subject is None:
            return
        stop = cancelled()
        basis = basis_of(self.subject, generation, stop, supposed)
        if not stop():
            self.post_message(self.Prepared(basis, asked))

    @in_thread("preview")
    def recut(self, basis: Basis, turns: str, asked: int) -> None:
        """Cut where the user's last turns begin; where the release cuts when no number is given."""
        stop, cut = cancelled(), basis.keeping(int(turns[:9]) if turns else None)
        if not stop():
            self.post_message(self.Recut(cut, turns, asked))

    @in_thread("preview")
    def foresee(self, basis: Basis, summariser: Summariser, focus: str | None, asked: int) -> None:
        """Make a preview; what a model writes is shown as it arrives."""
        stop = cancelled()

        def show(text: str) -> None:
            self.post_message(self.Written(text, asked))

        comparison = compare(basis, summariser, focus, on_text=show, stop=stop)
        if not stop():
            self.post_message(self.Compared(comparison, asked))

    @in_thread("preview")
    def look_back(self, generation: Generation, asked: int) -> None:
        """Put together what the compaction that ended a generation really did."""
        from inspector.preview.past import happened

        if self.subject is None:
            return
        stop = cancelled()
        comparison = happened(self.subject, generation, stop)
        if not stop():
            self.post_message(self.Compared(comparison, asked))

    @in_thread("preview-diff")
    def diff(self, shown: Comparison, asked: int) -> None:
        """Make the unified diff."""
        stop = cancelled()
        spans = shown.head, shown.middle, shown.tail
        lines: list[DiffLine] = []
        for line in message_diff(shown.before, shown.after, spans, shown.kept, shown.summary):
            if stop():
                return
            lines.append(line)
        self.post_message(self.Diffed(lines, asked))
