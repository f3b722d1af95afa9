"""Who could write the summary, where the text would go for that, and what it would cost. No widget."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import partial

from core.account.pricing.price_book import PriceBook
from core.compress.assembly.assemble import HANDOFF
from core.compress.requests.request import summary_request
from core.compress.sizing.estimate import text_tokens
from core.compress.summarise.base import Summariser, SummaryFailure, SummaryRequest
from core.compress.summarise.extract.summariser import ExtractiveSummariser
from core.compress.summarise.fallback.summariser import StaticSummariser
from core.compress.summarise.model_choice import ANTHROPIC, ModelChoice, resolve
from core.compress.summarise.prompt import Prompt, build_prompt
from core.model.accounting.tokens import Buckets
from core.model.transcript.session import Session
from inspector.screens.workspace.preview.reading import Basis


@dataclass(frozen=True, slots=True)
class Writer:
    """One way to get a summary.

    Attributes:
        title: Its name, for a list.
        detail: What it does, or where it would send what.
        sends: Tokens that would leave this process; None when none do.
        price: About what it costs; None when nobody knows.
    """

    title: str
    detail: str
    summariser: Summariser
    sends: int | None = None
    price: Decimal | None = Decimal(0)


@dataclass(frozen=True, slots=True)
class Offers:
    """Who could write the summary, and why a model could not when none can.

    Attributes:
        named: The last of them is the model the user named.
    """

    writers: tuple[Writer, ...]
    refusal: str = ""
    named: bool = False


def offers(basis: Basis, focus: str | None, named: str = "") -> Offers:
    """Everybody who could write a summary of this middle."""
    asked = model(basis, focus, named)
    offline = (extractive(basis), static(basis))
    if isinstance(asked, SummaryFailure):
        return Offers(offline, asked.line)
    return Offers((*offline, asked), named=bool(named))


def extractive(basis: Basis) -> Writer:
    """The default: offline and the same every time."""
    unit = basis.reading.situation.policy.estimate.unit
    summariser = ExtractiveSummariser(partial(text_tokens, unit=unit))
    return Writer("extractive", "from the messages themselves, offline, the same every time", summariser)


def static(basis: Basis) -> Writer:
    """What Hermes itself writes when no model answers."""
    summariser = StaticSummariser(basis.reading.situation.policy, prefix_length=len(HANDOFF))
    return Writer("fallback", "what Hermes writes itself when no model answers, offline", summariser)


def model(
    basis: Basis, focus: str | None, named: str = "", env: Mapping[str, str] = os.environ
) -> Writer | SummaryFailure:
    """A model: the one named, or the one Hermes would ask; the reason when there is none.

    Args:
        basis: What would be summarised.
        focus: The topic.
        named: `name`, `provider/name`, or either with `@ base URL` of an OpenAI-compatible server.
        env: Where keys are looked for.
    """
    name, _, base_url = (part.strip() for part in named.partition("@"))
    here = basis.reading.situation
    try:
        choice = resolve(
            ModelChoice(model=name, base_url=base_url),
            env=env,
            config=here.config,
            live=_live(here.conversation.tip),
        )
    except SummaryFailure as failure:
        return failure
    request = request_of(basis, focus)
    sends = text_tokens(build_prompt(request).text, here.policy.estimate.unit)
    tokens = Buckets(input=sends, output=request.budget)
    price = PriceBook().price(tokens, choice.model, choice.provider, choice.base_url)
    where = choice.endpoint
    return Writer(choice.model, f"at {where.host}", _remote(choice), sends, price.usd)


def request_of(basis: Basis, focus: str | None) -> SummaryRequest:
    """What a summariser would be asked."""
    return summary_request(basis.reading.measured, basis.plan, focus=focus)


def prompt_of(basis: Basis, focus: str | None) -> Prompt:
    """What a model would be sent, secrets taken out."""
    return build_prompt(request_of(basis, focus))


def _remote(choice: ModelChoice) -> Summariser:
    # Each wire format's module is loaded only when it is asked for: their SDKs take seconds.
    if choice.wire == ANTHROPIC:
        from core.compress.summarise.remote.anthropic import AnthropicSummariser

        return AnthropicSummariser(choice)
    from core.compress.summarise.remote.openai import OpenAISummariser

    return OpenAISummariser(choice)


def _live(tip: Session) -> ModelChoice:
    return ModelChoice(provider=tip.provider or "", model=tip.model or "", base_url=tip.base_url or "")
