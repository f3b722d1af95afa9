"""Who could write the summary, where the text would go for that, and what it would cost. No widget."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import partial

from core.account.pricing.price_book import open_book
from core.compress.planning.measure import Measured
from core.compress.requests.request import summary_request
from core.compress.sizing.estimate import text_tokens
from core.compress.summarise.base import FailureKind, Summariser, SummaryFailure
from core.compress.summarise.extract.summariser import ExtractiveSummariser
from core.compress.summarise.faithful.summariser import FaithfulSummariser
from core.compress.summarise.fallback.summariser import StaticSummariser
from core.compress.summarise.model_choice import CUSTOM, ModelChoice, is_automatic, resolve
from core.compress.summarise.prompt import Prompt, build_prompt, repair_size
from core.explain.context.generation import GenerationContext
from core.hermes.config.config import NEWEST, load_config
from core.hermes.policy.policy import Policy
from core.model.accounting.amounts import Buckets
from core.model.compaction.plan import Plan
from core.model.compaction.settings import Gate
from core.preview.foreseen import Basis

_OURS = tuple(f"HERMES_INSPECTOR_{name}" for name in ("PROVIDER", "MODEL", "BASE_URL", "API_KEY"))
"""Variables that name a summary model, not the session's own."""


@dataclass(frozen=True, slots=True)
class Writer:
    """One way to get a summary.

    Attributes:
        title: Its name, for a list.
        detail: What it does, or where it would send what.
        second: The model asked after that one failed, and where; empty for none.
        sends: Tokens that would leave this process; None when none do.
        price: About what it costs; None when nobody knows.
    """

    title: str
    detail: str
    summariser: Summariser
    sends: int | None = None
    price: Decimal | None = Decimal(0)
    second: str = ""


@dataclass(frozen=True, slots=True)
class MainModel:
    """The session's own model, for where a release asks it after a summary model failed.

    Attributes:
        on: Failures after which it is asked.
    """

    choice: ModelChoice
    on: frozenset[FailureKind]


@dataclass(frozen=True, slots=True)
class Offers:
    """Who could write the summary, and why a model could not when none can.

    Attributes:
        named: The last of them is the model the user named.
        pause: Until when Hermes itself would ask no model, in words; empty for not at all.
    """

    writers: tuple[Writer, ...]
    refusal: str = ""
    named: bool = False
    pause: str = ""


def offers(basis: Basis, focus: str | None, named: str = "") -> Offers:
    """Everybody who could write a summary of this middle."""
    asked, here = model(basis, focus, named), basis.reading.context
    offline = (extractive(basis), faithful(basis), static(basis))
    if isinstance(asked, SummaryFailure):
        return Offers(offline, asked.line)
    checked = model(basis, focus, named, check=True)
    models = (asked,) if isinstance(checked, SummaryFailure) else (checked, asked)
    return Offers((*offline, *models), named=bool(named), pause=pause_words(here.gate, here.policy))


def pause_words(gate: Gate | None, policy: Policy) -> str:
    """That a pause after a failed summary still runs, and what Hermes would do; empty where none does."""
    until = gate.cooldown_until if gate is not None else None
    if until is None or until <= datetime.now(UTC):
        return ""
    ends = "a manual attempt ends it" if policy.failure.force_clears else "Hermes would not ask a model now"
    return f"a pause after a failed summary runs until {until:%H:%M:%S} UTC: {ends}"


def extractive(basis: Basis) -> Writer:
    """The default: offline and the same every time."""
    words = "from the messages themselves, the same every time"
    return Writer("offline summary", words, extractive_summariser(basis.reading.context.policy))


def faithful(basis: Basis) -> Writer:
    """Offline too: the lines that tell the most weight of facts, things by their last state."""
    words = "keeps the most of what matters, offline, the same every time"
    return Writer("faithful", words, faithful_summariser(basis.reading.context.policy))


def static(basis: Basis) -> Writer:
    """What Hermes itself writes when no model answers."""
    words = "what Hermes writes itself when no model answers"
    return Writer("placeholder", words, StaticSummariser(basis.reading.context.policy))


def model(
    basis: Basis,
    focus: str | None,
    named: str = "",
    env: Mapping[str, str] = os.environ,
    *,
    check: bool = False,
) -> Writer | SummaryFailure:
    """A model: the one named, or the one Hermes would ask; the reason when there is none.

    It is named as `name`, `provider/name`, or either with `@ base URL` of an OpenAI-compatible server. With
    `check` its answer is held against the messages, and it is asked once more where they disagree.

    Args:
        basis: What would be summarised.
        focus: The topic.
        named: `name`, `provider/name`, or either with `@ base URL` of an OpenAI-compatible server.
        env: Where keys are looked for.
        check: Hold its answer against the messages, and ask once more where they disagree.
    """
    name, _, base_url = (part.strip() for part in named.partition("@"))
    try:
        choice = chosen_model(ModelChoice(model=name, base_url=base_url), basis.reading.context, env)
    except SummaryFailure as failure:
        return failure
    here = basis.reading.context
    main = None if named else main_model(choice, here, here.policy, env)
    sends, usd = summary_price(basis.reading.measured, basis.plan, focus, choice, check=check)
    asked = remote_summariser(choice, here.policy, main=main, check=check)
    second = f"{main.choice.model} at {main.choice.endpoint.host}" if main is not None else ""
    where = f"at {choice.endpoint.host}{', checked, in at most 2 requests' if check else ''}"
    return Writer(choice.model, where, asked, sends, usd, second)


