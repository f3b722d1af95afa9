"""What a summary tells although the conversation undid it later."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.compress.facts.history import Outcome, stories_of
from core.compress.facts.outlook import Correction, correction_of
from core.compress.retention.summary_index import LOST, SummaryIndex

_BULLET = "-*• "
_GONE = re.compile(
    r"\b(?:delet\w+|remov\w+|gone|dropp\w+|unlink\w*|clean\w* up|no longer|temporary|rm)\b"
    r"|删除|刪除|移除|已删|gelöscht|supprim|elimin|удал",
    re.IGNORECASE,
)
_FIXED = re.compile(
    r"\b(?:fix\w*|resolv\w+|solv\w+|pass\w*|works? now|green|succeed\w*|no longer|after)\b"
    r"|修复|修復|解决|解決|通过|behoben|corrig|résolu|исправ",
    re.IGNORECASE,
)


def stale(ended: Sequence[Outcome], index: SummaryIndex, changed: Sequence[Correction]) -> tuple[str, ...]:
    """Files listed although deleted, errors although fixed, figures although corrected, one sentence each."""
    return (*_deleted_files(ended, index), *_fixed_errors(ended, index), *_corrected(index, changed))


def _corrected(index: SummaryIndex, changed: Sequence[Correction]) -> list[str]:
    """Lines that tell what a person corrected, in a summary that tells the new figure beside none of it."""
    told = ((line, correction_of(line, -1, changed)) for line in index.raw_lines if changed)
    return [
        f"{line.strip(_BULLET)}: corrected in message {one.at}: {one.text}"
        for line, one in told
        if one is not None and not one.is_told(line)
    ]


def _deleted_files(ended: Sequence[Outcome], index: SummaryIndex) -> list[str]:
    found = []
    for story in stories_of(ended).values():
        if story.gone:
            name = story.path.rsplit("/", 1)[-1] if index.fate("paths", story.path) != LOST else ""
            lines = index.lines_with(name) if name else []
            if lines and not any(map(_GONE.search, lines)):
                made = f"made in message {story.first}, " if story.made else ""
                found.append(f"{story.path}: {made}deleted in message {story.last}")
    return found


def _fixed_errors(ended: Sequence[Outcome], index: SummaryIndex) -> list[str]:
    found: dict[str, str] = {}
    for outcome in ended:
        if outcome.error and outcome.fixed_at is not None and index.fate("errors", outcome.error) != LOST:
            lines = index.lines_with(outcome.error[:60])
            if lines and not any(map(_FIXED.search, lines)):
                where = f"failed in message {outcome.result}, passed in message {outcome.fixed_at}"
                found.setdefault(outcome.error, f"{outcome.error}: {where}")
    return list(found.values())
