"""The YAML tables of this room, read once."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache
from typing import Any

from core.tables import load_table


@cache
def table(name: str) -> Any:
    """The content of `core/account/<name>.yaml`."""
    return load_table(f"core/account/{name}.yaml")


def version(release: str) -> tuple[int, ...]:
    """A release as numbers, so that 0.9 sorts before 0.13."""
    return tuple(int(part) for part in re.findall(r"\d+", release)[:2])


def newest_for(known: Collection[str], release: str) -> str:
    """The newest entry of a table that is not newer than a release; its oldest when all are."""
    wanted = version(release)
    fitting = [entry for entry in known if version(entry) <= wanted]
    return max(fitting, key=version) if fitting else min(known, key=version)
