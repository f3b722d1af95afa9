"""Who writes the summaries of the engine: by rule, unless a model was chosen at installation."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

from core.compress.summarise.base import Summariser
from core.compress.summarise.extract.summariser import ExtractiveSummariser
from core.compress.summarise.fallback.summariser import StaticSummariser
from core.hermes.config.config import HermesConfig
from core.hermes.policy.policy import Policy

MODELS = ("anthropic", "openai")


def chosen(
    choice: Mapping[str, Any], config: HermesConfig, policy: Policy, tokens: Callable[[str], int]
) -> Summariser:
    """The summariser of a choice: `{"name", "model", "provider", "base_url"}`."""
    name = str(choice.get("name") or "extractive")
    if name == "static":
        return StaticSummariser(policy)
    if name not in MODELS:
        return ExtractiveSummariser(tokens)
    from core.compress.summarise.model_choice import ModelChoice, resolve
    from core.compress.summarise.remote.wires import model_summariser

    provider, model, base_url = (str(choice.get(key) or "") for key in ("provider", "model", "base_url"))
    wanted = ModelChoice(provider=provider, model=model, base_url=base_url)
    resolved = resolve(wanted, env=os.environ, config=config)
    return model_summariser(resolved, name)
