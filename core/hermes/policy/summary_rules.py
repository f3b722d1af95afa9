"""A release's rules for making a summary, or going without one, as values."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Band:
    """The summary's share of the middle, while the middle is below a size."""

    below: int
    ratio: float


@dataclass(frozen=True, slots=True)
class ModelTable:
    """A model's output, cost and duration for middles of some sizes, according to a document."""

    model: str
    tokens: tuple[int, ...]
    usd: tuple[float, ...]
    seconds: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class SummaryRules:
    """What a summary may cost and must contain.

    Attributes:
        ratio: The summary's share of the middle's estimate.
        bands: Shares by size instead of `ratio`, smallest size first.
        least: Minimum budget in tokens.
        cap: Maximum budget in tokens.
        cap_percent: Maximum budget as a share of the window.
        output_factor: Output limit sent to the model, as a multiple of the budget; 0 if none is sent.
        headings: Section headings, without `## `.
        lean_headings: Headings added in lean tail mode.
        search: Where an earlier summary is searched for: `window`, `before_end` or `everywhere`.
        forgets: Whether a summary in memory is dropped if the list has none.
        every_summary: Whether all earlier summaries leave the middle and are joined, merged ones unwrapped.
        marked: Whether the row's `_compressed_summary` flag makes it a summary.
        unwraps: Whether a summary after a prior-context wrapper is found.
        end: The end marker that is cut from a body with all that follows: `none`, the `last` thing in it, or
            the first one `anywhere`.
        reloads_skills: Whether skills whose bodies leave are named under the summary.
        reads_as: The release whose prefix table decides what is a summary.
        temporal: Whether the summariser is told the date and to describe finished work as finished.
        auto_focus: Whether the newest requests serve as the topic if none is given.
        grounds_task: Whether the first section is overwritten with the newest request.
        task_aliases: Other headings of that section; if there are any, only the first such section is kept.
        media_notes: Whether `MEDIA:` paths are hidden from the summariser.
        list_text: Whether lists are shown by their text parts, not by their repr, and without think blocks.
        input_cap: Most characters shown to the summariser; 0 for no limit.
        elision: How cut text is marked: `plain` or `counted`.
        lean_extras: Whether mechanical sections are appended in lean tail mode.
        log_tokens: Tokens added to the budget for the session log of lean tail mode.
        models: Cost and duration of summary models; empty for releases.
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
        abort_configurable: Whether `compression.abort_on_summary_failure` is honoured.
        aborts: Kinds of failure after which the list is left alone.
        cooldowns: Pause in seconds by kind of failure, 0 for `cooldown_steps`; `other` for the rest.
        cooldown_steps: Pauses after timeouts in a row, including gateway timeouts and rate limits.
        overload_aborts: Aborts in a row on an overloaded server before the fallback is used; 0 for none.
        empty_is_failure: Whether an empty answer is a failure; otherwise only the prefix is inserted.
        cut_is_failure: Whether an answer cut off at the output limit is a failure; otherwise it is used.
        force_clears: Whether a manual attempt ends a running pause.
        repeats_ask: Whether the fallback repeats the request in the in-progress and pending sections.
        snapshot: Characters of the previous summary that the fallback keeps; 0 if it only mentions it.
        cap: Most characters of a structured fallback.
        main_model_on: Failures of the summary model after which the main model is asked once.
        main_model_elsewhere: Whether it is only asked if its provider is another one.
        main_model_auto_on: The failures instead if provider `auto` leads to the main model's own server.
    """

    fallback: str
    abort_configurable: bool
    aborts: tuple[str, ...]
    cooldowns: tuple[tuple[str, int], ...]
    cooldown_steps: tuple[int, ...]
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
    """Which outcomes `/compress` distinguishes.

    Attributes:
        names_failures: Whether aborts and fallbacks have headlines of their own.
        names_refusals: Whether a summary refused because it would grow the conversation has one too.
        size_line: The term for both sizes in the line about them.
    """

    names_failures: bool
    names_refusals: bool
    size_line: str
