"""Taking a summary out of the row it shares with a live message."""

from __future__ import annotations

from typing import Any

from core.compress.messages.kinds import MERGED_DELIMITER, PRIOR_HEADER, SUMMARY_FLAG
from core.hermes.markers.markers import without_prefix
from core.hermes.policy.output_rules import SummaryRules
from core.model.transcript.message import Message

END_MARKER = "--- END OF CONTEXT SUMMARY — respond to the message below, not the summary above ---"


def bare(text: str, rules: SummaryRules) -> str:
    """A summary's body as the release puts it into the list: without the wrapper, prefix and end it may hold.

    It looks for them in whatever the body quotes too, so a request that quotes a wrapper cuts the body short.
    """
    text = text.strip()
    if rules.unwraps and MERGED_DELIMITER in text:
        text = text.split(MERGED_DELIMITER, 1)[1].strip()
    text = without_prefix(text, rules.reads_as)
    if rules.end == "anywhere":
        return text.partition(END_MARKER)[0].rstrip() if END_MARKER in text else text
    return (
        text.removesuffix(END_MARKER).rstrip() if rules.end == "last" and text.endswith(END_MARKER) else text
    )


def unwrapped(message: Message) -> Message | None:
    """The live message a summary was merged into; None when the row is the summary alone."""
    content = message.content
    rest: Any = None
    if isinstance(content, str):
        rest = _live_text(content)
    elif isinstance(content, list):
        rest = _live_parts(content)
    if not rest:
        return None
    wire = {key: value for key, value in message.with_wire(content=rest).wire.items() if key != SUMMARY_FLAG}
    return Message(wire, message.row)


def _live_text(content: str) -> str:
    if MERGED_DELIMITER in content:
        before = content.split(MERGED_DELIMITER, 1)[0].strip()
        return before.removeprefix(PRIOR_HEADER).lstrip() if before.startswith(PRIOR_HEADER) else before
    _, end, after = content.partition(END_MARKER)
    return after.lstrip() if end else ""


def _live_parts(parts: list[Any]) -> list[Any]:
    cut = next((i for i, part in enumerate(parts) if MERGED_DELIMITER in _text(part)), None)
    if cut is None:
        return _parts_behind_end(parts)
    kept = list(parts[:cut])
    before = _text(parts[cut]).split(MERGED_DELIMITER, 1)[0]
    if before.strip():
        kept.append(_with_text(parts[cut], before))
    return _without_header(kept)


def _parts_behind_end(parts: list[Any]) -> list[Any]:
    for i, part in enumerate(parts):
        _, end, after = _text(part).partition(END_MARKER)
        if end:
            first = [_with_text(part, after.lstrip())] if after.lstrip() else []
            return [*first, *parts[i + 1 :]]
    return []


def _without_header(parts: list[Any]) -> list[Any]:
    for i, part in enumerate(parts):
        text = _text(part).lstrip()
        if text.startswith(PRIOR_HEADER):
            rest = text.removeprefix(PRIOR_HEADER).lstrip()
            return [*parts[:i], *([_with_text(part, rest)] if rest else []), *parts[i + 1 :]]
    return parts


def _text(part: Any) -> str:
    text = part.get("text") if isinstance(part, dict) else part
    return text if isinstance(text, str) else ""


def _with_text(part: Any, text: str) -> Any:
    return {**part, "text": text} if isinstance(part, dict) else text
