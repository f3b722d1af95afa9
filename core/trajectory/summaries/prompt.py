"""What a model is asked: our own words around the turns, credentials masked."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from core.compress.summarise.prompt import Prompt
from core.model.compaction.plan import Span
from core.redact.text import redact_bulk
from core.support.yaml_tables import shared_table
from core.trajectory.compress.plan import Count
from core.trajectory.compress.settings import Settings
from core.trajectory.entries.forms import Turn

_words = partial(shared_table, "core/trajectory/summaries/prompt.yaml")


def build_prompt(turns: Sequence[Turn], region: Span, settings: Settings) -> Prompt:
    """The request for the summary of a region."""
    words = _words()
    told = (f"[{at}: {turns[at].role}]\n{_cut(turns[at].text)}" for at in range(region.start, region.end))
    clean = "\n\n".join(redact_bulk(list(told)))
    safe = clean.replace(words["closing_tag"], words["harmless_tag"])
    return Prompt(
        system=words["system"].strip(),
        user=words["user"].format(turns=safe, count=region.size, budget=settings.summary_target).strip(),
    )


def prompt_tokens(turns: Sequence[Turn], region: Span, settings: Settings, count: Count) -> int:
    """Tokens a request would send."""
    return count(build_prompt(turns, region, settings).text)


_LONG, _HEAD, _TAIL = 3_000, 1_500, 500
"""Characters of a turn that are sent whole, and what is sent of a longer one: as the releases do."""


def _cut(text: str) -> str:
    if len(text) <= _LONG:
        return text
    left_out = len(text) - _HEAD - _TAIL
    return f"{text[:_HEAD]}\n[{left_out:,} characters left out]\n{text[-_TAIL:]}"
