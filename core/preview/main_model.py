"""The session's own model, where a release asks it after the summary model failed."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace

from core.compress.summarise.base import FailureKind, SummaryFailure
from core.compress.summarise.model_choice import CUSTOM, ModelChoice, is_automatic, resolve
from core.explain.context.generation import GenerationContext
from core.hermes.policy.policy import Policy

_OURS = tuple(f"HERMES_INSPECTOR_{name}" for name in ("PROVIDER", "MODEL", "BASE_URL", "API_KEY"))
"""Variables that name a summary model, not the session's own."""


@dataclass(frozen=True, slots=True)
class MainModel:
    """The session's own model, for where a release asks it after a summary model failed.

    Attributes:
        on: Failures after which it is asked.
    """

    choice: ModelChoice
    on: frozenset[FailureKind]


def main_model(
    choice: ModelChoice, here: GenerationContext | None, policy: Policy, env: Mapping[str, str] = os.environ
) -> MainModel | None:
    """The session's own model, for where a release asks it after a summary model failed; None elsewhere.

    By `auto` the first provider with a key is asked, which for a server of the user's own is that server.
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
