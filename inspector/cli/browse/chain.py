"""Lists every session related to one: its continuations, branches and sub-agents."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping

from core.model.transcript.conversation import Chain, ChainNode
from core.support import formatting as fmt
from inspector.cli import output
from inspector.cli.arguments import options, target
from inspector.payloads import values
from inspector.payloads.conversation import chain_payload


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `chain`."""
    options.add_session_argument(parser)
    options.add_shared_options(parser)


def run(args: argparse.Namespace) -> int:
    """Print the lineage of a session."""
    from core.explain.headline.rewritten import engine_of_family

    with target.named(args) as (store, session):
        chain = target.answer_about(store, session, lambda: store.chain(session.id), _texts)
        engine = engine_of_family(store, chain)
        names = {} if args.json else store.names([node.session.id for node in chain.nodes])
    return output.show(args, lambda: chain_payload(chain, engine), _lines(chain, session.id, names, engine))


def _texts(chain: Chain) -> Iterator[str]:
    """Every text in a chain."""
    yield from values.texts(chain_payload(chain, None))


def _lines(chain: Chain, asked: str, names: Mapping[str, str], engine: str | None) -> Iterator[str]:
    from core.account.pricing.paid import paid_together
    from core.explain.headline.chain import chain_headline
    from inspector.cli.table import Column, lines

    yield from output.headline(chain_headline(chain, engine))
    yield ""
    columns = (
        Column("session", shrinks=True, least=32, wraps=True),
        Column("kind", varies=True, rank=4),
        Column("ended by", varies=True, rank=6),
        Column("messages", right=True, rank=5),
        Column("generations", right=True, varies=True, rank=8),
        Column("tokens", right=True, rank=3),
        Column("cost", right=True),
        Column("cost with descendants", right=True, rank=7),
        Column("name", shrinks=True, rank=2),
    )
    sums = (paid_together(cost, chain.subtree(place)) for place, (_, cost) in enumerate(chain.spent_below()))
    rows = zip(chain.nodes, sums, strict=True)
    yield from lines(columns, (_cells(node, below, asked, names) for node, below in rows))
    yield ""
    yield f"/resume opens {chain.resume_target}: {chain.resume_reason}"
    if any(node.lower_bound for node in chain.nodes):
        yield f"{fmt.LOWER_BOUND} not all calls are on record: `usage {asked}` says which are missing"
    yield from (f"note: {finding}" for finding in chain.findings)


def _cells(node: ChainNode, below: str, asked: str, names: Mapping[str, str]) -> list[str]:
    from core.account.pricing.paid import paid
    from inspector.terminal.glyphs import DEEPEST, KIND, kind_word

    session = node.session
    sign = KIND[node.kind].strip()
    mark = " ←" if session.id == asked else ""
    return [
        f"{'· ' * min(node.depth, DEEPEST)}{sign} {session.id}{mark}".lstrip(),
        "orphan" if node.orphan else kind_word(node.kind),
        session.end_reason or ("still open" if session.is_open else fmt.UNKNOWN),
        fmt.count(session.messages),
        fmt.count(node.generations),
        fmt.tokens(session.tokens.total, lower_bound=node.lower_bound),
        paid(session.cost.usd, (session,), lower_bound=node.lower_bound),
        below,
        names[session.id],
    ]
