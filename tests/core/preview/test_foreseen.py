"""A preview heeds the home it is made for: its config, its prices, the day; in the app as elsewhere."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest

from core.compress.summarise.base import (
    Cancelled,
    Endpoint,
    FailureKind,
    OnText,
    SummaryFailure,
    SummaryRequest,
    SummaryResult,
    SummaryStatus,
)
from core.compress.summarise.model_choice import ModelChoice
from core.model.accounting.amounts import Buckets
from core.model.compaction.preview import SummaryCall
from core.preview.foreseen import Basis, basis_of, carried_rate, carry_out, compare
from core.preview.summarisers import summary_price
from core.preview.words import call_words
from core.store.database.locate import Location
from core.store.store import Store
from core.support.own_files import OWN_PRICES, config_directory
from tests.core.explain.conftest import MakeHome
from tests.core.explain.home import CONFIG, Home


class Model:
    """A model that answers, or fails in one way."""

    name = "scripted"

    def __init__(self, failure: FailureKind | None = None) -> None:
        self.failure = failure
        self.asked: list[SummaryRequest] = []

    def describe(self) -> Endpoint | None:
        return Endpoint("api.example", "sonnet", local=False)

    def summarise(
        self, request: SummaryRequest, *, on_text: OnText | None = None, cancelled: Cancelled | None = None
    ) -> SummaryResult:
        self.asked.append(request)
        if self.failure is not None:
            raise SummaryFailure(self.failure, "the model failed")
        return SummaryResult("## Goal\nwritten", SummaryStatus.MODEL, "sonnet")


def basis(home: Home) -> Basis:
    """One long conversation with a model only the user has a price for."""
    home.db.session("S", model="mine")
    home.talk(60)
    location = Location(home.path / "state.db", home.path)
    with Store(location) as store:
        generation = store.conversation("S").generations[0]
    found = basis_of(location, generation, lambda: False)
    assert found.plan.middle.size
    return found


def own_prices(words: str) -> None:
    config_directory().mkdir(parents=True)
    (config_directory() / OWN_PRICES).write_text(words, "utf-8")


ABORTS = f"{CONFIG}compression:\n  abort_on_summary_failure: true\n"


@pytest.mark.parametrize("config", [CONFIG, ABORTS], ids=["as shipped", "abort"])
def test_a_failed_summary_leads_where_the_config_of_the_home_leads(make_home: MakeHome, config: str) -> None:
    shown = compare(basis(make_home("0.19", config)), Model(FailureKind.GATEWAY), None)
    assert shown.feedback is not None
    assert shown.feedback.aborted == (config == ABORTS)
    assert bool(shown.summary) == (config == CONFIG)


def test_a_list_from_a_file_has_no_home_that_could_say_so(make_home: MakeHome) -> None:
    here = basis(make_home("0.19", ABORTS))
    found = carry_out(here.reading.measured, here.plan, Model(FailureKind.GATEWAY))
    assert found.feedback.fallback_used


def test_the_model_is_told_the_day_where_the_release_dates_facts(make_home: MakeHome) -> None:
    model = Model()
    compare(basis(make_home("0.22")), model, None)
    assert [one.today for one in model.asked] == [f"{date.today():%Y-%m-%d}"]


def test_what_later_requests_save_is_reported_at_the_users_own_prices(make_home: MakeHome) -> None:
    own_prices("- {model: mine, input: 8, cache_read: 2}\n")
    here = basis(make_home())
    assert here.rate == Decimal(2) / 1_000_000
    tip = here.reading.context.conversation.tip
    assert carried_rate(replace(tip, model="nobodys-model"), 1) is None
    own = "http://localhost:4000/v1"
    assert carried_rate(replace(tip, model="gpt-5.2", provider="openai", base_url=own), 1) is None


def test_a_summary_costs_what_the_users_own_prices_say(make_home: MakeHome) -> None:
    here = basis(make_home())
    measured, choice = here.reading.measured, ModelChoice(provider="custom", model="mine")
    assert summary_price(measured, here.plan, None, choice)[1] is None
    own_prices("- {model: mine, input: 8, output: 4}\n")
    sends, usd = summary_price(measured, here.plan, None, choice, output=1_000)
    assert usd == (sends * Decimal(8) + 1_000 * Decimal(4)) / 1_000_000


class Paid(Model):
    """A model whose provider counts."""

    def summarise(
        self, request: SummaryRequest, *, on_text: OnText | None = None, cancelled: Cancelled | None = None
    ) -> SummaryResult:
        used = Buckets(input=1_000_000, output=100_000)
        return SummaryResult("## Goal\nwritten", SummaryStatus.MODEL, "mine", used, provider="p")


def test_a_paid_call_is_reported_with_what_it_cost(make_home: MakeHome) -> None:
    own_prices("- {model: mine, input: 1, output: 10}\n")
    here = basis(make_home("0.19", CONFIG))
    found = carry_out(here.reading.measured, here.plan, Paid())
    assert found.call is not None
    assert found.call.usd == Decimal(2)
    assert call_words(found.call) == "written by mine: 1,000,000 tokens in, 100,000 out, $2.00"


def test_a_call_is_told_with_what_the_cache_held_and_without_what_nobody_counted() -> None:
    cached = SummaryCall("mine", Buckets(input=600, cache_read=300, output=70), usd=Decimal(1))
    assert call_words(cached) == "written by mine: 600 tokens in, 300 from the cache, 70 out, $1.00"
    assert call_words(SummaryCall("mine", Buckets(output=70))) == "written by mine: – tokens in, 70 out, –"
    assert call_words(SummaryCall("mine")) == "written by mine; the provider counted nothing"


class CutOff(Model):
    """A model that ran into its output limit."""

    def summarise(
        self, request: SummaryRequest, *, on_text: OnText | None = None, cancelled: Cancelled | None = None
    ) -> SummaryResult:
        there_is = SummaryResult("## Goal\nship the par", SummaryStatus.MODEL, "mine", warnings=("cut off",))
        raise SummaryFailure(FailureKind.TRUNCATED, "the answer was cut off", partial=there_is)


@pytest.mark.parametrize(
    ("release", "taken"), [("0.13", True), ("0.17", True), ("0.19", True), ("0.22", False)]
)
def test_until_0_19_a_summary_cut_off_is_accepted_and_reported_as_one(
    make_home: MakeHome, release: str, taken: bool
) -> None:
    """Run with every release: until 0.19 none asks why a model stopped."""
    found = compare(basis(make_home(release, CONFIG)), CutOff(), None)
    assert found.feedback is not None
    assert (found.feedback.aborted, found.feedback.fallback_used) == (not taken, False)
    assert ("ship the par" in (found.summary or "")) == taken
    assert any("cut off" in note for note in found.notes)
