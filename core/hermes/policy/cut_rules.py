"""The rules by which one release weighs, prunes and cuts, as values; the numbers are in `releases/*.yaml`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class WeightRules:
    """What one message weighs in the walks that choose the tail.

    Attributes:
        overhead: Tokens added for every message.
        image_chars: Characters an image stands for.
        calls: `arguments`: only their text; `whole`: the whole call.
        replay_keys: Keys weighed on every message that has them.
        thinking_keys: Keys weighed on the newest answer, on older ones only where the route replays them.
        details_text: Thinking inside `reasoning_details` is weighed when no other key holds it.
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
        fixed: Messages kept whatever is configured, a system message among them; 0 where the setting decides.
        decays: Nothing but the system message is kept once the process has compacted.
        handoff_probe: A summary this many rows behind the head counts as such a compaction; 0 for never.
        spare: A list this much longer than its head, or shorter, is left alone.
        budget: Tokens the head may hold instead of a count; 0 for a count.
    """

    fixed: int
    decays: bool
    handoff_probe: int
    spare: int
    budget: int


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """A text told by its length and the start of its SHA-256."""

    length: int
    sha256: str


@dataclass(frozen=True, slots=True)
class TailRules:
    """What is kept at the end.

    Attributes:
        mode: `ratio` (a share of the threshold), `lean` (a share of the window) or `fixed` tokens.
        fixed: Tokens in mode `fixed`.
        lean_percent, lean_floor, lean_cap: The share of the window and its bounds in mode `lean`.
        window_share: Most of the window the tail may take; 0 for no bound.
        overshoot: Factor the walk may pass the budget by rather than cut a message.
        least: Messages always kept.
        keeps_fitting: Where everything behind the head fits the budget nothing is cut.
        floor: Most messages `protect_last` may force into the tail; 0 when it forces none.
        floorless: The walk ignores the floor when the budget can hold that many empty messages.
        rewalk: When everything fits, the walk is repeated with the bare budget.
        anchors: The newest user message stays in the tail.
        real_users: Summaries, blank rows and scaffolding are no user messages.
        skips_summaries: Summaries are no user messages.
        keeps_pairs: A user message at the very start moves into the middle with its answer.
        answer_anchor: The newest readable answer stays in the tail.
        bounds_answer: The newest answer does not drag in more tool work than fits.
        splits_turns: An oversized running turn may be cut, its request being restated.
        restates_most: Characters of the longest text restated, pictures or not; 0 for any text alone.
        forward_align: The tail never begins with a tool result.
        bridge: An answer or tool group before the newest user message joins the tail.
        several_users: `compression.min_tail_user_messages` is honoured.
        aligns: Tool groups are kept whole at the end of the middle.
        demote_over: Characters above which old tool results of the tail become a note; 0 for never.
        demote_rounds: Newest tool rounds spared from that.
        nudges: User rows that Hermes itself sends to a stalled model; no user messages.
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
    floorless: bool
    rewalk: bool
    anchors: bool
    real_users: bool
    skips_summaries: bool
    keeps_pairs: bool
    answer_anchor: bool
    bounds_answer: bool
    splits_turns: bool
    restates_most: int
    forward_align: bool
    bridge: bool
    several_users: bool
    aligns: bool
    demote_over: int
    demote_rounds: int
    nudges: tuple[Fingerprint, ...]


@dataclass(frozen=True, slots=True)
class PruneRules:
    """How old tool results shrink before anything is cut.

    Attributes:
        style: `line` (what the call did), `placeholder` (one fixed text) or `ends` (its first and last
            characters).
        stubs: Table of one-line texts in `stubs.yaml`.
        over: Results longer than this many characters shrink.
        ends: Characters kept at either end by style `ends`.
        duplicates: Older copies of a result become a reference to the newest.
        arguments_over: Call arguments longer than this are cut; 0 for never.
        arguments_keep: Characters kept of each long text in them.
        arguments_warn: The mark of such a cut warns the model, and only what gets shorter by it is cut.
        count_cap: Most messages `protect_last` may protect here; 0 for no bound.
        skips_stubs: Texts that look like an earlier one-line text are left alone.
        spares_pending: The tool round nobody has answered yet is left alone while it is small.
        keep_images: Newest image-bearing tool results that keep their images; 0 for all.
        pressure: When the protected end alone is too large its results shrink too.
        pressure_spares: Newest messages spared at first.
        skill_window: Bodies of skills loaded in the last so many messages are left alone; 0 for none.
        blank_echoes: Blank user rows between the newest request and its answer are removed.
        middle_only: Only the middle is pruned, after it is cut.
        needs_objects: The line of a result fails where the arguments of its call are JSON but no object.
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
