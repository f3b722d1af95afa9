"""A release's rules for reassembling a list and handing it on, as values."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AssemblyRules:
    """How head, summary and tail become a list again.

    Attributes:
        end_marker: `always`, or `user` if only user-role summaries carry it.
        merge: A summary that fits no role is merged `before` or, wrapped, `after` the first tail message.
        forces_user: When the summary takes the user role whatever its neighbours: `never`, if no user message
            survives (`without_user`), or only right `behind_system`.
        visible_roles: Whether tool rows and assistants with calls are ignored in the choice of role.
        orphans: Calls without results get a `stub` result or are `strip`ped.
        keeps_pending: Whether unanswered calls of the last assistant are kept.
        id_variants: Whether a call pairs with its result by any of its ids.
        strips_images: Whether images older than the newest user image are removed.
        strips_tool_images: Whether all tool images but the newest are removed too.
        drops_sidecar: Whether `api_content` of a rewritten message is dropped.
        marks_row: Whether the summary row carries `_compressed_summary`.
        marks_user: Whether it also says if a user ever spoke; counted in the list's size, never stored.
        marks_tail: Whether the tail's rows are marked too, until an agent takes over the list.
        restates: Whether an unfinished request before the summary is repeated after it.
        drops_db_mark: Whether `_db_persisted` is dropped from every message.
        keeps_pruned: Whether a list without a middle is returned pruned, not as it was given.
    """

    end_marker: str
    merge: str
    forces_user: str
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
    """What the agent around the compressor does with its result.

    Attributes:
        todos: Open to-do items are `append`ed as a user message, `fold`ed into a user message at the list's
            end, or left out (`none`).
        user_turn: The newest user message is put back if the list has no user row (`any`) or no `real` one;
            `none` for releases that do not check.
        grow_guard: Whether a result larger than the conversation is made smaller, or refused.
        keeps_reply: Whether the newest readable answer is put back if the compressor summarised it.
    """

    todos: str
    user_turn: str
    grow_guard: bool
    keeps_reply: bool


@dataclass(frozen=True, slots=True)
class EngineRules:
    """What happens to a context engine that a user installs and `context.engine` names.

    Attributes:
        copies: What every agent gets: the same object (`shared`), a deep copy (`deepcopy`), or the result of
            the engine's own `clone_for_agent` (`clone`); if that fails, Hermes silently uses its own engine.
        home_folders: Whether a folder of the home's plugins with the engine's name is used without being
            enabled, whatever class the engine has.
        reads_entries: Whether an entry point may name the `register` function itself instead of its module,
            and its source is checked like that of a folder.
        providers: Words in a source that mark it as a provider, of memory for example; providers are loaded
            otherwise and register no engine.
    """

    copies: str
    home_folders: bool
    reads_entries: bool
    providers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HookRules:
    """What a release shows its plugins of a request.

    Attributes:
        messages: Whether the whole list of messages is shown.
        tools: Tool schemas are shown `whole`, `cut` if the request is long or they are deep, or only counted
            (`none`).
    """

    messages: bool
    tools: str


@dataclass(frozen=True, slots=True)
class SequenceRules:
    """How a list is put in order before it goes to a provider.

    Attributes:
        joins_answers: Whether neighbouring assistant rows are joined, not only neighbouring user rows.
        replaces_candidates: Whether an answer that was still to be verified is replaced by the next one.
        strict_results: Whether a result may refer to either id of its call, and each call has one result.
        drops_unanswered: Whether a call that the results after it do not answer is dropped.
        keeps_unnamed: Whether a result that names no call is kept.
        spares_summaries: Whether user rows are never joined to a summary or to text sent into a running turn.
    """

    joins_answers: bool
    replaces_candidates: bool
    strict_results: bool
    drops_unanswered: bool
    keeps_unnamed: bool
    spares_summaries: bool


@dataclass(frozen=True, slots=True)
class TrajectoryRules:
    """How the release's tool for finished training trajectories cuts; separate from live compression.

    Attributes:
        keeps_tool_turns_together: Whether no boundary separates a tool turn from the turn that called it.
        skips_small_region: Whether a region no larger than its summary would be is left alone.
        refuses_cut: Whether an answer that stopped at its output limit is rejected as a summary.
    """

    keeps_tool_turns_together: bool
    skips_small_region: bool
    refuses_cut: bool
