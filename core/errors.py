"""Every error this project raises on purpose.

    InspectorError
    ├── UsageError        2  the command line is wrong
    ├── NotFoundError     3  no such session, conversation or file
    │   └── AmbiguousError   several titles begin with the text
    ├── ConfigError       4  config.yaml or a setting is invalid
    ├── DatabaseError     5  a session database cannot be read or written
    ├── SummaryError      1  a summariser returned nothing usable
    └── BudgetPassed      6  spending exceeded the budget of `usage --budget`

Each says what happened, where, and what to do; the command line prints it as one line and exits with
`exit_code`, the app shows it as a toast.
"""

from __future__ import annotations

from typing import ClassVar


class InspectorError(Exception):
    """What happened, where, and what to do about it.

    Args:
        what: One clause without a trailing full stop.
        where: The file, session or option concerned.
        remedy: What the user can do next.
    """

    exit_code: ClassVar[int] = 1

    def __init__(self, what: str, *, where: str = "", remedy: str = "") -> None:
        self.what = what
        self.where = where
        self.remedy = remedy
        super().__init__(self.line)

    @property
    def line(self) -> str:
        """The whole error as one line of plain text."""
        head = f"{self.where}: {self.what}" if self.where else self.what
        return f"{head}. {self.remedy}" if self.remedy else head


class UsageError(InspectorError):
    """The command line asks for something that makes no sense."""

    exit_code = 2


class NotFoundError(InspectorError):
    """There is no such session, conversation or file."""

    exit_code = 3


class AmbiguousError(NotFoundError):
    """Several things begin with the text, and none has exactly that name."""


class ConfigError(InspectorError):
    """A configuration file or setting is invalid."""

    exit_code = 4


class DatabaseError(InspectorError):
    """A session database cannot be opened, read or written."""

    exit_code = 5


class SummaryError(InspectorError):
    """A summariser failed or returned something unusable."""


class BudgetPassed(InspectorError):  # noqa: N818 - an outcome that the user asked for, not a fault
    """Spending exceeded the budget that the user set."""

    exit_code = 6
