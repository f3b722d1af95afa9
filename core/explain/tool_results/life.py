"""The life of one tool result in a conversation, and of all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from core.compress.tool_results.arrival import Arrived
from core.compress.tool_results.recognise import Standing
from core.compress.tool_results.replacement import ResultSizes
from core.model.finding import Headline, Severity
from core.support.formatting import money, percent, plural, short

STATES = {
    "none": "in full",
    "tool_cap": "cut by its tool",
    "persisted": "saved to a file",
    "truncated": "rest is lost",
    "pruned": "pruned",
}
"""The state of a result in words, by the layer that changed it last."""
_RETURNS = "full on resume"
MOVED = "Hermes sent a file in its place while it ran, but stored it whole: a resume sends it in full"
_LOST = "Call the tool again for less of it: a narrower command, a range of lines, a filter."
_LARGE = 0.4
"""A tool is named if its results cost at least this share of all."""
_WORTH_SAVING = 20_000
"""Tokens over all calls below which smaller results save nobody anything."""
_THERE = {True: "the file is there", False: "the file is gone"}


@dataclass(frozen=True, slots=True)
class ResultLife:
    """One tool result from its arrival to the newest generation.

    Attributes:
        row: The row that stored it first.
        tokens: The approximate size of its newest form.
        arrived: The form in which it was stored first.
        standing: Its newest form.
        readable: Whether its file exists; None when that was not checked or no file is named.
        calls: Calls that carried it.
        lifetime_tokens: Its tokens over all of these.
        usd: What these tokens cost; None without prices.
        stub: What pruning will leave of it; None where pruning leaves it alone.
        would: What becomes of it under the requested release and window; None where too little is left.
        live: It is part of the newest generation.
        cap: Characters at which its tool cuts its output; None where the release has no such limit.
        expired: Its file is older than the release keeps such files.
        moved: The program sent a file in its place, but stored it whole: a resume sends it in full.
    """

    row: int
    session: str
    tool: str
    call: str
    tokens: int
    arrived: Standing
    standing: Standing
    readable: bool | None
    calls: int
    lifetime_tokens: int
    usd: Decimal | None
    stub: str | None
    would: Arrived | None
    live: bool
    cap: int | None = None
    expired: bool = False
    moved: bool = False

    @property
    def state(self) -> str:
        """Its newest form in words."""
        return _RETURNS if self.moved else STATES[self.standing.layer]

    @property
    def path(self) -> str | None:
        """The file its text names, or named before pruning."""
        return self.standing.path or self.arrived.path


@dataclass(frozen=True, slots=True)
class ResultLives:
    """All tool results of a conversation, the most expensive first.

    Attributes:
        release: The release whose rules `would` and the stubs follow.
    """

    release: str
    window: int | None
    sizes: ResultSizes
    results: tuple[ResultLife, ...]


def file_words(one: ResultLife) -> str:
    """What is known of the file that holds the whole result."""
    if one.readable is not None:
        return _THERE[one.readable]
    return "probably gone: this release deletes such files" if one.expired else "nobody looked for the file"


def results_headline(found: ResultLives) -> Headline:
    """What part of the results is lost; else what they cost, and which tool took most."""
    if not found.results:
        return Headline("No tool was called in this conversation.")
    layers = [result.standing.layer for result in found.results]
    gone = sum(result.readable is False for result in found.results)
    if lost := layers.count("truncated"):
        sentence = f"The rest of {plural(lost, 'tool result')} is lost: no file could be saved."
        return Headline(sentence, _LOST, Severity.WARNING)
    if gone:
        sentence = f"The files of {plural(gone, 'tool result')} are gone: what was cut cannot be read back."
        return Headline(sentence, _LOST, Severity.WARNING)
    saved = layers.count("persisted")
    where = f", {saved} of them saved to files" if saved else ""
    count = plural(len(found.results), "tool result")
    sentence = f"{count}{where}, sent again with every later call: {_size(found.results)} in all."
    return Headline(sentence, _largest(found.results))


def _size(results: Sequence[ResultLife]) -> str:
    """Their tokens over all calls, and the cost as far as prices are known."""
    tokens = f"~{short(sum(one.lifetime_tokens for one in results))} tokens"
    priced = [result.usd for result in results if result.usd is not None]
    least = "~" if len(priced) == len(results) else "≥"
    return f"{tokens}, {least}{money(sum(priced, Decimal(0)))}" if priced else tokens


def _largest(results: Sequence[ResultLife]) -> str | None:
    """How to make them smaller, if one tool takes a large share."""
    tools: Counter[str] = Counter()
    for result in results:
        tools[result.tool] += result.lifetime_tokens
    ((tool, tokens),) = tools.most_common(1)
    share = tokens / (tools.total() or 1)
    if len(tools) == 1 or share < _LARGE or tokens < _WORTH_SAVING:
        return None
    return f"Ask {tool} for less (a filter, a range of lines): its results are {percent(share)} of that."
