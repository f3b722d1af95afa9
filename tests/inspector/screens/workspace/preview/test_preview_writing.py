"""A model writes the summary of a preview: asked first, shown as it writes, given up, failed."""

from __future__ import annotations

from threading import Event
from types import SimpleNamespace

import pytest
from textual.pilot import Pilot

from core.compress.summarise.base import (
    Cancelled,
    Endpoint,
    FailureKind,
    GivenSummary,
    OnText,
    SummaryFailure,
    SummaryRequest,
    SummaryResult,
    SummaryStatus,
)
from core.preview.offers import Offers, Writer, prompt_of
from core.store.database.locate import Location
from inspector.base.commands import hint
from inspector.screens.workspace.preview.next_screens import NOTHING
from inspector.screens.workspace.preview.panes import SIDES, TEXT
from inspector.screens.workspace.preview.summariser_choice import Another, WriterChoice, consequence
from inspector.screens.workspace.preview.typed_answers import DROPPED
from inspector.screens.workspace.preview.work import UNREAD, PreviewWork
from tests.inspector.driving import front, keys, settled
from tests.inspector.screens.conftest import answer, drawn, open_app, press, settle
from tests.inspector.screens.previewing import FULL, basis_of, shown, view


class Model:
    """A model that writes in pieces, and can be made to wait or fail."""

    name = "anthropic"

    def __init__(self, failure: SummaryFailure | None = None) -> None:
        self.failure = failure
        self.asked: list[SummaryRequest] = []
        self.go_on = Event()
        self.go_on.set()

    def describe(self) -> Endpoint | None:
        return Endpoint("api.example", "sonnet", local=False)

    def summarise(
        self, request: SummaryRequest, *, on_text: OnText | None = None, cancelled: Cancelled | None = None
    ) -> SummaryResult:
        self.asked.append(request)
        if on_text is not None:
            on_text("## Goal\nwritten by the model")
        while not self.go_on.wait(0.01):
            if cancelled is not None and cancelled():
                raise SummaryFailure(FailureKind.CANCELLED, "given up")
        if self.failure is not None:
            raise self.failure
        return SummaryResult("## Goal\nwritten by the model", SummaryStatus.MODEL, "sonnet")


def let_write(pilot: Pilot[None], model: Model) -> None:
    view(pilot).work.writer = Writer("sonnet", "at api.example", model, sends=1_000)
    view(pilot).maker.make()


async def test_at_80_columns_the_key_that_leads_to_writing_a_preview_is_named(samples: Location) -> None:
    async with settled(running := open_app(samples, FULL, "preview"), 80, 24):
        for named in ("f focus", "F compare", "x lost", "A apply", "esc back", "? more"):
            assert named in keys(running)


async def test_the_prompt_can_be_read_before_anything_is_sent(samples: Location) -> None:
    async with settled(open_app(samples, FULL, "preview"), 140, 40) as pilot:
        await press(pilot, "p")
        assert view(pilot).panes.mode == TEXT
        assert prompt_of(basis_of(pilot), None).text.splitlines()[0][:60] in drawn(pilot)
        await press(pilot, "escape")
        assert view(pilot).panes.mode == SIDES


async def test_what_a_model_writes_appears_as_it_arrives(samples: Location) -> None:
    async with settled(open_app(samples, FULL, "preview"), 140, 40) as pilot:
        model = Model()
        model.go_on.clear()
        let_write(pilot, model)
        while "written by the model" not in drawn(pilot):
            await pilot.pause(0.01)
        assert "esc cancels" in drawn(pilot)
        model.go_on.set()
        await settle(pilot)
        assert "written by the model" in shown(pilot).summary
        assert view(pilot).panes.mode == SIDES
        assert "sonnet at api.example" in drawn(pilot)


async def test_escape_gives_up_waiting_and_leaves_what_was_there(samples: Location) -> None:
    async with settled(open_app(samples, FULL, "preview"), 140, 40) as pilot:
        before, model = shown(pilot), Model()
        model.go_on.clear()
        let_write(pilot, model)
        while "written by the model" not in drawn(pilot):
            await pilot.pause(0.01)
        await press(pilot, "escape")
        assert shown(pilot) is before
        assert view(pilot).panes.mode == SIDES
        assert "offline summary" in drawn(pilot)


