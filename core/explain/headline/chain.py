"""The headline of a family of sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.explain.headline.rewritten import rewrites
from core.model.finding import MAX_HEADLINE_CHARS, Headline, Severity, shortened
from core.redact.quick_check import masked_line
from core.support.formatting import plural

if TYPE_CHECKING:
    from core.model.transcript.conversation import Chain

_MAX_TITLE_CHARS = 60


def chain_headline(chain: Chain, engine: str | None = None) -> Headline:
    """How many sessions are related, how often they were compacted, what /resume opens, what is unusual.

    `engine` is the one of `engine_of_family`.
    """
    target = next((node for node in chain.nodes if node.session.id == chain.resume_target), None)
    title = target.session.title if target is not None else None
    name = masked_line(title or chain.resume_target, _MAX_TITLE_CHARS)
    compacted = plural(chain.compactions, "compaction") if chain.compactions else "never compacted"
    if pruned := sum(node.pruned for node in chain.nodes):
        compacted = f"{compacted}, {rewrites(pruned, engine)}"
    if any(node.lost for node in chain.nodes):
        compacted = f"{compacted} or more, as rows are missing"
    failed = any(node.session.guards.failure_error for node in chain.nodes)
    if failed:
        compacted = f"{compacted} (the last attempt failed)"
    if len(chain.nodes) == 1:
        sentence = f"One session, {compacted}, nothing branched off; /resume opens it"
    else:
        sentence = f"{plural(len(chain.nodes), 'session')}, {compacted}; /resume opens {name}"
    if not chain.findings:
        helps = "Why says what failed and what helps." if failed else None
        return Headline(f"{sentence}.", helps, Severity.WARNING if failed else None)
    note = "Note" if len(chain.findings) == 1 else f"Note 1 of {len(chain.findings):,}"
    told = shortened(f"{sentence}. {note}: {chain.findings[0]}", MAX_HEADLINE_CHARS - 1)
    return Headline(f"{told}.", None, Severity.WARNING)
