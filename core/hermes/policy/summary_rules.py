"""The rules by which one release makes a summary, or goes without one, as values."""

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
class FeedbackRules:
    """Which outcomes `/compress` tells apart.

    Attributes:
        names_failures: Aborts and fallbacks have headlines of their own.
        names_refusals: So has a summary refused because it would grow the conversation.
        size_line: What the line on both sizes calls them.
    """

    names_failures: bool
    names_refusals: bool
    size_line: str
