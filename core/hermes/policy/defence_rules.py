"""The rules by which one release recovers from refusals, as values; the numbers are in `releases/*.yaml`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class OverflowRules:
    """What follows when a provider refuses a request as too long.

    Attributes:
        attempts: Attempts at compressing or lowering the output that one turn has.
        pre_api_counts: The check before a model call takes from the same attempts.
        tiers: Windows tried one after the other when a refusal names no limit; empty: it is kept.
        stores_limit: When a stated limit is stored for the model: `fitted` (after a call that fitted),
            `unless_compacted` (likewise, but a compaction in between makes it forgotten) or `read` (as soon
            as it is read).
        progress: A compaction that leaves as many messages is progress below this share of the size; 0 when
            only fewer messages are.
        own_estimate: A lowered output also respects the release's own estimate of what is left.
        clamps_rate_limit: A refusal for rate that names an output room lowers the output.
        compresses_with_output: Lowering the output also compresses.
        doubts_local: A local refusal without a number is not believed while half the window is free.
        refuses_disabled: With compression switched off an overflow ends the turn.
        noop_awaits: A compaction that changed nothing, too, makes the next check wait for a real count.
        fails_closed: After a refusal only a request below the threshold is sent again: it is compressed until
            it is, and else the turn is given up.
        unpaid_calls: Calls that a refusal for want of credit gets where no fallback model is set.
        least_window: Tokens a summary model must read; a smaller limit that was read ends the turn.
        drops_pictures: A request too large in bytes goes without the pictures of tool results once
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
    noop_awaits: bool
    fails_closed: bool
    unpaid_calls: int
    least_window: int
    drops_pictures: bool


@dataclass(frozen=True, slots=True)
class HygieneRules:
    """What the gateway does about a large transcript before the agent runs.

    Attributes:
        share: Of the window; at or above it the gateway compacts, whatever `compression.threshold` says.
        warn: Share of the window at or above which it warns after a compaction.
        least: Rows below which it does not look; system and meta rows count.
        limit: Rows at or above which it compacts; `compression.hygiene_hard_message_limit` sets it.
        tool_rows: Tool results are compacted with the rest; before, only what was said.
        pause: While a pause after a failure runs it `asks` (tries anew), `drops` (asks no model and puts a
            placeholder in the place of the middle), `keeps` (changes nothing) or `skips` (does not try).
        pauses: Factors of `compression.hygiene_failure_cooldown_seconds`, by failures in a row.
        pause_most: The longest of them.
        anchored: Without a last count it takes the usage stored with the session, and what came since.
        bounds: Where it does not land, only so many rows as the limit allows are sent.
    """

    share: float
    warn: float
    least: int
    limit: int
    tool_rows: bool
    pause: str
    pauses: tuple[int, ...]
    pause_most: int
    anchored: bool
    bounds: bool


@dataclass(frozen=True, slots=True)
class ResultRules:
    """What becomes of a tool result on its way into the conversation; sizes in characters.

    Attributes:
        size: A result longer than this is saved to a file and replaced by a block with a preview.
        turn: Results of one turn longer than this together are replaced, largest first.
        preview: The start of a result that its block shows.
        tool_caps: Characters at which tools themselves cut what they return; `mcp_` is for every MCP tool.
        unlimited: Tools whose single result is never replaced; a turn does not spare them.
        mcp: Size for MCP tools; 0 where they have none of their own.
        scaled: `size` and `turn` follow the window.
        size_share, size_floor: Share of the window's characters one result may take, and its least.
        turn_share, turn_floor: The same for a turn.
        block_text: Length of the fixed words of a block, its two tags included.
        note_text: Length of the fixed words of the note where a file could not be saved.
        storage: Where the files lie: `terminal` (temporary folder of a terminal that was used) or `home`.
        folder: Their folder in there.
        keeps_hours: Files older than this are deleted; 0 for never.
        safe_names: A call id is made a harmless file name; before, one could leave the folder.
        unwraps: The text in the envelope of an MCP result is saved, not its JSON.
        wraps: Results from outside are wrapped as data: `never`, `once` or `always`.
        notices: Results from outside that say they are incomplete get a notice.
        list_text: A list of parts counts by its text and keeps its images; before, by its number of parts.
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
