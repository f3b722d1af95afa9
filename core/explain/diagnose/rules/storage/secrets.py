"""Rules about secrets: counted, never shown."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from core.explain.diagnose.case import Case
from core.explain.diagnose.message_scan import read_texts
from core.explain.diagnose.registry import Found, Rule, conversation_rule
from core.model.evidence import Evidence, Source, Verdict
from core.redact.bulk_scan import holding
from core.redact.text import redact
from core.support.plural import plural

MASK = re.compile(
    r"(?i)(?<!\w)[a-z]\w{2,60}[\"']?\s?[:=]\s?[\"']?\*\*\*|://[^\s:@/]{0,80}:\*\*\*@"
    r"|\b(?:bearer|basic|token) \*\*\*|\[redacted|«redacted"
    r"|(?<!\w)(?:sk|gh[opsu]|glpat|hf|npm|pypi|xox[abp])[-_]\w{1,4}\.\.\.\w{4}(?!\w)"
)
"""What is left of a credential: stars behind a name, a word, two ends. Three stars alone are Markdown."""
_LONGEST = 200_000


@conversation_rule("I1")
def secrets_in_session(case: Case, rule: Rule) -> Iterable[Found]:
    """Credentials that are stored in clear text, whether the model still sees the row or not."""
    kinds: Counter[str] = Counter()
    places: list[str] = []
    seen: set[bytes] = set()
    for group in _stored(case):
        for place in sorted(holding([text for _, text in group])):
            where, text = group[place]
            counts = redact(text[:_LONGEST].decode("utf-8", "replace")).counts
            if counts and text not in seen:
                places.append(where)
                kinds.update(counts)
            seen.add(text)
    if kinds:
        told = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
        evidence = Evidence(Source.DATABASE, ", ".join(places[:8]), told)
        numbers = {
            "count": plural(kinds.total(), "secret"),
            "rows": plural(len(places), "place"),
            "kinds": told,
        }
        yield Found(numbers, (evidence,), Verdict.SUSPECTED)


def _stored(case: Case) -> Iterator[list[tuple[str, bytes]]]:
    """Everything the database holds of a conversation, with where it stands."""
    for session in case.conversation.sessions:
        prompt = case.store.system_prompt(session)
        if prompt:
            yield [(f"system prompt of {session.id}", prompt.encode("utf-8", "replace"))]
        for rows in read_texts(case.store, session.id):
            yield [(f"message {row}", text) for row, text in rows]


@conversation_rule("I3")
def redaction_in_history(case: Case, rule: Rule) -> Iterable[Found]:
    """Masked values the model has to work with."""
    rows = [m for m in case.live if m.role == "tool" and MASK.search(m.text)]
    if rows:
        ids = ", ".join(str(message.row.id) for message in rows[:8] if message.row)
        evidence = Evidence(Source.DATABASE, f"messages {ids}", "masked values")
        told = "1 live message holds" if len(rows) == 1 else f"{len(rows):,} live messages hold"
        yield Found({"count": len(rows), "told": told}, (evidence,), Verdict.SUSPECTED)
