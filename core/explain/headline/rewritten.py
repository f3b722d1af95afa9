"""What replaced messages without a summary: a pruning of Hermes, or another context engine."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from core.errors import ConfigError
from core.explain.context.context import ConversationContext, open_context
from core.model.compaction.event import CompressionEvent, tally
from core.model.finding import Headline, Severity, shortened
from core.support.formatting import plural, short
from core.support.program_files import shared_table

if TYPE_CHECKING:
    from core.explain.explanation import Explanation
    from core.model.transcript.conversation import Chain
    from core.store.store import Store

_table = partial(shared_table, "core/explain/headline/headlines.yaml")


def rewriting_engine(context: ConversationContext) -> str | None:
    """The engine that rewrites without a summary; None where Hermes' own shortens results."""
    prunes = bool(context.config.value("compression.proactive_prune_tokens"))
    return None if prunes or context.engine is None else context.engine.name


def engine_of_family(store: Store, chain: Chain) -> str | None:
    """The same for a family of sessions, asked only if something in it was replaced without a summary."""
    if not any(node.pruned for node in chain.nodes):
        return None
    try:
        return rewriting_engine(open_context(store, chain.tip))
    except ConfigError:
        return None


def rewrites(count: int, engine: str | None) -> str:
    """How often messages were replaced without a summary, and by whom."""
    if engine is None:
        return plural(count, "pruning")
    return f"{plural(count, 'rewrite')} by the engine {engine} without a summary"


def counted(found: Explanation) -> tuple[str, str, str]:
    """How many compactions there were, what was replaced without a summary, and what failed; else ""."""
    done, pruned, failed = tally(found.events)
    told = rewrites(pruned, rewriting_engine(found.context)) if pruned else ""
    return plural(done, "compaction"), told, f"{failed:,} failed" if failed else ""


def rewrite_headline(event: CompressionEvent, engine: str) -> Headline:
    """What another engine's rewrite left; past the limit still, what helps."""
    left = f"{event.messages_after:,} messages"
    if event.tokens is not None and event.tokens_after is not None:
        left += f", {short(event.tokens)} → {short(event.tokens_after)} tokens"
    sentence = shortened(
        _table()["rewritten"].format(engine=engine, left=left, at=f" {event.apart}" if event.apart else "")
    )
    if event.threshold is None or (event.tokens_after or 0) < event.threshold:
        return Headline(sentence)
    return Headline(sentence, f"{_table()['after_rewrite']}.", Severity.WARNING)
