"""Rules about secrets: counted, never shown."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from core.compress.redact.text import redact
from core.explain.findings.case import Case
from core.explain.findings.registry import Found, Rule, conversation_rule
from core.model.evidence import Evidence, Source, Verdict
from core.model.message import Message

_MASKS = ("***", "[REDACTED", "…redacted")
_LONGEST = 200_000


@conversation_rule("I1")
def secrets_in_session(case: Case, rule: Rule) -> Iterable[Found]:
    """Credentials that are stored in clear text."""
    kinds: Counter[str] = Counter()
    rows: list[int] = []
    for message, text in _suspicious(case.live):
        counts = redact(text).counts
        if counts and message.row:
            rows.append(message.row.id)
        kinds.update(counts)
    if kinds:
        told = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
        evidence = Evidence(Source.DATABASE, "messages " + ", ".join(map(str, rows[:8])), told)
        numbers = {"count": kinds.total(), "rows": len(rows), "kinds": told}
        yield Found(numbers, (evidence,), Verdict.SUSPECTED)


def _suspicious(messages: Iterable[Message]) -> Iterator[tuple[Message, str]]:
    """Messages that may hold one, as text: few do, and many are looked through faster at once."""
    group: list[tuple[Message, str]] = []
    size = 0
    for message in messages:
        text = json.dumps(dict(message.wire), default=str, ensure_ascii=False)[:_LONGEST]
        group.append((message, text))
        size += len(text)
        if size > _LONGEST:
            yield from _with_credentials(group)
            group, size = [], 0
    yield from _with_credentials(group)


def _with_credentials(group: Sequence[tuple[Message, str]]) -> Sequence[tuple[Message, str]]:
    return group if redact("\n".join(text for _, text in group)).counts else ()


@conversation_rule("I3")
def redaction_in_history(case: Case, rule: Rule) -> Iterable[Found]:
    """Masked values the model has to work with."""
    rows = [m for m in case.live if m.role == "tool" and any(mask in m.text for mask in _MASKS)]
    if rows:
        ids = ", ".join(str(message.row.id) for message in rows[:8] if message.row)
        evidence = Evidence(Source.DATABASE, f"messages {ids}", "masked values")
        yield Found({"count": len(rows)}, (evidence,), Verdict.SUSPECTED)
