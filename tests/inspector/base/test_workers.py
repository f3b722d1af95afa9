"""Work in threads: what it is called, and that naming it costs nothing."""

from __future__ import annotations

import gc
import weakref
from functools import partial

import pytest
from textual.app import App, ComposeResult
from textual.containers import Vertical

from inspector.base.workers import Reporting, in_thread, start


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
