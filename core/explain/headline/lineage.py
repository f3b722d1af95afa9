"""What a conversation's family comes to, in one sentence: its sessions, and which of them /resume opens."""

from __future__ import annotations

from core.model.finding import Severity
from core.model.headline import Headline
from core.model.transcript.conversation import Chain
from core.redact.quick_check import masked_start
from core.support.plural import plural

_MOST = 60
"""Characters of a title."""


def chain_headline(chain: Chain) -> Headline:
    """How many sessions belong together, where /resume goes, and what is odd about them."""
    target = next((node for node in chain.nodes if node.session.id == chain.resume_target), None)
    title = target.session.title if target is not None else None
    name = masked_start(" ".join((title or chain.resume_target).split()), _MOST)
    if len(chain.nodes) == 1:
        sentence = "One session, nothing branched off; /resume opens it"
    else:
        sentence = f"{plural(len(chain.nodes), 'session')} in this family; /resume opens {name}"
    if not chain.findings:
        return Headline(f"{sentence}.")
    odd = plural(len(chain.findings), "oddity", "oddities")
    return Headline(f"{sentence}; {odd}: {chain.findings[0]}."[:170], None, Severity.WARNING)
