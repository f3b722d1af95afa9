"""Work that takes time: off the screen's thread, replaceable, cancellable, and never the end of the app."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from textual import work
from textual.message import Message
from textual.notifications import SeverityLevel
from textual.widget import Widget
from textual.worker import Worker, WorkerState, get_current_worker

from core.errors import InspectorError
from core.store.database.connect import Interrupted
from inspector.base.app_protocol import shell
from inspector.terminal.text import clean_line

if TYPE_CHECKING:
    from core.store.database.locate import Location
    from core.store.store import Store

P = ParamSpec("P")
R = TypeVar("R")


def in_thread(group: str) -> Callable[[Callable[P, R]], Callable[P, Worker[R]]]:
    """Decorator: calls of this method run in a thread, and what they raise is reported, not fatal.

    A call takes the place of the one before it in its group, which is told to stop.
    """

    def decorate(method: Callable[P, R]) -> Callable[P, Worker[R]]:
        # Without a description Textual writes out every argument: for 12,000 messages that is 20 MB, on the
        # thread that draws.
        return work(
            thread=True,
            exclusive=True,
            group=group,
            exit_on_error=False,
            description=method.__name__,
        )(method)

    return decorate


def start(host: Widget, group: str, job: Callable[[], object], *, exclusive: bool = True) -> None:
    """The same for work that lives outside a widget: run it in a thread of the widget that is told.

    Timers made meanwhile keep a worker long after it is done, so it lets go of its job before it does it.

    Args:
        host: A `Reporting` widget or screen; when it goes, the work is told to stop.
        group: Names the work among that of the host.
        job: What to do; it finds out by `cancelled` whether to go on.
        exclusive: It takes the place of the work of this group before it.
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
    """A thread found something; `show` puts it on screen, unless the host asked for something else since."""

    show: Callable[[], object]


def ask(
    host: Widget,
    group: str,
    job: Callable[[Callable[[], bool]], R | None],
    show: Callable[[R], None],
    *,
    exclusive: bool = True,
) -> None:
    """Run a job in a thread and send the host what it found, as an `Answered`.

    Args:
        host: As for `start`; it calls the event's `show`, on the thread that draws.
        group: As for `start`.
        job: Gets a function that says whether to stop; None is no answer.
        show: What to do with the answer.
        exclusive: As for `start`.
    """

    def run() -> None:
        stop = cancelled()
        found = job(stop)
        if found is not None and not stop():
            host.post_message(Answered(partial(show, found)))

    start(host, group, run, exclusive=exclusive)


def ask_store(
    host: Widget, group: str, location: Location, read: Callable[[Store], R | None], show: Callable[[R], None]
) -> None:
    """The same for what a database answers, read on a connection of the thread's own.

    Args:
        host: As for `start`.
        group: As for `start`.
        location: The database.
        read: Asks it.
        show: What to do with the answer.
    """

    def job(stop: Callable[[], bool]) -> R | None:
        from core.store.store import Store

        with Store(location, cancelled=stop) as store:
            return read(store)

    ask(host, group, job, show)


def cancelled() -> Callable[[], bool]:
    """For use in a worker's thread: says whether the worker was told to stop.

    Hand it to whatever reads a database: `exclusive=True` alone marks the old worker but lets its query run.
    """
    worker = get_current_worker()
    return lambda: worker.is_cancelled


def then(host: Widget, show: Callable[P, object], *args: P.args, **options: P.kwargs) -> None:
    """In a worker's thread: have what it found put on screen, unless it was told to stop."""
    if not get_current_worker().is_cancelled:
        host.post_message(Answered(partial(show, *args, **options)))


class Reporting:
    """For widgets and screens that own workers: an error becomes a toast, never the end of the app."""

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Tell the user what failed."""
        error = event.worker.error
        if event.state is WorkerState.ERROR and error is not None:
            self.report(error)

    def on_answered(self, event: Answered) -> None:
        """Put on screen what a thread found."""
        event.show()

    def report(self, error: BaseException) -> None:
        """Say what happened, where, and what to do; a query we stopped ourselves is no news."""
        if isinstance(error, Interrupted):
            return
        if isinstance(error, InspectorError):
            assert isinstance(self, Widget)
            shell(self).failures.append(error)
        self.toast(_words(error), "error", seconds=12)

    def toast(self, text: str, severity: SeverityLevel = "information", *, seconds: float = 5) -> None:
        """Say something at the edge of the screen; any text is safe."""
        assert isinstance(self, Widget)
        self.app.notify(clean_line(text), severity=severity, markup=False, timeout=seconds)


def _words(error: BaseException) -> str:
    if isinstance(error, InspectorError):
        return error.line
    return f"Internal error: {type(error).__name__}: {error}"
