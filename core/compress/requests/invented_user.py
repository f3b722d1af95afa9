"""Whether a model's summary may speak of a user where the conversation holds none (Hermes 0.22)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.compress.messages.kinds import HAD_USER, content_text, is_scaffold, is_summary
from core.compress.summarise.base import heading_line
from core.compress.summarise.fallback.text import no_user_line
from core.hermes.policy.policy import Policy
from core.model.transcript.message import Message

_ATTRIBUTION = re.compile(r"\bUser\s+asked\s*:", re.IGNORECASE)


def invents_user(body: str, messages: Sequence[Message], policy: Policy) -> bool:
    """Whether the release refuses a summary for speaking of a user nobody has seen, and writes its fallback.

    Hermes 0.22 (`_validate_summary_user_provenance`) then takes only a summary whose first section is its
    line for "no user" and that says nowhere what a user asked.
    """
    if not policy.failure.snapshot or had_user(messages, policy):
        return False
    heading = re.escape(heading_line(policy.summary.headings[0]))
    section = re.search(rf"^{heading}\s*\n(.*?)(?=^## |\Z)", body, re.MULTILINE | re.DOTALL)
    task = section[1].strip() if section else ""
    return task != no_user_line() or _ATTRIBUTION.search(body) is not None


def had_user(messages: Sequence[Message], policy: Policy) -> bool:
    """Whether a user speaks, or the newest summary stands for one who did."""
    earlier: Message | None = None
    for message in messages:
        if is_summary(message.wire, policy.summary):
            earlier = message
        elif message.role == "user" and not is_scaffold(content_text(message.content).strip(), policy.tail):
            return True
    if earlier is None:
        return False
    flag = earlier.wire.get(HAD_USER)
    return flag if isinstance(flag, bool) else no_user_line() not in content_text(earlier.content)
