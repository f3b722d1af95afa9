"""A release's rules for counting tokens and for starting or delaying a compaction, as values."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EstimateRules:
    """How tokens are estimated without a tokenizer.

    Attributes:
        unit: `chars`: a quarter of the characters of the whole list; `dense`: per message, one token for each
            ideograph and a quarter of the other characters; `bytes`: a quarter of its UTF-8 bytes instead.
        image_tokens: Tokens counted for an image.
        dropped_keys: Message keys that are never counted.
        sidecar_wins: Whether a text in `api_content` is counted instead of `content`.
        reasoning_once: Whether `reasoning` is ignored beside a non-blank `reasoning_content`.
        blank_ciphertext: Whether `encrypted_content` counts as empty text.
        output_images: Whether images in an `output` list count like those in `content`.
        thinking_keys: Keys that a route may refuse to replay for old answers; empty if always counted.
    """

    unit: str
    image_tokens: int
    dropped_keys: tuple[str, ...]
    sidecar_wins: bool
    reasoning_once: bool
    blank_ciphertext: bool
    output_images: bool
    thinking_keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ModelRule:
    """A threshold for particular models.

    Attributes:
        percent: Share of the window.
        provider: The provider it applies to; "" for all.
        families: Model names, alone or followed by `-` or `.`.
        names: Model names that must match whole.
        containing: Parts of model names.
        excluding: Parts that undo a match.
        raise_only: Whether a configured share above `percent` is kept.
        switchable: Whether `compression.codex_gpt55_autoraise` can turn it off.
    """

    percent: float
    provider: str = ""
    families: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    containing: tuple[str, ...] = ()
    excluding: tuple[str, ...] = ()
    raise_only: bool = False
    switchable: bool = False


@dataclass(frozen=True, slots=True)
class Tier:
    """What happens above a share of the window, in words."""

    above: float
    does: str


@dataclass(frozen=True, slots=True)
class ThresholdRules:
    """When compression starts.

    Attributes:
        minimum: The threshold is raised to at least this many tokens.
        minimum_configurable: Whether `agent.minimum_tool_context_length` replaces it.
        small_window: Below this window `small_percent` is the minimum share; 0 for never.
        small_percent: That share.
        reserves_output: Whether the share applies to the window less `model.max_tokens`.
        near_full: Share that replaces a threshold no prompt can reach; 0 for releases that kept such a one.
        softens_minimum: Whether the minimum may lift the threshold to at most `near_full` of the window.
        absolute_cap: Whether `compression.threshold_tokens` is honoured.
        model_thresholds: Whether `compression.model_thresholds` is honoured.
        retries_small_model: Whether only the first attempt of a process refuses a summary model with a window
            below the minimum.
        aux_check: When a process looks at the summary model's window, which may lower its threshold: at its
            `start`, with its first `attempt`, or as a request comes `near`.
        model_rules: Built-in shares by model, first match first.
        tiers: Actions by share of the window in use, lowest first; empty for releases.
    """

    minimum: int
    minimum_configurable: bool
    small_window: int
    small_percent: float
    reserves_output: bool
    near_full: float
    softens_minimum: bool
    absolute_cap: bool
    model_thresholds: bool
    retries_small_model: bool
    aux_check: str
    model_rules: tuple[ModelRule, ...]
    tiers: tuple[Tier, ...]


@dataclass(frozen=True, slots=True)
class CheckRules:
    """When a release checks the size of a conversation, and which number it uses.

    Attributes:
        preflight_guarded: Whether strikes disable the check at the start of a turn.
        pre_api: Whether there is a check before each model call.
        anchored: Whether stored usage plus later messages is compared, if it still fits the transcript.
        huge_counts: Whether few but huge messages pass the count gate.
        tool_schemas: Whether tools are counted by name, description and parameters, not by their repr.
        live_turn: Whether rows of the running turn are counted without their timestamps.
    """

    preflight_guarded: bool
    pre_api: bool
    anchored: bool
    huge_counts: bool
    tool_schemas: bool
    live_turn: bool


@dataclass(frozen=True, slots=True)
class GateRules:
    """What can prevent an automatic compaction.

    Attributes:
        strikes: Ineffective attempts in a row that prevent it.
        cooldown: Whether a running summary cooldown prevents it.
        fallback_streak: Fallbacks in a row that prevent it; 0 for never.
        recovery: Whether a passed recovery deadline allows one attempt.
        verdict: What makes an attempt ineffective: `savings` below `min_savings`, or the next real `usage`.
        min_savings: Minimum savings, in percent.
        nothing_is_strike: Whether finding nothing to compress is a strike.
        too_few_is_strike: Whether a list that is too short is a strike too.
        deferral: When a rough estimate waits for a real count: `never`, `fitted` (the last real prompt fitted
            and little was added since), `awaiting` (also right after a compaction) or `always`.
        pause_after: Fallbacks in a row after which the summary model is not asked for a while; 0 for never.
        small_middle: After a strike, a middle below this share of the threshold is summarised by rule.
        switch_forgets: Whether switching the model discards usage and strikes.
        switch_clears: Whether switching the route also ends cooldown and streak.
    """

    strikes: int
    cooldown: bool
    fallback_streak: int
    recovery: bool
    verdict: str
    min_savings: int
    nothing_is_strike: bool
    too_few_is_strike: bool
    deferral: str
    pause_after: int
    small_middle: float
    switch_forgets: bool
    switch_clears: bool
