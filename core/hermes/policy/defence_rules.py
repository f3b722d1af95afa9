"""A release's rules for recovering from refusals, as values; the numbers are in `releases/*.yaml`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class OverflowRules:
    """What happens when a provider refuses a request as too long.

    Attributes:
        attempts: Attempts per turn at compressing or lowering the output limit.
        pre_api_counts: Whether the check before a model call uses up the same attempts.
        tiers: Windows tried in turn if a refusal names no limit; if empty, the window is kept.
        stores_limit: When a stated limit is stored for the model: `fitted` (after a call that fitted),
            `unless_compacted` (the same, but a compaction in between discards it) or `read` (as soon as it is
            read).
        progress: A compaction that leaves as many messages counts as progress below this share of the size;
            0 if only fewer messages count.
        own_estimate: Whether a lowered output limit also respects the release's own estimate of what is left.
        clamps_rate_limit: Whether a rate-limit error that names an output room lowers the output limit.
        compresses_with_output: Whether lowering the output limit also compresses.
        doubts_local: Whether a local refusal without a number is disbelieved while half the window is free.
        refuses_disabled: Whether an overflow ends the turn if compression is switched off.
        noop_waits: Whether a compaction without effect also makes the next check wait for a real count.
        fails_closed: Whether a refused request is only sent again below the threshold: it is compressed until
            it is, or else the turn is given up.
        unpaid_calls: Calls made in all on a refusal for lack of credit if no fallback model is set.
        min_window: Smallest window of a summary model, in tokens; a smaller limit in a refusal ends the turn.
        drops_pictures: Whether a request too large in bytes is sent without the images of tool results once
            compressing frees nothing more.
    """

    attempts: int
    pre_api_counts: bool
    tiers: tuple[int, ...]
    stores_limit: str
    progress: float
    own_estimate: bool
    clamps_rate_limit: bool
    compresses_with_output: bool
    doubts_local: bool
    refuses_disabled: bool
    noop_waits: bool
    fails_closed: bool
    unpaid_calls: int
    min_window: int
    drops_pictures: bool


@dataclass(frozen=True, slots=True)
class HygieneRules:
    """What the gateway does about a large transcript before the agent runs.

    Attributes:
        share: Share of the window at which the gateway compacts, whatever `compression.threshold` says.
        warn: Share of the window at which it warns after a compaction.
        least: Rows below which it does not check; system and meta rows count.
        limit: Rows at which it compacts; `compression.hygiene_hard_message_limit` sets it.
        tool_rows: Whether tool results are compacted too; earlier releases compact only what was said.
        pause: In the pause after a failure it `asks` (tries anew), `drops` (asks no model and replaces the
            middle with a placeholder), `keeps` (changes nothing) or `skips` (does not try).
        pauses: Factors of `compression.hygiene_failure_cooldown_seconds`, by failures in a row.
        max_pause: The longest pause, in seconds.
        anchored: Whether it uses the session's stored usage plus later messages if it has no last count.
        bounds: Whether only as many rows as the limit allows are sent if it does not compact.
    """

    share: float
    warn: float
    least: int
    limit: int
    tool_rows: bool
    pause: str
    pauses: tuple[int, ...]
    max_pause: int
    anchored: bool
    bounds: bool


@dataclass(frozen=True, slots=True)
class ResultRules:
    """What happens to a tool result before it enters the conversation; sizes in characters.

    Attributes:
        size: A result longer than this is saved to a file and replaced by a block with a preview.
        turn: If the results of a turn are longer than this together, the largest are replaced first.
        preview: How much of the result's start its block shows.
        tool_caps: Size at which tools themselves cut their output; `mcp_` stands for every MCP tool.
        unlimited: Tools whose single result is never replaced; the limit of a turn still applies to them.
        mcp: `size` for MCP tools; 0 if they have none of their own.
        scaled: Whether `size` and `turn` depend on the window.
        size_share, size_floor: Share of the window's characters that one result may take, and its minimum.
        turn_share, turn_floor: The same for a turn.
        block_text: Length of a block's fixed text, including its two tags.
        note_text: Length of the note's fixed text if a file could not be saved.
        storage: Where the files are: `terminal` (temporary folder of a terminal that was used) or `home`.
        folder: The folder in that place.
        keeps_hours: Files older than this are deleted; 0 for never.
        safe_names: Whether a call id becomes a safe file name; in earlier releases it could leave the folder.
        unwraps: Whether the text in an MCP result's envelope is saved, not its JSON.
        wraps: When results from outside are wrapped as data: `never`, `once` or `always`.
        notices: Whether results from outside that say they are incomplete get a notice.
        list_text: Whether a list counts by its text and keeps its images; earlier, by its number of parts.
    """

    size: int
    turn: int
    preview: int
    tool_caps: tuple[tuple[str, int], ...]
    unlimited: tuple[str, ...]
    mcp: int
    scaled: bool
    size_share: float
    size_floor: int
    turn_share: float
    turn_floor: int
    block_text: int
    note_text: int
    storage: str
    folder: str
    keeps_hours: int
    safe_names: bool
    unwraps: bool
    wraps: str
    notices: bool
    list_text: bool
