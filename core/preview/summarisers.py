"""The chosen summariser: offline, or a model, with how it is asked and at what price."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
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
from core.compress.summarise.prompt import build_prompt, repair_size
from core.explain.context.generation import GenerationContext
from core.hermes.config.config import load_config
from core.hermes.policy.policy import Policy
from core.model.accounting.amounts import Buckets
from core.model.compaction.plan import Plan

OFFLINE = {
    "extractive": ("offline summary", "from the messages themselves, the same every time"),
    "faithful": ("faithful", "keeps most of what matters, the same every time"),
    "static": ("placeholder", "what Hermes writes itself when no model answers"),
}
"""The summarisers that ask no model: what each is called, and what it does."""
_OURS = tuple(f"HERMES_INSPECTOR_{name}" for name in ("PROVIDER", "MODEL", "BASE_URL", "API_KEY"))
"""Variables that name a summary model, not the session's own."""


@dataclass(frozen=True, slots=True)
class MainModel:
    """The session's own model, in releases that ask it after a summary model failed.

    Attributes:
        on: Failures after which it is asked.
    """

    choice: ModelChoice
    on: frozenset[FailureKind]


def offline_summariser(policy: Policy, name: str = "extractive") -> Summariser:
    """One that asks no model: `extractive`, `faithful`, or `static`, what Hermes writes itself without one.

    The first two are sized by the release's own estimate.
    """
    if name == "static":
        return StaticSummariser(policy)
    return (FaithfulSummariser if name == "faithful" else ExtractiveSummariser)(_estimate(policy))


def _estimate(policy: Policy) -> Callable[[str], int]:
    """A function that counts the tokens of a text as a release does."""
    return partial(text_tokens, unit=policy.estimate.unit)


def chosen_model(flags: ModelChoice, here: GenerationContext | None, *, release: str = "") -> ModelChoice:
    """The model to ask: by flags, environment, the summary setting, the session's own, in that order.

    Without a conversation, as for messages from a file, the configuration's defaults apply.

    Raises:
        SummaryFailure: No model is named, or the endpoint needs a key that is not given.
    """
    if here is None:
        return resolve(flags, env=os.environ, config=load_config(None))
    return resolve(flags, env=os.environ, config=here.config, live=running_model(here), release=release)


def running_model(here: GenerationContext) -> ModelChoice:
    """The session's own model."""
    tip = here.conversation.tip
    return ModelChoice(provider=tip.provider or "", model=tip.model or "", base_url=tip.base_url or "")


def summary_price(
    measured: Measured,
    plan: Plan,
    focus: str | None,
    choice: ModelChoice,
    *,
    output: int | None = None,
    check: bool = False,
) -> tuple[int, Decimal | None]:
    """The tokens of asking a model for the summary, by the release's estimate, and their cost if it is known.

    `output` are the summary's tokens, by default what it would be asked for; `check` includes the most that
    the second request of a check takes.

    Raises:
        ConfigError: The user's `prices.yaml` cannot be used.
    """
    request = summary_request(measured, plan, focus=focus)
    estimate = _estimate(measured.policy)
    sends = estimate(build_prompt(request).text) + (repair_size(request, estimate) if check else 0)
    written = (request.budget if output is None else output) + (request.budget if check else 0)
    tokens = Buckets(input=sends, output=written)
    return sends, open_book().price(tokens, choice.model, choice.provider, choice.base_url)


def main_model(choice: ModelChoice, here: GenerationContext | None, policy: Policy) -> MainModel | None:
    """The session's own model, in releases that ask it after a summary model failed; None elsewhere.

    With `auto` the first provider with a key is asked; for the user's own server that is this server.
    """
    if here is None or not here.conversation.tip.model:
        return None
    try:
        env = {**os.environ, **dict.fromkeys(_OURS, "")}
        found = resolve(running_model(here), env=env, config=here.config)
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
    choice: ModelChoice, policy: Policy, wire: str = "", main: MainModel | None = None, *, check: bool = False
) -> Summariser:
    """A summariser that asks a model, in its own wire format unless `anthropic` or `openai` is named.

    With `check` its answer is compared with the messages, and corrected.
    """
    from core.compress.summarise.checked import CheckedSummariser
    from core.compress.summarise.remote.wires import model_summariser  # few previews ask a model

    second = (main.choice, main.on) if main is not None else (None, frozenset())
    asked = model_summariser(choice, wire, *second)
    return CheckedSummariser(asked, _estimate(policy)) if check else asked
