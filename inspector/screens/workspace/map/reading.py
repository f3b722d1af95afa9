"""What the map reads, in workers of its own; each answer carries the number of the question it answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual.message import Message as Event

from core.compress.planning.measure import Measured
from core.model.accounting.usage import TokenCounts
from core.model.transcript.conversation import Generation
from core.model.transcript.message import Message
from core.model.transcript.storage import RowPreview
from core.preview.generation import Reading, read
from inspector.base.workers import cancelled, in_thread
from inspector.screens.workspace.map.model import holds
from inspector.screens.workspace.views import GenerationView

SEARCH_PAGE = 500


class ReadingView(GenerationView):
    """The workers behind the map. A subclass handles the events; late answers have an old `asked`."""

    @dataclass
    class PageRead(Event):
        """Previews of some rows arrived."""

        start: int
        rows: Sequence[RowPreview]
        asked: int

    @dataclass
    class Read(Event):
        """A generation was read whole and measured."""

        reading: Reading
        asked: int

    @dataclass
    class MeasuredAgain(Event):
        """The messages were measured for another release."""

        measured: Measured
        asked: int

    @dataclass
    class RowRead(Event):
        """One message outside the generation was read."""

        message: Message
        row: int

    @dataclass
    class Counted(Event):
        """A tokenizer counted the messages of a generation."""

        counts: TokenCounts
        asked: int

    @dataclass
    class Found(Event):
        """A search is over."""

        needle: str
        rows: Sequence[int]

    @in_thread("map-page", exclusive=False)
    def read_page(self, start: int, ids: Sequence[int], asked: int) -> None:
        """Previews for a page of the list."""
        from core.store.store import Store

        if self.subject is None:
            return
        with Store(self.subject.location, cancelled=cancelled()) as store:
            rows = store.previews(ids)
        self.post_message(self.PageRead(start, rows, asked))

    @in_thread("map-read")
    def read_generation(self, generation: Generation, asked: int) -> None:
        """All messages of a generation, where it stands, and every number a plan may need."""
        if self.subject is not None:
            stop = cancelled()
            reading = read(self.subject.location, generation, stop)
            if not stop():
                self.post_message(self.Read(reading, asked))

    @in_thread("map-measure")
    def measure_for(self, messages: Sequence[Message], release: str, asked: int) -> None:
        """Measure for another release."""
        from core.compress.planning.measure import measure
        from core.hermes.policy.policy import load_policy

        stop = cancelled()
        measured = measure(messages, load_policy(release))
        if not stop():
            self.post_message(self.MeasuredAgain(measured, asked))

    @in_thread("map-row")
    def read_row(self, row: int) -> None:
        """One message of another generation."""
        from core.store.store import Store

        if self.subject is None:
            return
        with Store(self.subject.location, cancelled=cancelled()) as store:
            found = store.messages((row,))
        if found:
            self.post_message(self.RowRead(found[0], row))

    @in_thread("map-count")
    def count(self, messages: Sequence[Message], model: str, asked: int) -> None:
        """Count messages with the tokenizer of a model; texts counted before are found in the cache."""
        from core.account.tokenizers.child_process import TokenizerProcess
        from core.account.tokenizers.count import count_messages
        from core.account.tokenizers.count_cache import TokenCache

        stop = cancelled()
        with TokenCache() as cache, TokenizerProcess() as tokenizer:
            counts = count_messages(messages, model, cache=cache, count=tokenizer.count, cancelled=stop)
        if counts.complete and not stop():
            self.post_message(self.Counted(counts, asked))

    @in_thread("map-search")
    def search(self, ids: Sequence[int], needle: str) -> None:
        """Rows whose text, arguments or tool names hold a text, whatever its case."""
        from core.store.store import Store

        if self.subject is None:
            return
        stop, wanted = cancelled(), needle.casefold()
        rows: list[int] = []
        with Store(self.subject.location, cancelled=stop) as store:
            for start in range(0, len(ids), SEARCH_PAGE):
                page = store.messages(ids[start : start + SEARCH_PAGE])
                rows += [message.row.id for message in page if message.row and holds(message, wanted)]
        if not stop():
            self.post_message(self.Found(needle, rows))