def prompt_of(basis: Basis, focus: str | None) -> Prompt:
    """What a model would be sent, secrets taken out."""
    tip, today = basis.reading.context.conversation.tip, f"{date.today():%Y-%m-%d}"
    request = summary_request(basis.reading.measured, basis.plan, focus=focus, today=today, session=tip.id)
    return build_prompt(request)


def extractive_summariser(policy: Policy) -> Summariser:
    """Writes from the messages themselves, sized by the release's own estimate."""
    return ExtractiveSummariser(partial(text_tokens, unit=policy.estimate.unit))


def faithful_summariser(policy: Policy) -> Summariser:
    """Writes the lines that tell the most of what matters, sized by the release's own estimate."""
    return FaithfulSummariser(partial(text_tokens, unit=policy.estimate.unit))


def chosen_model(
    flags: ModelChoice,
    here: GenerationContext | None = None,
    env: Mapping[str, str] = os.environ,
    *,
    release: str = NEWEST,
) -> ModelChoice:
    """The model to ask: flags, environment, the one for summaries, the session's own, in that order.

    Args:
        flags: What the user named; empty fields are open.
        here: The conversation; None for a list from a file, for which only defaults stand behind the flags.
        env: Where keys are looked for.
        release: The release whose rules say which model writes summaries.

    Raises:
        SummaryFailure: Nobody names a model, or the endpoint needs a key that nobody gives.
    """
    if here is None:
        return resolve(flags, env=env, config=load_config(None))
    tip = here.conversation.tip
    live = ModelChoice(provider=tip.provider or "", model=tip.model or "", base_url=tip.base_url or "")
    return resolve(flags, env=env, config=here.config, live=live, release=release)


def summary_price(
    measured: Measured,
    plan: Plan,
    focus: str | None,
    choice: ModelChoice,
    *,
    output: int | None = None,
    check: bool = False,
) -> tuple[int, Decimal | None]:
    """What asking a model for the summary takes.

    With `check` the price is with the most the second request of a check takes.

    Args:
        measured: The conversation.
        plan: Where it is cut.
        focus: The topic.
        choice: The model.
        output: Tokens of the summary; None takes what it would be asked for.
        check: With the most that the second request of a check takes.

    Returns:
        Tokens sent, by the release's estimate, and USD at the user's prices and the list; None when nobody
        knows a price.

    Raises:
        ConfigError: The user's `prices.yaml` cannot be used.
    """
    request = summary_request(measured, plan, focus=focus)
    estimate = partial(text_tokens, unit=measured.policy.estimate.unit)
    sends = estimate(build_prompt(request).text) + (repair_size(request, estimate) if check else 0)
    written = (request.budget if output is None else output) + (request.budget if check else 0)
    tokens = Buckets(input=sends, output=written)
    return sends, open_book().price(tokens, choice.model, choice.provider, choice.base_url)


def main_model(
    choice: ModelChoice, here: GenerationContext | None, policy: Policy, env: Mapping[str, str] = os.environ
) -> MainModel | None:
    """The session's own model, for where a release asks it after a summary model failed; None elsewhere.

    By `auto` the first provider with a key is asked, which for a server of the user's own is that server.

    Args:
        choice: The summary model.
        here: The conversation; without one no main model is known.
        policy: Of the release.
        env: Where keys are looked for.
    """
    if here is None or not here.conversation.tip.model:
        return None
    tip = here.conversation.tip
    own = ModelChoice(provider=tip.provider or "", model=tip.model or "", base_url=tip.base_url or "")
    try:
        found = resolve(own, env={**env, **dict.fromkeys(_OURS, "")}, config=here.config)
    except SummaryFailure:
        return None
    kinds = _asked_after(found, choice, here, policy)
    if not kinds or (found.model, found.base_url) == (choice.model, choice.base_url):
        return None
    return MainModel(replace(found, timeout=choice.timeout), frozenset(map(FailureKind, kinds)))


def _asked_after(
    main: ModelChoice, choice: ModelChoice, here: GenerationContext, policy: Policy
) -> tuple[str, ...]:
    """After which failures of a summary model the main one is asked."""
    rules = policy.failure
    if choice.base_url == main.base_url and is_automatic(here.config) and main.provider.startswith(CUSTOM):
        return rules.main_model_auto_on
    return () if rules.main_model_elsewhere and main.provider == choice.provider else rules.main_model_on


def remote_summariser(
    choice: ModelChoice,
    policy: Policy,
    wire: str = "",
    main: MainModel | None = None,
    *,
    check: bool = False,
) -> Summariser:
    """Asks a model, in its own wire format unless one is named: `anthropic` or `openai`.

    With `check` its answer is held against the messages, and corrected.

    Args:
        choice: The model.
        wire: Its wire format.
        main: The model to ask after it failed, and after which failures.
        policy: Of the release.
        check: Hold its answer against the messages, and correct it.
    """
    from core.compress.summarise.checked import CheckedSummariser
    from core.compress.summarise.remote.wires import model_summariser  # few previews ask a model

    second = (main.choice, main.on) if main is not None else (None, frozenset())
    asked = model_summariser(choice, wire, *second)
    return CheckedSummariser(asked, partial(text_tokens, unit=policy.estimate.unit)) if check else asked
