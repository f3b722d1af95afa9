"""The window that a compaction ran with, as far as log lines of then and files of today show it.

After a provider's refusal a running agent may use a smaller window, which no file records.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from core.explain.compactions.refusals import stated_window, window_in, window_left
from core.explain.context.log.log_claims import assumed_window, of_model
from core.hermes.config.in_force import find_window
from core.hermes.log.record import Kind, LogRecord

if TYPE_CHECKING:
    from core.explain.compactions.attempts import Attempt
    from core.explain.compactions.matching import Match
    from core.explain.context.context import ConversationContext
    from core.explain.context.rows.boundary_rows import BoundaryRows

_SECOND = timedelta(seconds=1)


class PastWindow(NamedTuple):
    """The window that a compaction ran with.

    Attributes:
        window: None where unknown.
        stated: A line of the same run states it, or a refusal in that run implies it.
        shrunk: That refusal.
        claims: Windows the log states for other runs, where they differ.
        edited: config.yaml was changed between this compaction and the end of the conversation, so it
            describes later times, unless the sizes of then agree with it.
        later: No line states it, and the config.yaml that does was last changed after the conversation.
    """

    window: int | None
    stated: bool = False
    shrunk: Shrunk | None = None
    claims: tuple[int, ...] = ()
    edited: bool = False
    later: bool = False


def past_window(context: ConversationContext, pair: Match) -> PastWindow:
    """The window in force then: by the deciding line, by other lines of the same run, else by files."""
    attempt, rows = pair
    if attempt is None:
        at = rows.at if rows is not None else None
        found = _by_files(context, PastWindow(None), at)
        return found if found.edited else found._replace(window=_booked(context, rows))
    if attempt.cause.window is not None:
        return PastWindow(attempt.cause.window, stated=True)
    model = attempt.started.model if attempt.started is not None else None
    known, run = of_model(context.windows_stated, model), context.runs.get(attempt.first.where)
    own = [line for line in known if run is not None and context.runs.get(line.where) == run]
    before = [line for line in own if line.at <= attempt.first.at]
    base = _of_model(context, model, attempt)
    shrunk = shrunk_in(context, attempt, run, own[0].window if own else base)
    if shrunk is not None:
        return PastWindow(shrunk.window, True, shrunk)
    if before or own:
        return PastWindow((before or own[:1])[-1].window, True)
    others = {line.window for line in known if line.window and line.window != base}
    found = PastWindow(base, claims=tuple(sorted(others)))
    return _by_files(context, found, context.clock.utc(attempt.first.at))


def _by_files(context: ConversationContext, found: PastWindow, at: datetime | None) -> PastWindow:
    """The same with whether the config.yaml of today is younger than a moment."""
    edited = edited_after(context, at)
    return found._replace(
        edited=edited, later=not edited and _window_set(context) and _changed_since(context, at)
    )


def _booked(context: ConversationContext, rows: BoundaryRows | None) -> int | None:
    """The window of the models a session names or has calls booked on; None where their windows differ.

    A rotation opens its session with the model in use, while the closed one names an earlier model.
    """
    if rows is None:
        return None
    session = context.sessions.get(rows.session, context.conversation.tip)
    used = {row.model for row in context.store.model_usage([session.id]) if not row.task and row.model}
    opened = context.sessions.get(rows.opened.session_id, session)
    windows = {window_of(context, model) for model in {*used, session.model, opened.model}}
    return windows.pop() if len(windows) == 1 else None


def _of_model(context: ConversationContext, model: str | None, attempt: Attempt) -> int | None:
    """What files say of a model today; not where the log says that this was learned later."""
    lines = [one for one in context.rare_lines if one.kind is Kind.LIMIT_CACHED and one.model == model]
    past = [line for line in lines if line.at <= attempt.first.at]
    if lines and not (_window_set(context) and model == context.config.model):
        return past[-1].window if past else None
    return window_of(context, model)


def window_of(context: ConversationContext, model: str | None) -> int | None:
    """What files say of a model's window; config.yaml counts only for the model it names."""
    if _window_set(context):
        named = not context.config.model or model in (None, context.config.model)
        return context.window.tokens if named else None
    tip = context.conversation.tip
    if model in (None, tip.model):
        return context.window.tokens
    home, base_url = context.store.location.home, tip.base_url or ""
    assumed = assumed_window(context.log, model)
    return find_window(
        context.config, home=home, model=model or "", base_url=base_url, assumed=assumed
    ).tokens


def _window_set(context: ConversationContext) -> bool:
    return context.window.source == "config"


def edited_after(context: ConversationContext, at: datetime | None) -> bool:
    """Whether config.yaml was last changed after a moment and before the conversation ended.

    A file that is newer than everything else may just be a copy.
    """
    changed = _changed(context)
    return _changed_since(context, at) and changed is not None and changed < _lived_until(context)


def _changed_since(context: ConversationContext, at: datetime | None) -> bool:
    """Whether the config.yaml that gives the window was last changed after a moment."""
    changed = _changed(context)
    return at is not None and changed is not None and at + _SECOND < changed


def _changed(context: ConversationContext) -> datetime | None:
    path = context.config.path
    try:
        return datetime.fromtimestamp(path.stat().st_mtime, UTC) if path is not None else None
    except OSError:
        return None


def _lived_until(context: ConversationContext) -> datetime:
    known = [session.ended_at or session.last_active for session in context.conversation.sessions]
    known += [rows.at for rows in context.boundaries]
    known += [context.clock.utc(record.at) for record in context.log.records[-1:]]
    return max((at for at in known if at is not None), default=datetime.min.replace(tzinfo=UTC))


@dataclass(frozen=True, slots=True)
class Shrunk:
    """A window below the configured one."""

    window: int
    line: LogRecord


def shrunk_in(
    context: ConversationContext, attempt: Attempt, run: int | None, window: int | None
) -> Shrunk | None:
    """The newest lowering of the window in an attempt's run, up to then; None if a later line denies it.

    Where no call of the run was answered, the turn is used in its place; where the run is unknown, the
    attempt's own refusal counts too.
    """
    found: Shrunk | None = None
    policy, answered, first = context.policy(None), attempt.cause.line, attempt.first.at
    turns = (one.at for one in context.log.records if one.kind is Kind.TURN and one.at <= first)
    since = max(turns, default=None) if run is None else None
    for record in context.rare_lines:
        own = run is not None and context.runs.get(record.where) == run
        own = own or (since is not None and record.at >= since)
        if record.at > first or not (own or record is answered):
            continue
        if stated := window_in(record):
            found = found if found is not None and found.window == stated else None
            window = stated
        elif record.kind is Kind.CALL_FAILED:
            lower = window_left(record, window, policy)
            if lower is None and stated_window(record, policy.release) == window:
                lower = window  # a restart in between may have reset it
            if lower is not None:
                window, found = lower, Shrunk(lower, record)
    return found
