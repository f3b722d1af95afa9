"""Rules about the live rows: whether a provider accepts them, whether all are there, secrets in them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from core.compress.sizing.estimate import transcript_tokens
from core.explain.context.rows.unsaved_rows import copy_key, ranges, saved_again
from core.explain.diagnose.case import Case
from core.explain.diagnose.registry import Found, conversation_rule
from core.hermes.log.record import Kind
from core.model.finding import Evidence, Severity, Source, Verdict
from core.model.transcript.conversation import BoundaryMode
from core.model.transcript.message import Message
from core.redact.text import redact
from core.store.conversations.credentials import holding
from core.store.rows.messages import read_texts
from core.support.formatting import message_rows, plural

_UNANSWERED = ("call without a result", "calls without a result")
_MENDED = "Hermes leaves out such results and writes a stand-in for missing ones in each request"
_SEPARATED = (
    "A result is not next to its call: the model never sees it, and a provider may refuse the request"
)
MASK = re.compile(
    r"(?i)(?<!\w)[a-z]\w{2,60}[\"']?\s?[:=]\s?[\"']?\*\*\*|://[^\s:@/]{0,80}:\*\*\*@"
    r"|\b(?:bearer|basic|token) \*\*\*|\[redacted|«redacted"
    r"|(?<!\w)(?:sk|gh[opsu]|glpat|hf|npm|pypi|xox[abp])[-_]\w{1,4}\.\.\.\w{4}(?!\w)"
)
"""What a masked credential looks like: stars after a name or word, or two ends. Bare stars are Markdown."""
_IN_PLACE = (
    "Leave compression.in_place on, and update Hermes; `hermes-inspector show {before}` has what is missing"
)
_MAX_CHARS = 200_000
_MOST_PLACES = 8
"""How many places of credentials are named."""


@conversation_rule("E6")
def orphaned_tool_rows(case: Case) -> Iterable[Found]:
    """Results have no call, calls have no result, or results are in the wrong place."""
    faults = list(_pair_faults(case.live))
    if faults:
        kinds = ", ".join(plural(count, *kind) for kind, count in Counter(kind for kind, _ in faults).items())
        evidence = Evidence(Source.DATABASE, ranges(message for _, message in faults), kinds)
        words = plural(len(faults), "tool call or result has", "tool calls or results have")
        numbers = {"count": len(faults), "told": words, "kinds": kinds}
        separated = _are_separated([message for _, message in faults])
        numbers["effect"] = _SEPARATED if separated else _MENDED
        yield Found(numbers, (evidence,), severity=None if separated else Severity.WARNING)


@conversation_rule("E7")
def duplicate_live_rows(case: Case) -> Iterable[Found]:
    """The live transcript holds the same row more than once."""
    seen: dict[str, Message] = {}
    copies: list[Message] = []
    for message in case.live:
        stamp = message.row.timestamp.isoformat() if message.row and message.row.timestamp else ""
        key = stamp + copy_key(message)
        if key in seen and stamp:
            copies.append(message)
        seen[key] = message
    copies = copies or list(saved_again(case.conversation, case.context.log, case.context.messages))
    if copies:
        tokens = transcript_tokens(copies, case.policy.estimate)
        evidence = Evidence(Source.DATABASE, ranges(copies), "equal role, content and call id")
        words = plural(len(copies), "live row is an exact copy", "live rows are exact copies")
        yield Found({"told": words, "tokens": tokens}, (evidence,))


@conversation_rule("E9")
def history_hole(case: Case, min_rows: int) -> Iterable[Found]:
    """Ids are missing between two rows of a session that counts more rows than it holds.

    A gap alone proves nothing: the rows of other sessions were there and may have been pruned.
    """
    generations = case.conversation.generations
    counted, stored = case.tip.messages, [row for generation in generations for row in generation.row_ids]
    if counted is None or len(generations) != 1 or generations[0].boundary or counted <= len(stored):
        return
    for before, after in pairwise(stored):
        if after - before <= min_rows:
            continue
        query = "SELECT count(*) FROM messages WHERE id > ? AND id < ?"
        ((others,),) = case.store.query(query, (before, after))
        missing = min(after - before - 1 - others, counted - len(stored))
        if missing >= min_rows:
            words = f"{counted:,} counted, {len(stored):,} held"
            evidence = Evidence(Source.DATABASE, f"messages {before} and {after}", words)
            yield Found(
                {"missing": missing, "before": before, "after": after}, (evidence,), Verdict.SUSPECTED
            )


@conversation_rule("E14")
def kept_tail_lost(case: Case) -> Iterable[Found]:
    """A partial compression archived the turns it should have kept."""
    modes = {generation.boundary.mode for generation in case.conversation.generations if generation.boundary}
    if BoundaryMode.IN_PLACE not in modes:
        return
    newest, tip = case.conversation.lost_tail, case.tip.id
    for lost in (*case.conversation.lost_earlier, newest):
        if not lost:
            continue
        evidence = Evidence(
            Source.DATABASE, message_rows(lost), "archived, neither summarised nor copied back"
        )
        helps = f"hermes-inspector repair {tip} puts them back, and `undo` takes that back"
        if lost is not newest:
            helps = f"Another compaction followed, so search them: hermes-inspector recall {tip} WORDS"
        numbers = {"session": tip, "count": len(lost), "helps": helps}
        severity = None if lost is newest else Severity.WARNING
        yield Found(numbers, (evidence,), Verdict.DERIVED, session=tip, severity=severity)


@conversation_rule("E16")
def only_the_summary_stored(case: Case) -> Iterable[Found]:
    """A rotation stored the summary without the messages it had left before and behind it."""
    done = {line.session: line for line in case.lines(Kind.DONE)}
    for rows in case.context.boundaries if case.context.engine is None else ():
        line, summary = done.get(rows.opened.session_id), rows.boundary.summary_row
        if line is None or summary is None or len(rows.after) != 1 or (line.after or 0) <= 1:
            continue
        evidence = Evidence(Source.DATABASE, f"message {summary}", "nothing was copied before or behind it")
        session = rows.opened.session_id
        numbers = {"session": session, "left": line.after, "helps": _IN_PLACE.format(before=rows.session)}
        yield Found(numbers, (evidence, line.evidence), session=session)


@conversation_rule("E17")
def summary_read_behind(case: Case) -> Iterable[Found]:
    """A release that reads rows by their time finds the summary behind messages it was written before."""
    newest = next(reversed(case.conversation.generations), None)
    summary = newest.boundary.summary_row if newest and newest.boundary else None
    if newest is None or summary is None or not case.store.schema.orders_by_time:
        return
    behind = [row for row in newest.row_ids[: newest.row_ids.index(summary)] if row > summary]
    if behind:
        evidence = Evidence(Source.DATABASE, f"message {summary}", f"newer than {message_rows(behind)}")
        yield Found({"told": plural(len(behind), "message")}, (evidence,), Verdict.DERIVED)


@conversation_rule("E18")
def moved_results_stored_whole(case: Case) -> Iterable[Found]:
    """Results that the program had replaced by files are whole in the database, and so in a resume."""
    moved = {line.text: line for line in case.lines(Kind.RESULT_MOVED)}
    results = (one for one in case.live if one.role == "tool" and one.tool_call_id in moved)
    whole = [one for one in results if len(one.text) >= (moved[one.tool_call_id].number or 0)]
    if whole:
        words = plural(sum(len(one.text) for one in whole), "character")
        stored = Evidence(Source.DATABASE, ranges(whole), words)
        numbers = {
            "told": plural(len(whole), "tool result"),
            "are": "is" if len(whole) == 1 else "are",
            "they": "it takes" if len(whole) == 1 else "they take",
            "tokens": transcript_tokens(whole, case.policy.estimate),
        }
        yield Found(numbers, (stored, *(moved[one.tool_call_id].evidence for one in whole[-2:])))


def _are_separated(faulty: Sequence[Message]) -> bool:
    """Whether a call and its result are both there, but not together."""
    results = {message.tool_call_id for message in faulty if message.role == "tool"}
    return any(call.id in results for message in faulty for call in message.tool_calls)


def _pair_faults(messages: Sequence[Message]) -> Iterator[tuple[tuple[str, str], Message]]:
    """Tool results and calls without a partner, each with a name for the fault in singular and plural."""
    open_calls: dict[str, Message] = {}
    for position, message in enumerate(messages):
        if message.role == "tool":
            if message.tool_call_id in open_calls:
                del open_calls[message.tool_call_id]
            else:
                yield ("result without a call", "results without a call"), message
            continue
        yield from ((_UNANSWERED, holder) for holder in open_calls.values())
        open_calls = {call.id: message for call in message.tool_calls} if message.role == "assistant" else {}
        if position == len(messages) - 1:
            return


@conversation_rule("I1")
def secrets_in_session(case: Case) -> Iterable[Found]:
    """Credentials are stored in clear text, whether or not the model still sees the row."""
    kinds: Counter[str] = Counter()
    places: list[str] = []
    seen: set[bytes] = set()
    for group in _stored(case):
        fresh = {text: where for where, text in reversed(group) if text not in seen}
        seen.update(fresh)
        for text in holding([*reversed(fresh)]):
            places.append(fresh[text])
            kinds.update(redact(text.decode("utf-8", "replace")).counts)
    if kinds:
        words = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
        more = f" and {len(places) - _MOST_PLACES:,} more" if len(places) > _MOST_PLACES else ""
        evidence = Evidence(Source.DATABASE, f"{', '.join(places[:_MOST_PLACES])}{more}", words)
        numbers = {
            "count": plural(kinds.total(), "secret"),
            "rows": plural(len(places), "place"),
            "kinds": words,
        }
        yield Found(numbers, (evidence,), Verdict.SUSPECTED)


def _stored(case: Case) -> Iterator[list[tuple[str, bytes]]]:
    """The beginning of every text the database holds of a conversation, with its place."""
    for session in case.conversation.sessions:
        prompt = case.store.system_prompt(session)
        if prompt:
            yield [(f"system prompt of {session.id}", prompt.encode("utf-8", "replace")[:_MAX_CHARS])]
        for rows in read_texts(case.store, session.id):
            yield [(f"message {row}", text[:_MAX_CHARS]) for row, text in rows]


@conversation_rule("I3")
def redaction_in_history(case: Case) -> Iterable[Found]:
    """The model has to work with masked values."""
    rows = [m for m in case.live if m.role == "tool" and _is_masked(m.text)]
    if rows:
        evidence = Evidence(Source.DATABASE, ranges(rows), "masked values")
        words = plural(len(rows), "live message holds", "live messages hold")
        yield Found({"count": len(rows), "told": words}, (evidence,), Verdict.SUSPECTED)


def _is_masked(text: str) -> bool:
    """Whether a text holds a masked credential; plain substrings are checked first because that is faster."""
    return ("***" in text or "..." in text or "redacted" in text.lower()) and MASK.search(text) is not None
