"""What tool results come to, in one sentence."""

from __future__ import annotations

from core.explain.tool_results.life import ResultLives
from core.model.finding import Severity
from core.model.headline import Headline
from core.support.amounts import plural

_LOST = "Call the tool again for less of it: a narrower command, a range of lines, a filter."


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
