"""What tool results come to, in one sentence."""

from __future__ import annotations

from core.explain.tool_results.life import ResultLife, ResultLives
from core.model.finding import Severity
from core.model.headline import Headline
from core.support.amounts import plural

_LOST = "Call the tool again for less of it: a narrower command, a range of lines, a filter."


_THERE = {True: "the file is there", False: "the file is gone"}


def file_words(one: ResultLife) -> str:
    """What is known of the file that holds the whole of a result."""
    if one.readable is not None:
        return _THERE[one.readable]
    return "probably gone: this release deletes such files" if one.expired else "nobody looked for the file"


def results_headline(found: ResultLives) -> Headline:
    """What of them is lost; where nothing is, what they take over their lives."""
    if not found.results:
        return Headline("No tool was called in this conversation.")
    layers = [one.standing.layer for one in found.results]
    gone = sum(one.readable is False for one in found.results)
    if lost := layers.count("truncated"):
        sentence = f"The rest of {plural(lost, 'tool result')} is lost: no file could be saved."
        return Headline(sentence, _LOST, Severity.WARNING)
    if gone:
        sentence = f"The files of {plural(gone, 'tool result')} are gone: what was cut cannot be read back."
        return Headline(sentence, _LOST, Severity.WARNING)
    saved, carried = layers.count("persisted"), sum(one.lifetime_tokens for one in found.results)
    where = f", {saved} of them saved to files" if saved else ""
    count = plural(len(found.results), "tool result")
    return Headline(f"{count}{where}; all calls together carried ~{carried:,} tokens of them.")