async def test_the_cut_is_on_screen_before_the_summary_and_stays_when_it_is_given_up(
    samples: Location, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = Model()
    model.go_on.clear()
    slow = Writer("sonnet", "at api.example", model)
    monkeypatch.setattr("inspector.screens.workspace.preview.work.offline", lambda basis: slow)
    async with open_app(samples, FULL, "preview").run_test(size=(140, 40)) as pilot:
        while not model.asked:
            await pilot.pause(0.01)
        await press(pilot, "escape")
        frame = drawn(pilot)
        assert all(f"═ {part} ═" in frame for part in ("head", "middle", "summary", "tail"))
        assert "No summary was made." in frame
        assert "═ summary ═ – tokens" in frame
        assert "~0" not in frame, "what is kept weighs what it did"
        assert "Cancelled" in frame
        await press(pilot, "A")
        assert view(pilot).work.shown is None
        assert NOTHING in [notification.message for notification in pilot.app._notifications]


async def test_reading_that_was_given_up_begins_again_when_asked_to(samples: Location) -> None:
    async with settled(open_app(samples, FULL, "preview"), 140, 40) as pilot:
        view(pilot).enter()
        view(pilot).maker.give_up()
        await settle(pilot)
        assert view(pilot).work.refusal == hint(UNREAD)
        await press(pilot, "r")
        assert shown(pilot).summary


async def test_a_model_that_fails_has_the_consequence_the_release_gives_it(samples: Location) -> None:
    async with settled(open_app(samples, FULL, "preview"), 140, 40) as pilot:
        let_write(pilot, Model(SummaryFailure(FailureKind.OVERLOADED, "the server is overloaded")))
        await settle(pilot)
        feedback = shown(pilot).feedback
        assert feedback is not None
        assert feedback.fallback_used or feedback.aborted


async def test_nothing_is_sent_before_it_was_confirmed(samples: Location) -> None:
    async with settled(open_app(samples, FULL, "preview"), 140, 40) as pilot:
        model = Model()
        chosen: list[Writer | Another | None] = []
        offers = Offers((Writer("sonnet", "at api.example", model, sends=38_100),))
        pilot.app.push_screen(WriterChoice(offers), chosen.append)
        await press(pilot, "enter")
        assert chosen == []
        assert "Sends ~38,100 tokens of this conversation, with credentials masked, to sonnet" in " ".join(
            drawn(pilot).split()
        )
        await press(pilot, "enter")
        assert [writer.title for writer in chosen if isinstance(writer, Writer)] == ["sonnet"]
        assert model.asked == []


@pytest.mark.parametrize("key", ["escape", "q"])
async def test_leaving_the_choice_changes_nothing(samples: Location, key: str) -> None:
    async with settled(open_app(samples, FULL, "preview"), 140, 40) as pilot:
        before = view(pilot).work.writer
        await press(pilot, "m")
        assert isinstance(pilot.app.screen, WriterChoice)
        await press(pilot, key)
        assert view(pilot).work.writer is before


def test_an_unknown_price_is_stated_to_be_unknown() -> None:
    writer = Writer("hermes-5", "at localhost", Model(), sends=10, price=None)
    assert "at an unknown price" in consequence(writer, sure=True)


def test_the_model_asked_after_a_failure_is_named_before_anything_is_sent() -> None:
    writer = Writer("small", "at api.example", Model(), sends=10, second="big at api.other")
    assert "to small at api.example, and if that fails to big at api.other, for" in consequence(
        writer, sure=True
    )


async def test_a_model_at_another_server_can_be_named(samples: Location) -> None:
    async with settled(open_app(samples, FULL, "preview"), 150, 40) as pilot:
        await press(pilot, "m", "o")
        await answer(pilot, "my-model @ http://127.0.0.1:9/v1")
        front(pilot.app, WriterChoice)
        assert "my-model" in drawn(pilot)
        assert "to my-model at 127.0.0.1" in drawn(pilot)
        assert "Enter asks again before anything is sent." in drawn(pilot)
        await press(pilot, "escape")
        assert view(pilot).work.writer is not None
        assert shown(pilot).made_by == "offline summary"


async def test_an_edited_summary_goes_with_the_focus_it_was_made_for(samples: Location) -> None:
    async with settled(open_app(samples, FULL, "preview"), 140, 40) as pilot:
        view(pilot).maker.use(Writer("edited", "your own text", GivenSummary("## Goal\nmine", "edited")))
        await settle(pilot)
        assert shown(pilot).made_by == "your own text"
        work = view(pilot).work
        assert work.offline_writer(basis_of(pilot)).title == "offline summary"
        await press(pilot, "f")
        await answer(pilot, "reader")
        assert shown(pilot).made_by == "offline summary"
        assert DROPPED in [notification.message for notification in pilot.app._notifications]


@pytest.mark.parametrize(
    ("spent", "told"), [(True, "only an earlier summary"), (False, "head and tail hold")]
)
def test_why_nothing_can_be_summarised_is_what_the_answer_says(spent: bool, told: str) -> None:
    plan = SimpleNamespace(summarises=False, spent=spent)
    assert told in PreviewWork(basis=SimpleNamespace(plan=plan)).refusal  # type: ignore[arg-type]
