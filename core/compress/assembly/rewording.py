"""A list made at the size of a release's, told in our words: the same rows, other free text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.compress.assembly.assemble import Assembled
from core.compress.messages.kinds import HAD_USER, content_text, is_scaffold, is_summary
from core.compress.messages.list_rows import without_keys
from core.compress.planning.keep_turns import rejoined
from core.compress.summarise.fallback.text import no_user_line
from core.hermes.markers.wording import OURS, Wording
from core.hermes.policy.output_rules import AssemblyRules
from core.hermes.policy.policy import Policy
from core.model.transcript.message import Message

Messages = tuple[Message, ...]
_OF_TAIL = "_compaction_tail"


@dataclass(frozen=True, slots=True)
class Sides:
    """One new list, twice.

    Attributes:
        released: With stand-ins of the size of the release's own words: for estimates, never shown.
        ours: What we show and would write.
        index: Where the summary stands in either; None without one.
    """

    released: Messages
    ours: Messages
    index: int | None = None

    def before_kept(self, kept: Messages) -> Sides:
        """Both with the turns the user keeps behind them."""
        return Sides(rejoined(self.released, kept), rejoined(self.ours, kept), self.index)


def marked(assembled: Assembled, *, had_user: bool, tail_from: int | None, rules: AssemblyRules) -> Messages:
    """The rows of a list with the keys a release gives them while it is in memory: its estimate counts those.

    Args:
        assembled: A list with a summary in it.
        had_user: What the summary row says of the conversation.
        tail_from: Where the tail of the list before begins; None once an agent has taken the list over.
        rules: Of the release.
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
    """A list and its twin in our words.

    Args:
        messages: As the release would leave them, its words stood in for.
        index: Where the summary stands.
        summary: The summary as inserted, handoff and body: its stand-in and ours.
        wording: The stand-ins.
    """
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
