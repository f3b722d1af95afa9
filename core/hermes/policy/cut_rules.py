"""A release's rules for weighing, pruning and cutting, as values; the numbers are in `releases/*.yaml`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class WeightRules:
    """How messages are weighed when the tail is chosen.

    Attributes:
        overhead: Tokens added for every message.
        image_chars: Characters an image counts as.
        calls: Weighs `arguments` (only their text) or the `whole` call.
        replay_keys: Keys weighed on every message that has them.
        thinking_keys: Keys weighed on the newest answer, and on older ones only if the route replays them.
        details_text: Whether thinking in `reasoning_details` is weighed if no other key holds it.
    """

    overhead: int
    image_chars: int
    calls: str
    replay_keys: tuple[str, ...]
    thinking_keys: tuple[str, ...]
    details_text: bool


@dataclass(frozen=True, slots=True)
class HeadRules:
    """What is kept at the start.

    Attributes:
        fixed: Messages always kept, including a system message; 0 if the setting decides.
        only_system_when_warm: Whether only the system message is kept once the process has compacted.
        handoff_probe: A summary at most this many rows after the head counts as one; 0 for never.
        spare: A list at most this much longer than its head is left alone.
        budget: Tokens the head may hold instead of a count; 0 for a count.
    """

    fixed: int
    only_system_when_warm: bool
    handoff_probe: int
    spare: int
    budget: int


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """Identifies a text by its length and the start of its SHA-256."""

    length: int
    sha256: str


@dataclass(frozen=True, slots=True)
class TailRules:
    """What is kept at the end.

    Attributes:
        mode: `ratio` (a share of the threshold), `lean` (a share of the window) or `fixed` tokens.
        fixed: Tokens in mode `fixed`.
        lean_percent, lean_floor, lean_cap: The share of the window and its bounds in mode `lean`.
        window_share: Largest share of the window the tail may take; 0 for no limit.
        overshoot: Factor by which the walk may exceed the budget rather than cut a message.
        least: Messages always kept.
        keeps_fitting: Whether nothing is cut if everything after the head fits the budget.
        floor: Most messages that `protect_last` may force into the tail; 0 if it forces none.
        may_ignore_floor: Whether the walk ignores the floor if the budget can hold that many empty messages.
        walks_again: Whether the walk is repeated with the bare budget if everything fits.
        anchors: Whether the newest user message stays in the tail.
        real_users: Whether summaries, blank rows and scaffolding do not count as user messages.
        skips_summaries: Whether summaries do not count as user messages.
        keeps_pairs: Whether a user message at the very start moves into the middle with its answer.
        answer_anchor: Whether the newest readable answer stays in the tail.
        bounds_answer: Whether the newest answer brings no more tool work into the tail than fits.
        splits_turns: Whether an oversized running turn may be cut and its request restated.
        restates_most: Longest text restated, in characters, with or without images; 0 for any pure text.
        forward_align: Whether the tail never begins with a tool result.
        joins_group_before_user: Whether an answer or tool group before the newest user message is kept.
        several_users: Whether `compression.min_tail_user_messages` is honoured.
        demote_over: Characters above which old tool results of the tail become a note; 0 for never.
        demote_rounds: How many of the newest tool rounds are exempt from that.
        stall_prompts: User rows that Hermes sends to a stalled model; they do not count as user messages.
    """

    mode: str
    fixed: int
    lean_percent: float
    lean_floor: int
    lean_cap: int
    window_share: float
    overshoot: float
    least: int
    keeps_fitting: bool
    floor: int
    may_ignore_floor: bool
    walks_again: bool
    anchors: bool
    real_users: bool
    skips_summaries: bool
    keeps_pairs: bool
    answer_anchor: bool
    bounds_answer: bool
    splits_turns: bool
    restates_most: int
    forward_align: bool
    joins_group_before_user: bool
    several_users: bool
    demote_over: int
    demote_rounds: int
    stall_prompts: tuple[Fingerprint, ...]


@dataclass(frozen=True, slots=True)
class PruneRules:
    """How old tool results are shortened before anything is cut.

    Attributes:
        style: `line` (what the call did), `placeholder` (a fixed text) or `ends` (its first and last
            characters).
        stubs: Name of the table of one-line texts in `stubs.yaml`.
        over: Results longer than this many characters are shortened.
        ends: Characters kept at each end by style `ends`.
        duplicates: Whether older copies of a result become a reference to the newest.
        arguments_over: Call arguments longer than this many characters are cut; 0 for never.
        arguments_keep: Characters kept of each long text in them.
        arguments_warn: Whether the mark of such a cut warns the model and only cuts that save text are made.
        count_cap: Most messages that `protect_last` may protect here; 0 for no limit.
        skips_stubs: Whether texts that look like an earlier one-line text are left alone.
        spares_pending: Whether the tool round not answered yet is left alone while it is small.
        keep_images: How many of the newest tool results with images keep them; 0 for all.
        pressure: Whether results in the protected end shrink too if that end alone is too large.
        pressure_spares: Newest messages exempt from that at first.
        skill_window: Skills loaded in the last so many messages keep their bodies; 0 for none.
        blank_echoes: Whether blank user rows between the newest request and its answer are removed.
        middle_only: Whether only the middle is pruned, after it is cut.
        needs_objects: Whether the one-line text fails if the call's arguments are JSON but not an object.
    """

    style: str
    stubs: str
    over: int
    ends: int
    duplicates: bool
    arguments_over: int
    arguments_keep: int
    arguments_warn: bool
    count_cap: int
    skips_stubs: bool
    spares_pending: bool
    keep_images: int
    pressure: bool
    pressure_spares: int
    skill_window: int
    blank_echoes: bool
    middle_only: bool
    needs_objects: bool
