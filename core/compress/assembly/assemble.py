"""The list a compaction leaves, as each release builds it from head, summary and tail, and in our words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from core.compress.messages.kinds import HAD_USER, content_text, is_scaffold, is_summary
from core.compress.messages.list_rows import Row, appended, repaired, without_keys
from core.compress.messages.restated_request import restated
from core.compress.messages.summary_row import merged, place, standalone, unwrapped
from core.compress.planning.measure import Measured
from core.compress.planning.summary_window import Window, rejoined, summary_window
from core.compress.pruning.old_outputs import demoted, without_old_images
from core.compress.summarise.fallback.summariser import no_user_line
from core.hermes.markers.wording import NOTE_OPENER, OURS, Wording
from core.hermes.policy.output_rules import AssemblyRules
from core.hermes.policy.policy import Policy
from core.model.compaction.plan import Plan
from core.model.transcript.message import Message

Messages = tuple[Message, ...]
_OF_TAIL = "_compaction_tail"


@dataclass(frozen=True, slots=True)
class Assembled:
    """The list after a compaction.

    Attributes:
        messages: New messages; those given are never changed.
        origins: Position of each in the list given; None for the summary, stubs and a restated request.
        summary_index: Row that holds the summary; None without one.
        text: The summary as inserted, marker and body.
        changed: Whether a summary was inserted.
    """

    messages: tuple[Message, ...]
    origins: tuple[int | None, ...]
    summary_index: int | None = None
    text: str = ""
    changed: bool = False


def assemble(
    measured: Measured,
    plan: Plan,
    summary_body: str | None,
    *,
    wording: Wording = OURS,
    session: str | None = None,
) -> Assembled:
    """Put a summary's body in place of the middle; without one, the list given, as the release returns it.

    None as body leaves the list unchanged, as an abort does. Notes on demoted results refer to `session`.
    """
    window = summary_window(measured, plan.middle, frozenset(plan.pruned_at))
    if plan.middle.size and measured.policy.summary.every_summary and window.is_empty:
        return _unchanged(measured, plan, session, aborted=False)
    if summary_body is None or not plan.middle.size:
        return _unchanged(measured, plan, session, aborted=summary_body is None)
    text = with_handoff(wording, summary_body)
    head, tail = _head(measured, plan, wording.note), _tail(measured, plan, window, session)
    rows = _finished(_joined(head, tail, text, measured.policy), measured)
    policy = measured.policy
    index = next((i for i, row in enumerate(rows) if text in content_text(row.content)), None)
    messages = tuple(row.message for row in rows)
    if policy.assembly.drops_db_mark:
        messages = tuple(without_keys(message, ("_db_persisted",)) for message in messages)
    return Assembled(messages, tuple(row.origin for row in rows), index, text, changed=True)


def with_handoff(wording: Wording, body: str) -> str:
    """A summary as inserted: the handoff, then the body unless that is empty."""
    return "\n".join(filter(None, (wording.handoff, body.strip())))


def pruned_rows(measured: Measured, plan: Plan, start: int = 0, stop: int | None = None) -> list[Row]:
    """The rows `[start, stop)` of the conversation after pruning, without blank echoes."""
    size = len(measured.messages)
    end = size if stop is None else stop
    found = dict(enumerate(measured.base[start:end], start))
    found |= {i: measured.shrunk[i] for i in plan.pruned_at if start <= i < end and i in measured.shrunk}
    found |= {i: measured.shortened(i, again=True) for i in plan.pruned_again if start <= i < end}
    return [Row(message, i) for i, message in found.items() if i not in measured.columns.echoes]


def _unchanged(measured: Measured, plan: Plan, session: str | None, *, aborted: bool) -> Assembled:
    rules = measured.policy.assembly
    if rules.keeps_pruned and not plan.too_short and not aborted and plan.settings.window is not None:
        rows = pruned_rows(measured, plan)
        if plan.middle.size:  # the cut was made before it was found to hold only earlier summaries
            rows = demoted(rows, measured.policy.tail, plan, session)
        return Assembled(tuple(row.message for row in rows), tuple(row.origin for row in rows))
    return Assembled(measured.messages, tuple(range(len(measured.messages))))


def _head(measured: Measured, plan: Plan, note: str) -> list[Row]:
    rows = pruned_rows(measured, plan, stop=plan.head.end)
    if rows and rows[0].role == "system":
        rows[0] = _noted(rows[0], note)
    return without_summaries(rows, measured)


def _noted(row: Row, note: str) -> Row:
    """The system message with one note that a compaction took place."""
    if NOTE_OPENER in content_text(row.content):
        return row
    gap = "\n\n" if isinstance(row.content, str) and row.content else ""
    return row.rewritten(appended(row.content, gap + note))


def _tail(measured: Measured, plan: Plan, window: Window, session: str | None) -> list[Row]:
    rows = demoted(pruned_rows(measured, plan, plan.tail.start), measured.policy.tail, plan, session)
    kept = [row for row in rows if row.origin is not None and row.origin >= window.tail_start]
    return without_summaries(kept, measured)


def without_summaries(rows: list[Row], measured: Measured) -> list[Row]:
    """Remove earlier summaries but keep the rows they were merged into, in releases that remove all."""
    rules = measured.policy.summary
    if not rules.every_summary:
        return rows
    summaries = frozenset(measured.columns.summaries)  # pruning may have changed some of these
    kept: list[Row] = []
    for row in rows:
        if row.origin not in summaries or not is_summary(row.message.wire, rules):
            kept.append(row)
        elif (live := unwrapped(row.message)) is not None:
            kept.append(replace(row, message=live))
    return kept


def _joined(head: list[Row], tail: list[Row], text: str, policy: Policy) -> list[Row]:
    spot = place(head, tail, policy.assembly)
    if spot.merge_into is None:
        return [*head, standalone(text, spot.role, policy.assembly), *tail]
    return [
        *head,
        *(
            merged(row, text, spot.leads, policy.assembly) if i == spot.merge_into else row
            for i, row in enumerate(tail)
        ),
    ]


def _finished(rows: list[Row], measured: Measured) -> list[Row]:
    policy = measured.policy
    rows = repaired(rows, policy.assembly)
    spared = _unanswered(rows) if policy.prune.spares_pending else range(0)
    if policy.assembly.restates:
        echoes = measured.columns.echoes
        given = [message for i, message in enumerate(measured.messages) if i not in echoes]
        rows = restated(rows, given, policy)
    return without_old_images(rows, policy.assembly, spared)


def _unanswered(rows: list[Row]) -> range:
    """The tool results at the end of the list."""
    end = len(rows)
    while end and rows[end - 1].message.wire.get("display_kind") == "steer":
        end -= 1
    start = end
    while start and rows[start - 1].role == "tool":
        start -= 1
    return range(start, end)


@dataclass(frozen=True, slots=True)
class Sides:
    """One new list in two wordings.

    Attributes:
        released: With placeholders of the size of the release's words; for estimates, never shown.
        ours: What we show and would write.
        index: Position of the summary in both; None without one.
    """

    released: Messages
    ours: Messages
    index: int | None = None

    def before_kept(self, kept: Messages) -> Sides:
        """Both lists followed by the turns the user keeps."""
        return Sides(rejoined(self.released, kept), rejoined(self.ours, kept), self.index)


def marked(assembled: Assembled, *, had_user: bool, tail_from: int | None, rules: AssemblyRules) -> Messages:
    """The rows with the keys a release adds in memory, because its estimate counts them.

    `had_user` is what the summary row says; `tail_from` is None once an agent has taken the list over.
    """
    rows = list(assembled.messages)
    if rules.marks_tail and tail_from is not None:
        tail = (i for i, origin in enumerate(assembled.origins) if origin is not None and origin >= tail_from)
        for i in tail:
            rows[i] = rows[i].with_wire(**{_OF_TAIL: True})
    if rules.marks_user and assembled.summary_index is not None:
        summary = rows[assembled.summary_index]
        rows[assembled.summary_index] = summary.with_wire(**{HAD_USER: had_user})
    return tuple(rows)


def had_user(messages: Sequence[Message], policy: Policy) -> bool:
    """Whether a user speaks, or the newest summary stands for one who did."""
    earlier: Message | None = None
    for message in messages:
        if is_summary(message.wire, policy.summary):
            earlier = message
        elif message.role == "user" and not is_scaffold(content_text(message.content).strip(), policy.tail):
            return True
    if earlier is None:
        return False
    flag = earlier.wire.get(HAD_USER)
    return flag if isinstance(flag, bool) else no_user_line() not in content_text(earlier.content)


def sides(messages: Messages, index: int, summary: tuple[str, str], wording: Wording) -> Sides:
    """A list in the release's size, and the same in our words, from one with placeholders for its words."""
    swaps = {summary[0]: summary[1], wording.note: OURS.note}
    places = {0, index}
    plain = (without_keys(message, (HAD_USER, _OF_TAIL)) for message in messages)
    ours = (_reworded(message, swaps) if i in places else message for i, message in enumerate(plain))
    return Sides(messages, tuple(ours), index)


def _reworded(message: Message, swaps: Mapping[str, str]) -> Message:
    content = _swapped(message.content, swaps)
    return message if content == message.content else message.with_wire(content=content)


def _swapped(content: Any, swaps: Mapping[str, str]) -> Any:
    if isinstance(content, list):
        return [_swapped(part, swaps) for part in content]
    if isinstance(content, dict) and isinstance(content.get("text"), str):
        return {**content, "text": _swapped(content["text"], swaps)}
    if isinstance(content, str):
        for stand_in, ours in swaps.items():
            content = content.replace(stand_in, ours)
    return content
