"""What the calls booked on a session held beyond its rows."""

from __future__ import annotations

from core.compress.sizing.estimate import as_tokens, message_size
from core.explain.context.rows.unsaved_rows import copied_rows
from core.hermes.policy.trigger_rules import EstimateRules
from core.model.transcript.conversation import Conversation
from core.model.transcript.message import ReadMessages
from core.model.transcript.session import Session

_UNSEEN = 0.1
"""The share of the booked calls that the rows may lack for their mean sizes to be compared."""


_MAX_TOKENS = 40_000
"""The most that a system prompt and tools hold; a mean further from the rows says something else."""


def beyond_rows(
    session: Session, conversation: Conversation, read: ReadMessages, rules: EstimateRules
) -> int:
    """What a call held on average beyond its rows: the system prompt and the tools. 0 if unknown."""
    held = answers = 0
    for generation in (one for one in conversation.generations if one.session_id == session.id):
        text = images = 0
        fresh = copied_rows(generation)
        for at, message in enumerate(read(generation.row_ids)):
            if message.role == "assistant" and at >= fresh:
                answers += 1
                held += as_tokens(text, rules) + images * rules.image_tokens
            size = message_size(message.wire, rules)
            text, images = text + size.text, images + size.images
    calls, booked = session.api_calls or 0, session.tokens.prompt or 0
    if not answers or not booked or abs(calls - answers) > _UNSEEN * calls:
        return 0
    beyond = booked // calls - held // answers
    return beyond if 0 < beyond <= _MAX_TOKENS else 0
