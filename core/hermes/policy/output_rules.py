"""The rules by which one release puts a list together again and hands it on, as values."""

from __future__ import annotations

from dataclasses import dataclass


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
