"""The incident report: built once as a document, then written as Markdown or as an HTML page.

It tells what happened to a conversation and quotes nothing said in it: whatever a rule or a log line quotes
from a message is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, NamedTuple

from core.explain.explanation import Explanation
from core.model.accounting.ledger import Ledger, LedgerRow
from core.model.accounting.prompt_cache import CacheReport
from core.model.compaction.event import SummaryStatus
from core.model.finding import Verdict, certainty_of
from core.model.transcript.conversation import Chain, Conversation
from core.model.transcript.session import Session
from core.store.store import Store
from core.support import formatting as fmt
from inspector import __version__
from inspector.payloads import values as jsonio
from inspector.report import blocks
from inspector.report.blocks import Block, Bullets, Paragraph, Section, Table, Verbatim, facts
from inspector.report.charts import cache_breaks, context_used, tokens_by_day
from inspector.terminal.glyphs import kind_word

TITLE = "Hermes compression report"
LEFT_OUT = "…"
_MAX_EVIDENCE, _MAX_TEXT = 3, 240
"""Most pieces of evidence shown per finding, and most characters of each; the document has all of it."""
_TYPED = re.compile(r"(msg=).*", re.DOTALL)
_HOMES = re.compile(r"(?<![\w/])(?:/home|/Users|[A-Za-z]:\\+Users)[/\\]+[^/\\\s\"'`:]+")
"""Home directories, whose paths contain their owner's name."""


class _Read(NamedTuple):
    """A conversation as a report tells it.

    Attributes:
        document: Everything the report says, in the JSON forms of the commands, without quotes.
        explanation, ledger, cache, chain: What its counts, tables and amounts are made of.
    """

    document: dict[str, Any]
    explanation: Explanation
    ledger: Ledger
    cache: CacheReport
    chain: Chain


def _read(store: Store, session: Session) -> _Read:
    from core.account.spending.ledger import collect
    from core.explain.diagnose.case import Case
    from core.explain.diagnose.diagnose import diagnose_case
    from core.explain.events import explain
    from core.explain.headline.rewritten import engine_of_family
    from core.explain.prompt_cache import cache_of
    from core.preview.past import with_loss
    from inspector.payloads import usage as usage_json
    from inspector.payloads.conversation import cache_payload, chain_payload, why_payload

    explanation, _ = with_loss(explain(store, session.id))
    context = explanation.context
    hits = cache_of(context)
    case = Case(context, explanation.events, datetime.now(UTC), hits)
    examined = diagnose_case(case)
    by_day = collect((store,), by="day", session=session.id, prices=case.prices).ledger()
    severity, chain = explanation.headline.severity, store.chain(session.id)
    document = {
        "inspector": __version__,
        "session": session.id,
        **_about(store, context.conversation),
        "severity": None if severity is None else severity.value,
        "why": _reasons_without_quotes(why_payload(explanation)),
        "findings": [_finding_without_quotes(jsonio.finding(finding)) for finding in examined.findings],
        "unknown": [jsonio.not_known(one) for one in examined.unknown],
        "usage": usage_json.payload(case.ledger),
        "days": usage_json.payload(by_day)["rows"],
        "cache": cache_payload(hits),
        "chain": chain_payload(chain, engine_of_family(store, chain)),
        "notes": list(context.conversation.notes),
    }
    return _Read(document, explanation, case.ledger, hits, chain)


def _about(store: Store, conversation: Conversation) -> dict[str, Any]:
    return {
        **jsonio.fields(conversation.tip, "source model provider"),
        "schema": store.schema.version,
        "sessions": len(conversation.sessions),
        "generations": [len(generation.row_ids) for generation in conversation.generations],
    }


def _reasons_without_quotes(why: dict[str, Any]) -> dict[str, Any]:
    """Remove what the user typed: the log line of a turn quotes it."""
    for event in why["events"]:
        for one in event["evidence"]:
            one["text"] = _TYPED.sub(rf"\1{LEFT_OUT}", one["text"])
    return why


def _finding_without_quotes(found: dict[str, Any]) -> dict[str, Any]:
    """Remove what the rule quotes from messages; for a rule that does not say, remove every text."""
    from core.explain.diagnose.registry import EVIDENCE, NOTHING, quoted

    quotes = quoted(found["rule"], found["name"])
    cut = [{**one, "text": _TYPED.sub(rf"\1{LEFT_OUT}", one["text"])} for one in found["evidence"]]
    if quotes == NOTHING:
        return {**found, "evidence": cut}
    numbers, sentence, remedy = dict(found["numbers"]), found["sentence"], found["remedy"]
    texts = [key for key, value in numbers.items() if isinstance(value, str) and value]
    for key in {"": texts, EVIDENCE: []}.get(quotes, [key for key in texts if key == quotes]):
        sentence, remedy = (text.replace(numbers[key], LEFT_OUT) for text in (sentence, remedy))
        numbers[key] = LEFT_OUT
    evidence = [{**one, "text": LEFT_OUT} for one in cut]
    return {**found, "numbers": numbers, "sentence": sentence, "remedy": remedy, "evidence": evidence}


