"""Facts a summary keeps although the middle later undid them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.compress.facts.history import files, outcomes
from core.compress.facts.readable import View
from core.compress.retention.summary_index import LOST, SummaryIndex

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


def stale(read: Sequence[View], index: SummaryIndex) -> tuple[str, ...]:
    """Files listed although deleted, errors listed although fixed, one sentence each."""
    return (*_deleted_files(read, index), *_fixed_errors(read, index))


def _deleted_files(read: Sequence[View], index: SummaryIndex) -> list[str]:
    found = []
    for story in files(read).values():
        if story.gone:
            name = story.path.rsplit("/", 1)[-1] if index.fate("paths", story.path) != LOST else ""
            lines = index.lines_with(name) if name else []
            if lines and not any(map(_GONE.search, lines)):
                made = f"made in message {story.first}, " if story.made else ""
                found.append(f"{story.path}: {made}deleted in message {story.last}")
    return found


def _fixed_errors(read: Sequence[View], index: SummaryIndex) -> list[str]:
    found: dict[str, str] = {}
    for outcome in outcomes(read):
        if outcome.error and outcome.fixed_at is not None and index.fate("errors", outcome.error) != LOST:
            lines = index.lines_with(outcome.error[:60])
            if lines and not any(map(_FIXED.search, lines)):
                where = f"failed in message {outcome.result}, passed in message {outcome.fixed_at}"
                found.setdefault(outcome.error, f"{outcome.error}: {where}")
    return list(found.values())
