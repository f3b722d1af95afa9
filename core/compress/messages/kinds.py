"""Classifies rows as a release does: summaries, requests people wrote, answers, calls and results."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from core.hermes.markers.markers import (
    PREFILTERS,
    SummaryMatch,
    find_summary,
    markers,
    recognised_by,
    scaffold_kind,
)
from core.hermes.policy.cut_rules import TailRules
from core.hermes.policy.output_rules import AssemblyRules
from core.hermes.policy.policy import Policy
from core.hermes.policy.summary_rules import SummaryRules
from core.model.transcript.message import Message, Wire

MERGED_DELIMITER = "[END OF PRIOR CONTEXT — COMPACTION SUMMARY BELOW]"
PRIOR_HEADER = "[PRIOR CONTEXT — for reference only; not a new message]"
SUMMARY_FLAG = "_compressed_summary"
HAD_USER = "_compressed_summary_has_user_turn"
"""Key of a summary row in a running agent: whether a user ever spoke."""
STEER = "steer"
"""`display_kind` of a message sent into a running turn: the only kind that is a request."""
FAILED_TURN = "failed_turn"
"""`display_kind` of the answer that Hermes itself writes for a turn that brought none."""
_SCAFFOLDS = frozenset({"todo_snapshot", "background_process", "tool_call_notice"})
_CONTINUATION = "continuation"
_FLAGS = (
    "_todo_snapshot_synthetic",
    "_empty_recovery_synthetic",
    "_verification_stop_synthetic",
    "_pre_verify_synthetic",
    "_dropped_toolcall_nudge",
)
_CUT = "cut_notice"
"""What Hermes asks a model whose answer was cut off: not a request, though tails are anchored to it."""


def content_text(content: Any) -> str:
    """The text of a content as releases search it: text parts joined by newlines, anything else as `str`."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        texts = (part if isinstance(part, str) else _part_text(part) for part in content)
        return "\n".join(text for text in texts if text)
    return "" if content is None else str(content)


def is_summary(wire: Wire, rules: SummaryRules) -> bool:
    """Whether a release recognises a row as one of its summaries."""
    if rules.marked and wire.get(SUMMARY_FLAG):
        return True
    return summary_match(wire.get("content"), rules) is not None


def summary_match(content: Any, rules: SummaryRules) -> SummaryMatch | None:
    """The summary that a release would find in a content."""
    if not _may_hold_summary(content, rules):
        return None
    text = content_text(content).lstrip()
    if rules.unwraps and MERGED_DELIMITER in text:
        text = text.split(MERGED_DELIMITER, 1)[1].lstrip()
    if not text.startswith(PREFILTERS):
        return None
    match = find_summary(text)
    known = match is not None and match.exact and recognised_by(match, rules.reads_as)
    return match if known else None


def is_request(wire: Wire, policy: Policy) -> bool:
    """Whether a row counts as a user message when the tail is anchored."""
    if wire.get("role") != "user":
        return False
    if not policy.tail.skips_summaries:
        return True
    if is_summary(wire, policy.summary):
        return False
    return not policy.tail.real_users or _is_real(wire, policy.tail)


def is_scaffold(text: str, rules: TailRules) -> bool:
    """Whether Hermes itself wrote a user message, by its text; 0.19 takes a continuation for a request."""
    kind = scaffold_kind(text)
    return kind in _SCAFFOLDS or (kind == _CONTINUATION and rules.real_users) or _is_stall_prompt(text, rules)


def is_blank_user(wire: Wire, rules: SummaryRules) -> bool:
    """Whether a row is an empty echo from a platform."""
    return wire.get("role") == "user" and is_blank(wire.get("content")) and not is_summary(wire, rules)


def is_readable_answer(wire: Wire) -> bool:
    """Whether an assistant row holds text a user could have read."""
    content = wire.get("content")
    if isinstance(content, str):
        return bool(content.strip())
    return isinstance(content, list) and any(map(_has_text, content))


