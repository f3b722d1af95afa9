"""Background work: it runs off the UI thread, can be replaced and cancelled, and never ends the app."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ParamSpec, Protocol, TypeVar, runtime_checkable

from textual import work
from textual.message import Message
from textual.notifications import SeverityLevel
from textual.widget import Widget
from textual.worker import Worker, WorkerState, get_current_worker

from core.errors import InspectorError
from core.model.finding import Headline, Severity
from core.store.database.connect import Interrupted
from inspector.base.app_protocol import shell
from inspector.terminal.text import clean_line

if TYPE_CHECKING:
    from core.store.database.locate import Location
    from core.store.store import Store

P = ParamSpec("P")
R = TypeVar("R")


def in_thread(group: str) -> Callable[[Callable[P, R]], Callable[P, Worker[R]]]:
    """Decorate a method to run in a thread that reports its errors instead of ending the app.

    A call cancels the earlier call in its group.
    """

    def decorate(method: Callable[P, R]) -> Callable[P, Worker[R]]:
        # Without a description Textual formats every argument: for 12,000 messages that is 20 MB, on the
        # UI thread.
        return work(
            thread=True,
            exclusive=True,
            group=group,
            exit_on_error=False,
            description=method.__name__,
        )(method)

    return decorate


def start(host: Widget, group: str, job: Callable[[], object], *, exclusive: bool = True) -> None:
    """Run a job in a worker thread; like `in_thread`, for work that is not a method of a widget.

    Textual's timers can keep a finished worker alive, so it drops its reference to the job before running it.
    The work is cancelled when its host is removed, and if `exclusive`, by later work of its group.
    """
    name = f"{group} for {type(host).__name__}"
    jobs = [job]
    host.run_worker(
        lambda: jobs.pop()(),
        name=name,
        group=group,
        description=name,
        thread=True,
        exclusive=exclusive,
        exit_on_error=False,
    )


@dataclass
class Answered(Message, bubble=False):
    """A thread found something: `show` displays it, unless the work was cancelled meanwhile."""

    show: Callable[[], object]
    dropped: Callable[[], bool] = lambda: False


def ask(
    host: Widget,
    group: str,
    job: Callable[[Callable[[], bool]], R | None],
    show: Callable[[R], None],
    *,
    exclusive: bool = True,
) -> None:
    """Run a job in a thread; the host calls `show` with its result on the UI thread. See `start`.

    The job gets a function that says whether to stop; None is no answer.
    """

    def run() -> None:
        stop = cancelled()
        found = job(stop)
        if found is not None and not stop():
            host.post_message(Answered(partial(show, found), stop))

    start(host, group, run, exclusive=exclusive)


def ask_store(
    host: Widget, group: str, location: Location, read: Callable[[Store], R | None], show: Callable[[R], None]
) -> None:
    """Ask a database in a thread, on a connection of the thread's own; None is no answer. See `start`."""

    def job(stop: Callable[[], bool]) -> R | None:
        from core.store.store import Store

        with Store(location, cancelled=stop) as store:
            return read(store)

    ask(host, group, job, show)


def cancelled() -> Callable[[], bool]:
    """Return a function for a worker thread that says whether the worker was cancelled.

    Pass it to whatever reads a database: `exclusive=True` only marks the old worker, its query would run on.
    """
    worker = get_current_worker()
    return lambda: worker.is_cancelled


def then(host: Widget, show: Callable[P, object], *args: P.args, **options: P.kwargs) -> None:
    """From a worker thread, have the host display a result, unless the worker was cancelled."""
    stop = cancelled()
    if not stop():
        host.post_message(Answered(partial(show, *args, **options), stop))


@runtime_checkable
class Telling(Protocol):
    """A screen that may show an error already."""

    def tells(self, words: str) -> bool:
        """Whether these words are on it."""
        ...


class Reporting:
    """Mixin for widgets and screens that own workers: an error becomes a toast instead of ending the app."""

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Tell the user about a failed worker."""
        error = event.worker.error
        if event.state is WorkerState.ERROR and error is not None:
            self.report(error)

    def on_answered(self, event: Answered) -> None:
        """Display what a thread found, unless something newer was asked for since."""
        if not event.dropped():
            event.show()

    def report(self, error: BaseException) -> None:
        """Tell the user what happened, where, and what to do; a query that we interrupted is no error."""
        if isinstance(error, Interrupted):
            return
        assert isinstance(self, Widget)
        if isinstance(error, InspectorError):
            shell(self).failures.append(error)
        words = words_of(error)
        if not _answered(self, words) and not (isinstance(self.screen, Telling) and self.screen.tells(words)):
            self.toast(words, "error", seconds=12)

    def toast(self, text: str, severity: SeverityLevel = "information", *, seconds: float = 5) -> None:
        """Show a toast; the text may be untrusted."""
        assert isinstance(self, Widget)
        self.app.notify(clean_line(text), severity=severity, markup=False, timeout=seconds)


def _answered(host: Widget, words: str) -> bool:
    """Let an error take the place of a missing answer, after which nothing is waited for."""
    bars: Iterable[Any] = host.query("AnswerBar")
    lists: Iterable[Any] = host.query("LineView")
    missing = [bar for bar in bars if not bar.answer.sentence]
    for bar in missing:
        bar.answer = Headline(f"{words}.", None, Severity.CRITICAL)
    for listing in lists if missing else ():
        listing.empty = ""
    return bool(missing)


def words_of(error: BaseException) -> str:
    """What happened, where, and what to do."""
    if isinstance(error, InspectorError):
        return error.line
    return f"Internal error: {type(error).__name__}: {error}"
