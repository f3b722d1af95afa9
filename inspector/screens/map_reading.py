"""What the map reads, in workers of its own; each answer carries the number of the question it answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual import work
from textual.message import Message as Event

from core.compress.measure import Measured
from core.model.message import Message
from core.model.session import Generation
from core.model.storage import RowPreview
from inspector.screens.map_model import Reading, holds, read
from inspector.views import View
from inspector.workers import cancelled

SEARCH_PAGE = 500


class ReadingView(View):
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
        """A tokenizer counted one message."""

        row: int
        tokens: tuple[int, str]
        exact: bool

    @dataclass
    class Found(Event):
        """A search is over."""

        needle: str
        rows: Sequence[int]

    @property
    def generation(self) -> Generation | None:
        """The generation the cursor is in."""
        return self.cursor.within(self.subject.conversation) if self.subject else None

    @work(thread=True, group="map-page", exit_on_error=False)
    def read_page(self, start: int, ids: Sequence[int], asked: int) -> None:
        """Previews for a page of the list."""
        from core.store.store import Store

        if self.subject is None:
            return
        with Store(self.subject.location, cancelled=cancelled()) as store:
            rows = store.previews(ids)
        self.post_message(self.PageRead(start, rows, asked))

    @work(thread=True, exclusive=True, group="map-read", exit_on_error=False)
    def read_generation(self, generation: Generation, asked: int) -> None:
        """All messages of a generation, where it stands, and every number a plan may need."""
        if self.subject is not None:
            stop = cancelled()
            reading = read(self.subject, generation, stop)
            if not stop():
                self.post_message(self.Read(reading, asked))

    @work(thread=True, exclusive=True, group="map-measure", exit_on_error=False)
    def measure_for(self, messages: Sequence[Message], release: str, asked: int) -> None:
        """Measure for another release."""
        from core.compress.measure import measure
        from core.hermes.policy import load_policy

        stop = cancelled()
        measured = measure(messages, load_policy(release))
        if not stop():
            self.post_message(self.MeasuredAgain(measured, asked))

    @work(thread=True, exclusive=True, group="map-row", exit_on_error=False)
    def read_row(self, row: int) -> None:
        """One message of another generation."""
        from core.store.store import Store

        if self.subject is None:
            return
        with Store(self.subject.location, cancelled=cancelled()) as store:
            found = store.messages((row,))
        if found:
            self.post_message(self.RowRead(found[0], row))

    @work(thread=True, exclusive=True, group="map-count", exit_on_error=False)
    def count_message(self, message: Message, row: int, model: str) -> None:
        """Count one message with the tokenizer of a model; the first one loads its vocabulary."""
        from core.account.tokens import count_messages

        counts = count_messages((message,), model, cancelled=cancelled())
        if counts.complete:
            tokens = (counts.total + sum(counts.reasoning), counts.encoding.name)
            self.post_message(self.Counted(row, tokens, counts.encoding.exact))

    @work(thread=True, exclusive=True, group="map-search", exit_on_error=False)
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
