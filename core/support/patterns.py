"""Regular expressions compiled when first asked for: a short command needs few of those it imports."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any


class _Pattern:
    """Stands for an expression, and keeps of it what was asked for, so that asking again costs nothing."""

    def __init__(self, source: str, flags: int = 0) -> None:
        self._source, self._flags = source, flags

    def __getattr__(self, name: str) -> Any:
        found = getattr(re.compile(self._source, self._flags), name)
        setattr(self, name, found)
        return found


if TYPE_CHECKING:

    def pattern(source: str, flags: int = 0) -> re.Pattern[str]:
        """An expression, as `re.compile` makes it."""

else:
    pattern = _Pattern
