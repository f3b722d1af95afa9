"""The card of one session in a lineage: what it is, when it ran, what it and its descendants cost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from core.account.pricing.paid import NO_BILL, paid_together
from core.account.pricing.price import is_local_only
from core.model.compaction.event import CompressionEvent
from core.model.compaction.preview import Retention
from core.model.transcript.conversation import Boundary, Chain, ChainNode, Generation, booked, spent
from core.model.transcript.session import Kind, Session
from core.preview.words import kept_headline
from core.support import formatting as fmt
from inspector.base.commands import hint
from inspector.base.event_words import lost
from inspector.screens.workspace.chain.list_view import TreeLine
from inspector.screens.workspace.views import how
from inspector.screens.workspace.why.card import WAITING, missing_lines
from inspector.terminal.line import Line, Palette
from inspector.widgets.panes.card import field, paragraph

RELATIONS = {
    Kind.MAIN: "the first session",
    Kind.CONTINUATION: "continues",
    Kind.BRANCH: "branched off from",
    Kind.DELEGATE: "a sub-agent of",
}


@dataclass(frozen=True, slots=True)
class Beginning:
    """The compaction that a generation or session begins with, and what it kept, once known."""

    event: CompressionEvent
    known: bool
    kept: Retention | None


def card_lines(
    chain: Chain,
    tree_line: TreeLine,
    tree_lines: Sequence[TreeLine],
    begun: Beginning | None,
    width: int,
    ink: Palette,
) -> Iterator[Line]:
    """The card of a session, with notes on its lineage, or of one of its generations.

    `begun` is the compaction it begins with; None if there is none or it is not known yet.
    """
    name = tree_line.name if tree_line.generation is None else f"Generation {tree_line.generation.index}"
    yield from paragraph(name, width, ink, bold=True)
    if begun is not None:
        yield from _compaction(begun, width, ink)
    if tree_line.generation is None:
        yield from _session(chain, tree_line, tree_lines, width, ink)
    else:
        yield from _generation(tree_line.generation, width, ink)


def _compaction(begun: Beginning, width: int, ink: Palette) -> Iterator[Line]:
    """Why the compaction ran, what it did and what it lost."""
    headline = kept_headline(begun.event.headline, begun.kept)
    yield from paragraph(headline.sentence, width, ink, f"severity-{headline.severity or 'ok'}")
    yield from field("lost", lost(begun.kept) if begun.known else WAITING, width, ink)
    yield from missing_lines(begun.kept, width, ink)


def _generation(one: Generation, width: int, ink: Palette) -> Iterator[Line]:
    began = "the beginning of the conversation"
    if one.boundary is not None:
        at = fmt.moment(one.boundary.at) if one.boundary.at else "at an unknown time"
        began = f"{how(one.boundary)} · {at}"
    yield from field("began", began, width, ink)
    yield from field("new", fmt.plural(one.fresh, "message"), width, ink)
    if one.boundary is not None:
        yield from field("copies", _copies(one, one.boundary), width, ink)
    yield from field("session", one.session_id, width, ink, "ink-muted")
    yield from field("", hint("{chain.open} shows its messages on the map"), width, ink, "ink-faint")


def _copies(one: Generation, boundary: Boundary) -> str:
    """What it copied from the generation before, and the row of the summary."""
    summary = f" · the summary is row {boundary.summary_row}" if boundary.summary_row is not None else ""
    return f"{fmt.plural(one.copies, 'message')} of the previous generation, word for word{summary}"


def _session(
    chain: Chain, tree_line: TreeLine, tree_lines: Sequence[TreeLine], width: int, ink: Palette
) -> Iterator[Line]:
    session = tree_line.node.session
    yield from field("session", f"{session.id} · {_relation(tree_line.node, tree_lines)}", width, ink)
    yield from field("ran", _ran(session), width, ink)
    yield from field("by", _by(session), width, ink, "ink-muted")
    yield from field("tokens", _tokens(tree_line.node), width, ink)
    yield from field("cost", _paid(tree_line.node), width, ink, "money")
    below = chain.subtree(tree_line.place)
    if len(below) > 1:
        tokens, cost = spent(below)
        words = f"{paid_together(cost, below)} · {_counted(tokens.total, below)} tokens"
        words_below = f"{words} including the {fmt.plural(len(below) - 1, 'session')} below it"
        yield from field("together", words_below, width, ink, "money")
    yield from field("resume", resume_words(chain, session.id), width, ink, "ink-muted")
    for number, words in enumerate(chain.findings):
        yield from field("" if number else "▲ note", words, width, ink, "severity-warning")


def resume_words(chain: Chain, session_id: str) -> str:
    """The session that `hermes --resume` opens, and why if it is another one."""
    if chain.resume_target == session_id:
        return "/resume opens this session"
    return f"opens {chain.resume_target}: {chain.resume_reason}"


def _relation(node: ChainNode, tree_lines: Sequence[TreeLine]) -> str:
    if node.orphan:
        return f"{node.kind} of {node.parent_id}, which is missing"
    parent = next((line.name for line in tree_lines if line.node.session.id == node.parent_id), "")
    return f"{RELATIONS[node.kind]} {parent}".strip() if parent else RELATIONS[Kind.MAIN]


def _paid(node: ChainNode) -> str:
    """The session's cost with its summaries and other side tasks."""
    tokens, cost = spent([node])
    paid = NO_BILL if cost.usd is None and is_local_only(booked([node])) else paid_together(cost, [node])
    if not node.beside:
        return paid
    tasks = " and ".join(dict.fromkeys(row.task.replace("_", " ") for row in node.beside))
    calls = sum(row.calls or 0 for row in node.beside)
    calls_words = f"{fmt.plural(calls, 'call')} for {tasks}" if calls else f"calls for {tasks}"
    return f"{paid} · {_counted(tokens.total, [node])} tokens with {calls_words}"


def _ran(session: Session) -> str:
    start, end, why = session.started_at, session.ended_at, session.end_reason
    began = fmt.moment(start)
    if session.is_open:
        return f"{began} – still open"
    until = f"{began} – {fmt.moment(end)}" if start is None or end is None else fmt.span(start, end)
    return f"{until} · ended: {why}" if why else until


def _by(session: Session) -> str:
    messages = "" if session.messages is None else fmt.plural(session.messages, "message")
    calls = "" if session.api_calls is None else fmt.plural(session.api_calls, "call")
    return " · ".join(filter(None, (session.model, session.source, messages, calls))) or fmt.UNKNOWN


def _counted(tokens: int | None, nodes: Iterable[ChainNode]) -> str:
    return fmt.tokens(tokens, lower_bound=any(node.lower_bound for node in nodes), whole=True)


def _tokens(node: ChainNode) -> str:
    tokens = node.session.tokens
    parts = (
        ("uncached", tokens.input),
        ("cache read", tokens.cache_read),
        ("cache write", tokens.cache_write),
        ("output", tokens.output),
    )
    sum_words = " + ".join(f"{_counted(value, [node])} {name}" for name, value in parts)
    return f"{_counted(tokens.total, [node])} = {sum_words}"
