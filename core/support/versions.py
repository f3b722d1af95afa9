"""Releases compared as numbers."""

from __future__ import annotations

import re
from collections.abc import Collection


def version(release: str) -> tuple[int, ...]:
    """A release as numbers, so that 0.9 sorts before 0.13."""
    return tuple(int(part) for part in re.findall(r"\d+", release)[:2])


def newest_for(known: Collection[str], release: str) -> str:
    """The newest entry of a table that is not newer than a release; its oldest when all are."""
    wanted = version(release)
    fitting = [entry for entry in known if version(entry) <= wanted]
    return max(fitting, key=version) if fitting else min(known, key=version)