def _sections(read: _Read) -> Iterator[Section]:
    found = masked(read.document)
    events = found["why"]["events"]
    yield "", list(_answer(found, read))
    yield "Conversation", list(_conversation(found))
    for number, event in enumerate(events, start=1):
        yield f"Compaction {number} of {len(events)}", list(_event(event))
    yield "Current state", list(_now(found["why"]["now"]))
    yield "Findings", list(_findings(found))
    yield "Usage", list(_usage(read.ledger, found["days"]))
    yield "Prompt cache", list(_cache(read.cache, found["cache"]))
    yield "Lineage", [blocks.bullets(masked(list(_chain(read.chain))))]


def _answer(found: dict[str, Any], read: _Read) -> Iterator[Block]:
    """What happened, what helps, and a chart of it."""
    why = found["why"]
    yield Paragraph(why["headline"], found["severity"] or "")
    if why["remedy"]:
        yield Paragraph(f"→ {why['remedy']}")
    yield blocks.bullets(masked([_lead(read)]))
    if chart := context_used(found):
        yield chart


def _lead(read: _Read) -> str:
    """Counts of compactions, failed attempts and findings."""
    from core.explain.headline.rewritten import counted

    parts = [*filter(None, counted(read.explanation))]
    fallbacks = sum(event.summary.status is SummaryStatus.FALLBACK for event in read.explanation.events)
    if fallbacks:
        parts.append(f"{fmt.plural(fallbacks, 'summary', 'summaries')} without a model")
    findings = read.document["findings"]
    worst = f"; the worst is {findings[0]['rule']} {findings[0]['name']}" if findings else ""
    return f"{', '.join(parts)}. {fmt.plural(len(findings), 'finding')}{worst}."


def _conversation(found: dict[str, Any]) -> Iterator[Block]:
    release = found["why"]["release"]
    sure = certainty_of(Verdict(release["verdict"]), ())
    yield facts(
        Hermes=f"{release['version']} ({sure}: {release['evidence']})",
        Hermes_Inspector=found["inspector"],
        database_schema=str(found["schema"]),
        model=f"{found['model'] or fmt.UNKNOWN} of {found['provider'] or fmt.UNKNOWN}",
        source=found["source"],
        sessions=str(found["sessions"]),
        messages_by_generation=", ".join(f"{count:,}" for count in found["generations"]) or "none",
    )
    yield blocks.bullets(found["why"]["notes"])


def _event(event: dict[str, Any]) -> Iterator[Block]:
    summary = event["summary"]
    wrote = f" by {summary['model']}" if summary["model"] else ""
    size = f", {summary['tokens']:,} tokens" if summary["tokens"] is not None else ""
    window = fmt.count(event["window"])
    yield Paragraph(event["headline"])
    helps = (f"→ {event['remedy']}",) if event["remedy"] else ()
    yield blocks.bullets((f"{event['explanation']} ({_certainty(event)})", *helps))
    yield facts(
        when=_moment(event["at"]),
        trigger=event["trigger"].replace("_", " "),
        how=(event["mode"] or "no rows changed").replace("_", " "),
        fires_at=f"{fmt.count(event['threshold'])} of {window} tokens",
        tokens=f"{fmt.count(event['tokens'])} → {fmt.count(event['tokens_after'])}",
        messages=f"{fmt.count(event['messages_before'])} → {fmt.count(event['messages_after'])}",
        summary=f"{summary['status']}{wrote}{size}",
        took=None if event["duration"] is None else fmt.duration(event["duration"]),
    )
    yield Verbatim(tuple(event["arithmetic"]))
    yield Verbatim(tuple(f"{one['where']}: {one['text']}" for one in event["evidence"]))
    yield blocks.bullets(f"Sources disagree: {line}" for line in event["disagreements"])


def _now(now: dict[str, Any]) -> Iterator[Block]:
    tokens, window, threshold = (fmt.count(now[key]) for key in ("tokens", "window", "threshold"))
    yield Paragraph(f"{tokens} tokens of {window}; it fires at {threshold} ({_certainty(now)})")
    yield blocks.bullets(f"blocked: {reason}" for reason in now["blocked_by"])
    yield Verbatim(tuple(now["arithmetic"]))


