"""Every session related to one: what compression continued, what was branched off or delegated."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from typing import Any

from core.model.accounting.prices import Money
from core.model.accounting.tokens import Buckets
from core.model.transcript.conversation import Chain, ChainNode
from inspector.cli import output
from inspector.cli.arguments import options, target
from inspector.payloads import values as jsonio


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `chain`."""
    options.add_session_argument(parser)
    options.add_json_option(parser)
    options.add_store_options(parser)


def run(args: argparse.Namespace) -> int:
    """Print the family of a session."""
    with target.session(args) as (store, session):
        chain = store.chain(session.id)
        names = {} if args.json else store.names([node.session.id for node in chain.nodes])
    if args.json:
        output.write_json(payload(chain))
    else:
        output.write_lines(_lines(chain, session.id, names))
    return 0


def payload(chain: Chain) -> dict[str, Any]:
    """A lineage as the command line promises it."""
    return {
        "root": chain.root,
        "tip": chain.tip,
        "resume_target": chain.resume_target,
        "resume_reason": chain.resume_reason,
        "nodes": [_node(*pair) for pair in zip(chain.nodes, chain.spent_below(), strict=True)],
        "findings": list(chain.findings),
    }


def _node(node: ChainNode, below: tuple[Buckets, Money]) -> dict[str, Any]:
    session = node.session
    tokens, recorded = below
    return {
        "id": session.id,
        "kind": node.kind.value,
        "parent": node.parent_id,
        "depth": node.depth,
        "orphan": node.orphan,
        "title": session.title,
        "source": session.source,
        "model": session.model,
        "started_at": jsonio.time(session.started_at),
        "ended_at": jsonio.time(session.ended_at),
        "end_reason": session.end_reason,
        "messages": session.messages,
        "generations": node.generations,
        "tokens": jsonio.tokens(session.tokens),
        "cost": jsonio.cost(session.recorded_cost),
        "beside": [
            {"task": row.task, "tokens": jsonio.tokens(row.tokens), "cost": jsonio.cost(row.recorded_cost)}
            for row in node.beside
        ],
        "subtree": {
            "tokens": jsonio.tokens(tokens),
            "recorded_usd": jsonio.money(recorded.usd),
            "unpriced": recorded.missing,
        },
    }


def _lines(chain: Chain, asked: str, names: Mapping[str, str]) -> Iterator[str]:
    from inspector.cli.table import Column, lines
    from inspector.terminal import formatting as format

    columns = (
        Column("session", shrinks=True, least=30),
        Column("what"),
        Column("ended by"),
        Column("msgs", right=True),
        Column("gen", right=True),
        Column("tokens", right=True),
        Column("cost", right=True),
        Column("with below", right=True),
        Column("name", shrinks=True),
    )
    rows = zip(chain.nodes, chain.spent_below(), strict=True)
    yield from lines(columns, (_cells(node, below[1], chain, asked, names) for node, below in rows))
    yield ""
    yield f"resume lands in {chain.resume_target}: {chain.resume_reason or 'nothing continues it'}"
    yield from (f"{format.UNKNOWN} {finding}" for finding in chain.findings)


def _cells(node: ChainNode, below: Money, chain: Chain, asked: str, names: Mapping[str, str]) -> list[str]:
    from inspector.terminal import formatting as format
    from inspector.terminal.glyphs import KIND

    session = node.session
    sign = KIND[node.kind].strip()
    marks = " ← asked" if session.id == asked else ""
    marks += " ← resume" if session.id == chain.resume_target else ""
    return [
        f"{'· ' * node.depth}{sign} {session.id}{marks}".lstrip(),
        "orphan" if node.orphan else node.kind.value,
        session.end_reason or ("still open" if session.ended_at is None else format.UNKNOWN),
        format.count(session.messages),
        format.count(node.generations),
        format.short(session.tokens.total),
        format.money(session.recorded_cost.usd),
        format.sum_of_money(below),
        names[session.id],
    ]
