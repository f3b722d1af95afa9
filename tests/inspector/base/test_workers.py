"""Work in threads: what it is called, and that naming it costs nothing."""

from __future__ import annotations

import gc
import threading
import weakref
from functools import partial

import pytest
from textual.app import App, ComposeResult
from textual.containers import Vertical
from textual.message import Message

from inspector.base.workers import Answered, Reporting, in_thread, start, then


class Silent:
    """An argument that nobody may write out."""

    def __repr__(self) -> str:
        pytest.fail("an argument was written out to name the work")


class Working(Reporting, Vertical):
    @in_thread("some")
    def work_on(self, subject: Silent, *, fail: bool = False) -> str:
        if fail:
            raise ValueError("[no] such thing")
        return "done"


class Busy(Working):
    """What is found waits until the host comes to it."""

    def __init__(self) -> None:
        super().__init__()
        self.waiting: list[Answered] = []
        self.shown: list[str] = []

    def post_message(self, message: Message) -> bool:
        if isinstance(message, Answered):
            self.waiting.append(message)
            return True
        return super().post_message(message)

    @in_thread("some")
    def look_for(self, what: str, *, more: threading.Event) -> None:
        then(self, self.shown.append, what)
        more.wait(60)


class WorkingApp(App[None]):
    def compose(self) -> ComposeResult:
        yield Working()


async def test_its_arguments_are_not_written_out_to_name_it() -> None:
    app = WorkingApp()
    async with app.run_test():
        worker = app.query_one(Working).work_on(Silent())
        assert await worker.wait() == "done"
        assert (worker.group, worker.description) == ("some", "work_on")


async def test_what_it_raises_becomes_a_toast_and_not_the_end_of_the_app() -> None:
    app = WorkingApp()
    async with app.run_test() as pilot:
        worker = app.query_one(Working).work_on(Silent(), fail=True)
        while not worker.is_finished:
            await pilot.pause(0.01)
        await pilot.pause()
        assert [one.message for one in app._notifications] == ["Internal error: ValueError: [no] such thing"]
        assert app.is_running


async def test_work_that_is_done_holds_nothing_of_what_it_was_about() -> None:
    app = WorkingApp()
    async with app.run_test() as pilot:
        subject = Silent()
        about = weakref.ref(subject)
        start(app.query_one(Working), "some", partial(id, subject))
        (worker,) = app.workers
        del subject
        while not worker.is_finished:
            await pilot.pause(0.01)
        gc.collect()
        assert about() is None


async def test_what_was_found_before_something_newer_was_asked_for_is_not_shown() -> None:
    app, more = WorkingApp(), threading.Event()
    async with app.run_test() as pilot:
        host = Busy()
        await app.mount(host)
        for number, what in enumerate(("old", "new"), 1):
            host.look_for(what, more=more)
            while len(host.waiting) < number:
                await pilot.pause(0.01)
        more.set()
        for answer in host.waiting:
            host.on_answered(answer)
        assert host.shown == ["new"]