def _findings(found: dict[str, Any]) -> Iterator[Block]:
    entries = []
    for one in found["findings"]:
        finding = f"{one['severity']} {one['rule']} {one['name']}: {one['sentence']} ({_certainty(one)})"
        helps = (f"→ {one['remedy']}",) if one["remedy"] else ()
        entries.append((finding, *helps, *_evidence(one["evidence"])))
    entries += [(f"lacked data: {one['asks']} ({one['rule']}): {one['why']}",) for one in found["unknown"]]
    yield Bullets(tuple(entries) or (("none",),))


def _certainty(claim: dict[str, Any]) -> str:
    return certainty_of(Verdict(claim["verdict"]), (one["source"] for one in claim["evidence"]))


def _evidence(evidence: list[dict[str, Any]]) -> Iterator[str]:
    """The first pieces of evidence: where each stands, and its text, cut short."""
    for one in evidence[:_MAX_EVIDENCE]:
        text = one["text"]
        yield f"{one['where']}: {text[:_MAX_TEXT]}{LEFT_OUT if len(text) > _MAX_TEXT else ''}"
    if len(evidence) > _MAX_EVIDENCE:
        yield f"and {len(evidence) - _MAX_EVIDENCE} more"


def _usage(ledger: Ledger, days: list[dict[str, Any]]) -> Iterator[Block]:
    header = (
        *("model", "calls", "uncached input", "cache read", "cache write", "output"),
        *("recorded", "list price"),
    )
    yield Table(header, tuple(map(_usage_row, (*ledger.rows, ledger.totals))))
    yield blocks.bullets(masked(ledger.notes))
    if chart := tokens_by_day(days):
        yield chart


def _usage_row(row: LedgerRow) -> tuple[str, ...]:
    tokens, more, own = row.tokens, row.lower_bound, row.status == "local"
    counts = (row.calls, tokens.input, tokens.cache_read, tokens.cache_write, tokens.output)
    return (
        masked(f"{row.key} ({row.task})" if row.task else row.key),
        *(fmt.tokens(count, lower_bound=more, whole=True) for count in counts),
        *(fmt.sum_of_money(usd, lower_bound=more, own=own) for usd in (row.recorded, row.computed)),
    )


def _cache(cache: CacheReport, document: dict[str, Any]) -> Iterator[Block]:
    yield blocks.bullets(
        masked([f"{cache.marking} · {cache.route.why}", *_breaks(cache), *cache.notes]),
    )
    if chart := cache_breaks(document["breaks"], own=cache.local):
        yield chart


def _breaks(cache: CacheReport) -> Iterator[str]:
    for one in cache.breaks:
        usd = fmt.money(one.usd, own=cache.local)
        cost = "at no cost" if usd == fmt.NOTHING else f"for {usd}"
        tokens = fmt.count(one.tokens_lost)
        yield f"{fmt.moment(one.at)}: {one.cause.replace('_', ' ')}, {tokens} tokens read again {cost}"


def _chain(chain: Chain) -> Iterator[str]:
    for node in chain.nodes:
        session = node.session
        parent = f" of {node.parent_id}" if node.parent_id else ""
        messages = "– messages" if session.messages is None else fmt.plural(session.messages, "message")
        by = f" by {session.end_reason}" if session.end_reason else ""
        ended = "still open" if session.is_open else f"ended{by}"
        yield f"{session.id}: {kind_word(node.kind)}{parent}, {messages}, {ended}"
    yield f"/resume opens {chain.resume_target}: {chain.resume_reason}"
    yield from chain.findings


def _moment(text: str | None) -> str:
    """A time with seconds, by the reader's clock, as in the headlines."""
    return fmt.moment(datetime.fromisoformat(text) if text else None)


def report_text(store: Store, session: Session, form: str) -> str:
    """The report of a conversation as `json`, as `html`, or otherwise as Markdown."""
    read = _read(store, session)
    if form == "json":
        return jsonio.dumps(masked(read.document), indent=2) + "\n"
    write = blocks.html if form == "html" else blocks.markdown
    return write(TITLE, masked(session.id), _sections(read))


def masked(value: Any) -> Any:
    """The same value with credentials and the paths of people's home directories masked in every text."""
    from core.redact.text import redact_text

    if isinstance(value, str):
        return _HOMES.sub("~", redact_text(value))
    if isinstance(value, dict):
        return {key: masked(one) for key, one in value.items()}
    return [masked(one) for one in value] if isinstance(value, list | tuple) else value
