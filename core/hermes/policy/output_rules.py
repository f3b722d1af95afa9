"""The rules by which one release makes a summary, puts a list together again and gives up, as values."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Band:
    """A share of the middle granted to the summary while the middle is below a size."""

    below: int
    ratio: float


@dataclass(frozen=True, slots=True)
class ModelTable:
    """What a document says a model takes to summarise middles of some sizes."""

    model: str
    tokens: tuple[int, ...]
    usd: tuple[float, ...]
    seconds: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class SummaryRules:
    """What a summary may cost and must contain.

    Attributes:
        ratio: Share of the middle's estimate granted to the summary.
        bands: Shares by size instead of `ratio`, smallest first.
        least: Tokens granted at least.
        cap: Tokens granted at most.
        cap_percent: Share of the window granted at most.
        output_factor: Output limit sent to the model, as a multiple of the budget; 0 when none is sent.
        headings: Section headings, without `## `.
        lean_headings: Headings added in the lean tail mode.
        search: Where an earlier summary is looked for: `window`, `before_end` or `everywhere`.
        forgets: A summary in memory is dropped when the list holds none.
        every_summary: All earlier summaries leave the middle and are joined, merged ones unwrapped.
        marked: The row's `_compressed_summary` flag makes it a summary.
        unwraps: A summary behind a prior-context wrapper is found.
        end: Which end marker is cut from a body, with all behind it: `none`, the `last` thing in it, or the
            first one `anywhere`.
        reloads_skills: Skills whose bodies leave are named under the summary.
        reads_as: Release whose prefix table decides what is a summary.
        temporal: The summariser is told the date and to word finished work as finished.
        auto_focus: Without a topic, the newest requests serve as one.
        grounds_task: The first section is overwritten with the newest request.
        task_aliases: Other headings of that section; where there are any, only the first such section stays.
        media_notes: `MEDIA:` paths are hidden from the summariser.
        list_text: List content is shown by its text parts, not by its repr, and think blocks not at all.
        input_cap: Most characters shown to the summariser; 0 for no bound.
        elision: How cut text is marked: `plain` or `counted`.
        lean_extras: Mechanical sections are appended in the lean tail mode.
        log_tokens: Tokens added to the budget for the session log of the lean tail mode.
        models: What summary models cost and how long they take; no release says.
    """

    ratio: float
    bands: tuple[Band, ...]
    least: int
    cap: int
    cap_percent: float
    output_factor: float
    headings: tuple[str, ...]
    lean_headings: tuple[str, ...]
    search: str
    forgets: bool
    every_summary: bool
    marked: bool
    unwraps: bool
    end: str
    reloads_skills: bool
    reads_as: str
    temporal: bool
    auto_focus: bool
    grounds_task: bool
    task_aliases: tuple[str, ...]
    media_notes: bool
    list_text: bool
    input_cap: int
    elision: str
    lean_extras: bool
    log_tokens: int
    models: tuple[ModelTable, ...]


@dataclass(frozen=True, slots=True)
class AssemblyRules:
    """How head, summary and tail become one list again.

    Attributes:
        end_marker: `always`, or `user` when only user-role summaries carry it.
        merge: Where a summary that fits no role goes: `before` the first tail message or `after` it, wrapped.
        forces_user: The summary takes the user role when no user message survives.
        visible_roles: Tool rows and assistants with calls do not count for the choice of role.
        orphans: Calls without results get a `stub` result or are `strip`ped.
        keeps_pending: Unanswered calls of the last assistant are kept.
        id_variants: A call pairs with its result by any of its ids.
        strips_images: Images older than the newest user image are removed.
        strips_tool_images: So are all tool images but the newest.
        drops_sidecar: `api_content` of a rewritten message is dropped.
        marks_row: The summary row carries `_compressed_summary`.
        marks_user: It also says whether a user ever spoke; measured with the list, never stored.
        marks_tail: So do the rows of the tail, until an agent takes the list over.
        restates: An unfinished request that fell before the summary is repeated behind it.
        drops_db_mark: `_db_persisted` is dropped from every message.
        keeps_pruned: A list without a middle comes back pruned, not as it was given.
    """

    end_marker: str
    merge: str
    forces_user: bool
    visible_roles: bool
    orphans: str
    keeps_pending: bool
    id_variants: bool
    strips_images: bool
    strips_tool_images: bool
    drops_sidecar: bool
    marks_row: bool
    marks_user: bool
    marks_tail: bool
    restates: bool
    drops_db_mark: bool
    keeps_pruned: bool


@dataclass(frozen=True, slots=True)
class HostRules:
    """What the agent around the compressor makes of its result.

    Attributes:
        todos: Open to-do items are `append`ed as a user message, `fold`ed into a user message the list ends
            with, or left out (`none`).
        user_turn: The newest user message is put back when the list holds no user row (`any`), or no `real`
            one; `none` where no release looks.
        grow_guard: A result larger than the conversation is made smaller, or refused.
        keeps_reply: The newest readable answer is put back when the compressor summarised it.
    """

    todos: str
    user_turn: str
    grow_guard: bool
    keeps_reply: bool


@dataclass(frozen=True, slots=True)
class EngineRules:
    """What becomes of a context engine that a user installs and `context.engine` names.

    Attributes:
        copies: Every agent gets the one object (`shared`), a deep copy (`deepcopy`), or what the engine's own
            `clone_for_agent` returns (`clone`); where that fails, Hermes silently takes its own engine.
        home_folders: A folder of the home's plugins with the engine's name is taken without being enabled,
            whatever class the engine has.
        reads_entries: An entry point may name the `register` function itself in place of its module, and its
            source is looked at as that of a folder is.
        providers: Words of a source that make it a provider, of memory or the like, which is loaded otherwise
            and registers no engine.
    """

    copies: str
    home_folders: bool
    reads_entries: bool
    providers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HookRules:
    """What a release shows its plugins of a request.

    Attributes:
        messages: The list of messages, whole.
        tools: Their schemas are shown `whole`, `cut` where the request is long or they are deep, or only
            counted (`none`).
    """

    messages: bool
    tools: str


@dataclass(frozen=True, slots=True)
class SequenceRules:
    """How a list is put in order before it goes to a provider.

    Attributes:
        joins_answers: Neighbouring assistant rows become one, not only neighbouring user rows.
        replaces_candidates: An answer that still had to be verified gives way to the one behind it.
        strict_results: A result may refer to either id of its call, and each call has one.
        drops_unanswered: A call that the results behind it do not answer is dropped.
        keeps_unnamed: A result that names no call stays.
        spares_summaries: A user row is not joined to a summary or to what was sent into a running turn.
    """

    joins_answers: bool
    replaces_candidates: bool
    strict_results: bool
    drops_unanswered: bool
    keeps_unnamed: bool
    spares_summaries: bool


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


@dataclass(frozen=True, slots=True)
class FailureRules:
    """What happens without a summary.

    Attributes:
        fallback: `sentence`, `structured` or `note`.
        abort_configurable: `compression.abort_on_summary_failure` is honoured.
        aborts: Failure kinds that leave the list alone.
        cooldowns: Seconds of pause by failure kind, 0 for the ladder's; `other` for the rest.
        ladder: Pauses of timeouts in a row, a gateway's and limits of rate among them.
        overload_aborts: Aborts in a row on an overloaded server before the fallback is used; 0 when none.
        empty_is_failure: An empty answer is no summary; otherwise its prefix is inserted alone.
        cut_is_failure: One that the output limit cut off is none; otherwise it is taken as it is.
        force_clears: A manual attempt ends a running pause.
        repeats_ask: The fallback repeats the request in the in-progress and pending sections.
        snapshot: Characters of the previous summary the fallback keeps; 0 for a mere mention.
        cap: Most characters of a structured fallback.
        main_model_on: Failure kinds of a summary model after which the main model is asked once.
        main_model_elsewhere: Only where the main model's provider is another one.
        main_model_auto_on: The same where provider `auto` leads to the main model's own server.
    """

    fallback: str
    abort_configurable: bool
    aborts: tuple[str, ...]
    cooldowns: tuple[tuple[str, int], ...]
    ladder: tuple[int, ...]
    overload_aborts: int
    empty_is_failure: bool
    cut_is_failure: bool
    force_clears: bool
    repeats_ask: bool
    snapshot: int
    cap: int
    main_model_on: tuple[str, ...]
    main_model_elsewhere: bool
    main_model_auto_on: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TrajectoryRules:
    """How the release's tool for finished training trajectories cuts; apart from its live compression.

    Attributes:
        snaps: A boundary never parts a tool turn from the turn that called it.
        least_region: A region no larger than the summary that would replace it is left alone.
        refuses_cut: An answer that stopped at its output limit is no summary.
    """

    snaps: bool
    least_region: bool
    refuses_cut: bool
