"""The sessions around one, as JSON."""

from __future__ import annotations

from typing import Any

from core.explain.headline.conversation import chain_headline
from core.model.accounting.prices import Money
from core.model.accounting.tokens import Buckets
from core.model.transcript.conversation import Chain, ChainNode
from inspector.payloads import values as jsonio


def payload(chain: Chain) -> dict[str, Any]:
    """A lineage as the command line promises it."""
    return {
        **jsonio.headline(chain_headline(chain)),
        **jsonio.fields(chain, "root tip resume_target resume_reason"),
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
        **jsonio.fields(session, "title source model started_at ended_at end_reason messages"),
        "generations": node.generations,
        "tokens": jsonio.tokens(session.tokens),
        "cost": jsonio.session_cost(session),
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
