"""Who writes the summary of a preview: the choice of options, made into a summariser."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from core.errors import UsageError
from inspector.cli import transcript

if TYPE_CHECKING:
    from core.compress.summarise.base import (
        Cancelled,
        Endpoint,
        OnText,
        Summariser,
        SummaryRequest,
        SummaryResult,
    )
    from core.hermes.policy import Policy

OFFLINE = ("extractive", "static")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`--summariser` and `--summary-file`."""
    group = parser.add_argument_group("the summary")
    group.add_argument(
        "--summariser", choices=OFFLINE, default=OFFLINE[0], help="who writes it (default: %(default)s)"
    )
    group.add_argument("--summary-file", metavar="FILE", help="use this text as the answer; - for stdin")


def summariser(args: argparse.Namespace, policy: Policy) -> Summariser:
    """The summariser the options name.

    Raises:
        NotFoundError: The summary file does not exist.
        UsageError: It is empty or cannot be read.
    """
    from core.compress.summarise.extractive import ExtractiveSummariser
    from core.compress.summarise.static import StaticSummariser

    if args.summary_file is not None:
        return GivenSummary(_given(args.summary_file))
    if args.summariser == "static":
        return StaticSummariser(policy)
    return ExtractiveSummariser()


def _given(path: str) -> str:
    text = transcript.read_text(path)
    if not text.strip():
        raise UsageError("holds no text to use as a summary", where=path)
    return text


class GivenSummary:
    """Answers with a text written beforehand."""

    name = "file"

    def __init__(self, text: str) -> None:
        self._text = text

    def describe(self) -> Endpoint | None:
        """Nothing leaves this process."""
        return None

    def summarise(
        self, request: SummaryRequest, *, on_text: OnText | None = None, cancelled: Cancelled | None = None
    ) -> SummaryResult:
        """The text, whatever is asked."""
        from core.compress.summarise.base import SummaryResult, SummaryStatus

        return SummaryResult(self._text, SummaryStatus.MODEL)
