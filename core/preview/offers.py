"""Who could write the summary, each with where the text would be sent and what that would cost."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal

from core.compress.requests.request import summary_request
from core.compress.summarise.base import Summariser, SummaryFailure
from core.compress.summarise.model_choice import ModelChoice
from core.compress.summarise.prompt import Prompt, build_prompt
from core.hermes.policy.policy import Policy
from core.model.compaction.plan import Gate
from core.preview.foreseen import Basis
from core.preview.summarisers import (
    OFFLINE,
    chosen_model,
    main_model,
    offline_summariser,
    remote_summariser,
    summary_price,
)
from core.support.formatting import clock


@dataclass(frozen=True, slots=True)
class Writer:
    """One way to get a summary.

    Attributes:
        title: Its name in a list.
        detail: What it does, or what it would send where.
        second: The model asked if that one fails, and where; empty for none.
        sends: Tokens that would leave this process; None when none do.
        price: The approximate cost; None when unknown.
    """

    title: str
    detail: str
    summariser: Summariser
    sends: int | None = None
    price: Decimal | None = Decimal(0)
    second: str = ""


@dataclass(frozen=True, slots=True)
class Offers:
    """Who could write the summary, and why no model can if none can.

    Attributes:
        named: The last of them is the model the user named.
        pause: Until when Hermes itself would ask no model, in words; empty without a pause.
    """

    writers: tuple[Writer, ...]
    refusal: str = ""
    named: bool = False
    pause: str = ""


def offers(basis: Basis, focus: str | None, named: str = "") -> Offers:
    """Everyone who could write a summary of this middle."""
    asked, here = model(basis, focus, named), basis.reading.context
    own = tuple(offline(basis, name) for name in OFFLINE)
    if isinstance(asked, SummaryFailure):
        return Offers(own, asked.line)
    checked = model(basis, focus, named, check=True)
    models = (asked,) if isinstance(checked, SummaryFailure) else (checked, asked)
    return Offers((*own, *models), named=bool(named), pause=pause_words(here.gate, here.policy))


def pause_words(gate: Gate | None, policy: Policy) -> str:
    """That a pause after a failed summary is running, and what Hermes would do; empty without a pause."""
    until = gate.cooldown_until if gate is not None else None
    if until is None or until <= datetime.now(UTC):
        return ""
    ends = "a manual attempt ends it" if policy.failure.force_clears else "Hermes would not ask a model now"
    return f"a pause after a failed summary runs until {clock(until)}: {ends}"


def offline(basis: Basis, name: str = "extractive") -> Writer:
    """One that asks no model; the default always gives the same result."""
    title, words = OFFLINE[name]
    return Writer(title, words, offline_summariser(basis.reading.context.policy, name))


def model(
    basis: Basis, focus: str | None, named: str = "", *, check: bool = False
) -> Writer | SummaryFailure:
    """A model: the named one, or the one Hermes would ask; a failure with the reason if there is none.

    `named` is `name`, `provider/name`, or either with `@ base URL` of an OpenAI-compatible server.
    """
    name, _, base_url = (part.strip() for part in named.partition("@"))
    here = basis.reading.context
    try:
        choice = chosen_model(ModelChoice(model=name, base_url=base_url), here)
    except SummaryFailure as failure:
        return failure
    main = None if named else main_model(choice, here, here.policy)
    sends, usd = summary_price(basis.reading.measured, basis.plan, focus, choice, check=check)
    asked = remote_summariser(choice, here.policy, main=main, check=check)
    second = f"{main.choice.model} at {main.choice.endpoint.host}" if main is not None else ""
    where = f"at {choice.endpoint.host}{', checked, in at most 2 requests' if check else ''}"
    return Writer(choice.model, where, asked, sends, usd, second)


def prompt_of(basis: Basis, focus: str | None) -> Prompt:
    """What a model would be sent, with credentials masked."""
    tip, today = basis.reading.context.conversation.tip, f"{date.today():%Y-%m-%d}"
    request = summary_request(basis.reading.measured, basis.plan, focus=focus, today=today, session=tip.id)
    return build_prompt(request)