def is_text_only(content: Any) -> bool:
    """Whether a content can be restated as text without loss."""
    if isinstance(content, str):
        return True
    return isinstance(content, list) and all(isinstance(part, str) or _is_text(part) for part in content)


def _may_hold_summary(content: Any, rules: SummaryRules) -> bool:
    if isinstance(content, str):
        return content.lstrip()[:1] == "[" or (rules.unwraps and MERGED_DELIMITER in content)
    return isinstance(content, list | dict) and bool(content)


def _is_real(wire: Wire, rules: TailRules) -> bool:
    kind = wire.get("display_kind")
    if (kind and kind != STEER) or is_blank(wire.get("content")):
        return False
    return not is_scaffold(content_text(wire.get("content")).strip(), rules)


def _is_stall_prompt(text: str, rules: TailRules) -> bool:
    known = [prompt.sha256 for prompt in rules.stall_prompts if prompt.length == len(text)]
    return bool(known) and sha256(text.encode("utf-8", "surrogatepass")).hexdigest().startswith(tuple(known))


def is_blank(content: Any) -> bool:
    """Whether a content says nothing."""
    if content is None:
        return True
    if isinstance(content, str):
        return not content.strip()
    return isinstance(content, list) and all(map(_is_blank_part, content))


def _is_blank_part(part: Any) -> bool:
    if isinstance(part, str):
        return not part.strip()
    return _is_text(part) and not part["text"].strip()


def _is_text(part: Any) -> bool:
    typed = isinstance(part, Mapping) and part.get("type") in ("text", "input_text")
    return typed and isinstance(part.get("text"), str)


def _has_text(part: Any) -> bool:
    text = (part.get("text") or part.get("content")) if isinstance(part, Mapping) else None
    return isinstance(text, str) and bool(text.strip())


def _part_text(part: Any) -> str:
    text = part.get("text") if isinstance(part, Mapping) else None
    return text if isinstance(text, str) else ""


def call_ids(call: Any, rules: AssemblyRules) -> set[str]:
    """The ids by which a result may refer to a call."""
    if not isinstance(call, dict):
        return set()
    if rules.id_variants:
        return _variants(*(call.get(key) for key in ("call_id", "id", "response_item_id")))
    name = call.get("call_id") or call.get("id")
    return {name} if isinstance(name, str) and name else set()


def result_ids(message: Message, rules: AssemblyRules) -> set[str]:
    """The ids by which a result refers to its call."""
    name = message.wire.get("tool_call_id") if message.wire.get("role") == "tool" else None
    if rules.id_variants:
        return _variants(name)
    return {name} if isinstance(name, str) and name else set()


def _variants(*values: Any) -> set[str]:
    """Every spelling of an id; bridges join two with a bar."""
    stripped = {value.strip() for value in values if isinstance(value, str) and value.strip()}
    return stripped | {part.strip() for value in stripped for part in value.split("|") if part.strip()}


def calls_of(wire: Wire) -> list[dict[str, Any]]:
    """The well-formed calls of a message."""
    calls = wire.get("tool_calls")
    return [call for call in calls if isinstance(call, dict)] if isinstance(calls, list | tuple) else []


def function_of(call: dict[str, Any]) -> dict[str, Any]:
    """The function part of a call; empty when it is malformed."""
    function = call.get("function")
    return function if isinstance(function, dict) else {}


def restated_header() -> str:
    """The line above a restated request."""
    text: str = markers()["restated_whole"]
    return text


def request_text(message: Message) -> str:
    """The words of a request, without what an earlier restatement put before them."""
    return content_text(message.content).rpartition(restated_header())[2].strip()


def is_asking(message: Message, policy: Policy) -> bool:
    """Whether a message holds the user's own words, not a summary or a text inserted by Hermes."""
    wire = message.wire
    if wire.get("role") != "user" or any(wire.get(flag) for flag in _FLAGS):
        return False
    content = wire.get("content")
    text = content_text(content).strip() if isinstance(content, str | list) else ""
    if not text or scaffold_kind(text) == _CUT or is_scaffold(text, policy.tail):
        return False
    return not is_summary(wire, policy.summary)
