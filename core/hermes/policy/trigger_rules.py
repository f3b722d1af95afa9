"""The rules by which one release counts tokens, and fires or holds back, as values."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EstimateRules:
    """How tokens are guessed without a tokenizer.

    Attributes:
        unit: `chars`: a quarter of the characters of the whole list; `dense`: per message, ideographs one
            token each and a quarter of the characters of the rest; `bytes`: of its UTF-8 bytes instead.
        image_tokens: Price of one image.
        dropped_keys: Message keys that are never counted.
        sidecar_wins: A text in `api_content` is counted instead of `content`.
        reasoning_once: `reasoning` is not counted beside a non-blank `reasoning_content`.
        blank_ciphertext: `encrypted_content` counts as an empty text.
        output_images: Images in an `output` list are priced like those in `content`.
        thinking_keys: Keys a route may refuse to replay for old answers; empty when always counted.
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
    """A threshold of its own for some models.

    Attributes:
        percent: The share of the window.
        provider: Provider it holds for; empty for all.
        families: Model names, alone or followed by `-` or `.`.
        names: Model names that must match whole.
        containing: Parts of model names.
        excluding: Parts that undo a match.
        raise_only: A configured share above `percent` stands.
        switchable: `compression.codex_gpt55_autoraise` can turn it off.
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
    """What a share of the window leads to, in words."""

    above: float
    does: str


@dataclass(frozen=True, slots=True)
class ThresholdRules:
    """Where compression fires.

    Attributes:
        minimum: Tokens the threshold is raised to.
        minimum_configurable: `agent.minimum_tool_context_length` replaces it.
        small_window: Below this window `small_percent` is the least share; 0 for never.
        small_percent: That share.
        reserves_output: The share is taken of the window less `model.max_tokens`.
        near_full: Share used instead of a threshold no prompt can reach; 0 where releases left it there.
        softens_minimum: The minimum may not lift the threshold past `near_full` of the window.
        absolute_cap: `compression.threshold_tokens` is honoured.
        model_thresholds: `compression.model_thresholds` is honoured.
        model_rules: Built-in shares by model, first match first.
        tiers: What grows with the share of the window in use, lowest first; no release has any.
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
    model_rules: tuple[ModelRule, ...]
    tiers: tuple[Tier, ...]


@dataclass(frozen=True, slots=True)
class CheckRules:
    """When a release looks at the size of a conversation, and at which number.

    Attributes:
        preflight_guarded: Strikes stop the check at the start of a turn.
        pre_api: There is a check before each model call.
        anchored: Stored usage plus what came since is compared, where it still fits the transcript.
        huge_counts: Few but huge messages pass the count gate.
        tool_schemas: Tools are counted by name, description and parameters, not by their repr.
        live_turn: Rows of the running turn are counted without their timestamps.
    """

    preflight_guarded: bool
    pre_api: bool
    anchored: bool
    huge_counts: bool
    tool_schemas: bool
    live_turn: bool


@dataclass(frozen=True, slots=True)
class GateRules:
    """What can stop an automatic compaction.

    Attributes:
        strikes: Ineffective attempts in a row that stop it.
        cooldown: A running summary cooldown stops it.
        fallback_streak: Fallbacks in a row that stop it; 0 for never.
        recovery: A passed recovery deadline allows one attempt.
        verdict: What makes an attempt ineffective: `savings` below `least_savings`, or the next real `usage`.
        least_savings: Percent.
        nothing_strikes: Finding nothing to compress is a strike.
        too_few_strikes: So is a list that is too short.
        deferral: When a rough estimate waits for a real count: `never`, `fitted` (the last real prompt fitted
            and little came since), `awaiting` (also right after a compaction) or `always`.
        benches: Fallbacks in a row after which the summary model is not asked again for a while; 0 for never.
        small_middle: After a strike, a middle below this share of the threshold is summarised by rule.
        switch_forgets: Another model voids usage and strikes.
        switch_clears: Another route also ends cooldown and streak.
    """

    strikes: int
    cooldown: bool
    fallback_streak: int
    recovery: bool
    verdict: str
    least_savings: int
    nothing_strikes: bool
    too_few_strikes: bool
    deferral: str
    benches: int
    small_middle: float
    switch_forgets: bool
    switch_clears: bool
