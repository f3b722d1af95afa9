"""Every error this project raises on purpose.

    InspectorError
    ├── UsageError        2  the command line is off
    ├── NotFoundError     3  no such session, conversation or file
    │   └── AmbiguousError   several titles begin as the text does
    ├── ConfigError       4  config.yaml or a setting cannot be used
    ├── DatabaseError     5  a session database cannot be read or written
    ├── SummaryError      1  a summariser gave nothing usable
    └── BudgetPassed      6  `usage --budget` was passed

Each says what happened, where, and what to do; the command line prints it as one line and exits with
`exit_code`, the app shows it as a toast.
"""

from __future__ import annotations

from typing import ClassVar


class InspectorError(Exception):
    """What happened, where, and what to do about it.

    Args:
        what: One clause, no trailing full stop.
        where: The file, session or option it happened to.
        remedy: What the reader can do next.
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
    """The command line asks for something it cannot mean."""

    exit_code = 2


class NotFoundError(InspectorError):
    """There is no such session, conversation or file."""

    exit_code = 3


class AmbiguousError(NotFoundError):
    """Several things begin as the text does, and none is called so."""


class ConfigError(InspectorError):
    """A configuration file or setting cannot be used."""

    exit_code = 4


class DatabaseError(InspectorError):
    """A session database cannot be opened, read or written."""

    exit_code = 5


class SummaryError(InspectorError):
    """A summariser failed or answered with something unusable."""


class BudgetPassed(InspectorError):  # noqa: N818 - an outcome the user asked to be told of, not a fault
    """Spending passed the budget the user named."""

    exit_code = 6
