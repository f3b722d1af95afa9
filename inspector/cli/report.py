"""The incident report: gathered once as a document, rendered as Markdown or as a page of its own."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Any

from core.model.session import Session
from core.store.store import Store
from inspector import __version__
from inspector.text import clean, clean_line

Sections = Iterator[tuple[str, list[str]]]
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_STYLE = "body{font:15px/1.5 system-ui;max-width:60em;margin:2em auto;padding:0 1em}li{margin:.3em 0}"


def document(store: Store, session: Session) -> dict[str, Any]:
    """Everything the report says, in the shapes of the commands it comes from."""
    from core.account.ledger import ledger
    from core.account.price_book import open_book
    from core.explain.answer import answer
    from core.explain.caching import conversation_cache
    from core.explain.findings.diagnose import diagnose
    from inspector.cli import cache, chain, findings, usage_json, why

    conversation = store.conversation(session.id)
    examined = diagnose(store, session.id)
    return {
        "inspector": __version__,
        "session": session.id,
        "source": conversation.tip.source,
        "model": conversation.tip.model,
        "provider": conversation.tip.provider,
        "schema": store.schema.version,
        "sessions": len(conversation.sessions),
        "generations": [len(one.row_ids) for one in conversation.generations],
        "why": why.payload(answer(store, session.id)),
        "findings": [findings.payload(one) for one in examined.findings],
        "unknown": [{"rule": one.rule, "name": one.name, "why": one.why} for one in examined.unknown],
        "usage": usage_json.payload(ledger((store,), by="model", session=session.id, prices=open_book())),
        "cache": cache.payload(conversation_cache(store, session.id)),
        "chain": chain.payload(store.chain(session.id)),
        "notes": list(conversation.notes),
    }


def markdown(found: dict[str, Any]) -> str:
    """The report for a bug tracker."""
    parts = [f"# Hermes compression report: {_code(found['session'])}"]
    for title, lines in _sections(found):
        parts += ["", f"## {title}", "", *(f"- {_plain(line)}" for line in lines)]
    return clean("\n".join(parts)) + "\n"


def html(found: dict[str, Any]) -> str:
    """The report as a page without scripts and without anything from elsewhere."""
    parts = [
        "<!doctype html><html lang=en><meta charset=utf-8>",
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        f"<title>Hermes compression report</title><style>{_STYLE}</style>",
        f"<h1>Hermes compression report: {_safe(found['session'])}</h1>",
    ]
    for title, lines in _sections(found):
        items = "".join(f"<li>{_safe(line)}</li>" for line in lines)
        parts.append(f"<h2>{_safe(title)}</h2><ul>{items}</ul>")
    return "\n".join([*parts, "</html>", ""])


def _sections(found: dict[str, Any]) -> Sections:
    yield "Conversation", list(_conversation(found))
    events = found["why"]["events"]
    for number, event in enumerate(events, start=1):
        yield f"Compaction {number} of {len(events)}", list(_event(event))
    yield "Where it stands", list(_now(found["why"]["now"]))
    yield "Findings", list(_findings(found)) or ["none"]
    yield "Usage", list(_usage(found["usage"]))
    yield "Prompt cache", list(_cache(found["cache"]))
    yield "Lineage", list(_chain(found["chain"]))


def _conversation(found: dict[str, Any]) -> Iterator[str]:
    release = found["why"]["release"]
    yield f"Hermes {release['version']} ({release['verdict']}: {release['evidence']})"
    yield f"database schema {found['schema']}, read by Hermes Inspector {found['inspector']}"
    yield f"model {found['model']} of {found['provider']}, source {found['source']}"
    generations = ", ".join(f"{count:,}" for count in found["generations"])
    yield f"{found['sessions']} sessions; messages by generation: {generations or 'none'}"
    yield from (*found["notes"], *found["why"]["notes"])


def _event(event: dict[str, Any]) -> Iterator[str]:
    yield f"{event['at']}: {event['explanation']} ({event['verdict']})"
    mode = event["mode"] or "no rows changed"
    yield f"trigger {event['trigger']}, {mode}, summary {event['summary']['status']}"
    limits = f"threshold {event['threshold']}, window {event['window']}"
    yield f"tokens {event['tokens']} → {event['tokens_after']}, {limits}"
    yield f"messages {event['messages_before']} → {event['messages_after']}"
    yield from event["arithmetic"]
    yield from (_evidence(one) for one in event["evidence"])
    yield from (f"sources disagree: {line}" for line in event["disagreements"])


def _now(now: dict[str, Any]) -> Iterator[str]:
    yield f"{now['tokens']} tokens of {now['window']}, fires at {now['threshold']} ({now['verdict']})"
    yield from (f"blocked: {reason}" for reason in now["blocked_by"])
    yield from now["arithmetic"]


def _findings(found: dict[str, Any]) -> Iterator[str]:
    for one in found["findings"]:
        yield f"{one['severity']} {one['rule']} {one['name']}: {one['sentence']} ({one['verdict']})"
        if one["remedy"]:
            yield f"what helps: {one['remedy']}"
    yield from (f"not known: {one['rule']} {one['name']}: {one['why']}" for one in found["unknown"])


def _usage(usage: dict[str, Any]) -> Iterator[str]:
    for row in (*usage["rows"], usage["totals"]):
        tokens, cost = row["tokens"], row["cost"]
        buckets = ", ".join(
            f"{name} {tokens[name]}" for name in ("input", "cache_read", "cache_write", "output")
        )
        task = f" ({row['task']})" if row["task"] else ""
        money = f"recorded {cost['recorded_usd']}, at list {cost['computed_usd']} USD"
        yield f"{row['key']}{task}: {row['calls']} calls, {buckets}; {money}"
    yield from usage["notes"]


def _cache(cache: dict[str, Any]) -> Iterator[str]:
    yield f"{cache['strategy']}, {cache['layout']}, {cache['ttl']}: {cache['why']}"
    for one in cache["breaks"]:
        yield f"{one['at']}: {one['cause']}, {one['tokens_lost']} tokens read again, {one['cost_usd']} USD"
    yield from cache["notes"]


def _chain(chain: dict[str, Any]) -> Iterator[str]:
    for node in chain["nodes"]:
        parent = f" of {node['parent']}" if node["parent"] else ""
        ended = f"ended by {node['end_reason']}" if node["end_reason"] else "not ended"
        yield f"{node['id']}: {node['kind']}{parent}, {node['messages']} messages, {ended}"
    yield f"resume lands in {chain['resume_target']}: {chain['resume_reason']}"
    yield from chain["findings"]


def _evidence(one: dict[str, str]) -> str:
    return f"{one['source']} {one['where']}: {one['text']}"


def _plain(line: str) -> str:
    """A line that Markdown takes for text, whatever stands in it."""
    text = clean_line(line)
    for sign in "\\`*_[]<>|#":
        text = text.replace(sign, f"\\{sign}")
    return text


def _code(text: str) -> str:
    return f"`{clean_line(text).replace('`', '')}`"


def _safe(text: str) -> str:
    return escape(clean_line(text))
