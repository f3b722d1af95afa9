"""Whether a summary is certainly wrong: everything that speaks against it, added up.

A single claim that no message supports may be our error. Several, of kinds that are seldom our error, beside
sentences that are unlikely, are not.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from heapq import nlargest

from core.compress.retention.claims.doubted import Worst, table
from core.compress.retention.ground.claim_words import claim_words
from core.model.compaction.preview import Unsupported

_WRITTEN_ALIKE = frozenset(("paths", "ids", "names", "urls", "hashes"))
"""Values that everybody writes alike; a figure, an act or a wish can be put in many ways."""

VALUES = _WRITTEN_ALIKE | {"numbers", "dates"}

_IN_PROGRAM = re.compile(r"[\d_/.]")
"""What a name has that only programs use."""

_SHORT, _SERIAL = re.compile("[A-Z]{2,4}"), re.compile(r"\d{5,}(?<!00)")
"""An abbreviation, which anybody may make of other words; and a number too long to be anything but a name."""

_TALLY, _QUOTATION = re.compile(r"\d+ [^\W\d_]+\W.*\d [^\W\d_]"), re.compile(r"\w+\W+\w+\W+\w")
"""Several words with a figure each, and several words in a row, of which not all are misread."""

_SMALL = re.compile(r"\D*(?:\d\D*){1,2}")
_UNIT = re.compile(r"[^\W\d_]|[%$€]")


def is_caught(found: Sequence[Unsupported], worst: Worst, sentences: int, language: str) -> bool:
    """Whether a summary is certainly wrong.

    Args:
        found: Its claims that no message supports.
        worst: The least likely clause of each of its sentences; none where they cannot be compared.
        sentences: How many sentences it has.
        language: Its language: the fewer of its words are known, the less likely all its sentences seem.
    """
    weights: Mapping[str, float] = table()["caught"]
    by_sentence: dict[str, float] = {}
    for claim in found:
        by_sentence[claim.where] = max(_weight(claim), by_sentence.get(claim.where, 0.0))
    unlikely = (_probability(weight) for weight, one in worst.values() if not one.copied)
    least_likely = nlargest(int(weights["unlikeliest"]), unlikely)
    usual: Mapping[str, float] = table()["usual"]
    doubts = max(0.0, weights["unlikely"] * sum(least_likely) - usual.get(language, usual["other"]))
    if not found:
        return doubts >= weights["from_doubts"]
    claimed = sum(by_sentence.values())
    if len(by_sentence) == 1 and worst:
        claimed = min(claimed, weights["alone"])
    against = claimed + doubts
    enough = weights["from" if worst else "from_values"]
    return against >= enough - weights["few"] * max(0, weights["many"] - sentences)


def surest(found: Sequence[Unsupported]) -> Sequence[Unsupported]:
    """What to show of a summary that is not certainly wrong: all beside something made up, else one."""
    ranked = sorted(found, key=_weight, reverse=True)
    made_up = any(_kind(claim) == "made_up" for claim in ranked[:1])
    return found if made_up else ranked[:1]


def _weight(claim: Unsupported) -> float:
    return float(table()["caught"][_kind(claim)])


def _kind(claim: Unsupported) -> str:
    """How a claim speaks against its summary: `made_up`, `name`, `figure`, `act` or `other`."""
    value = claim.value
    match claim.category:
        case "names" if _QUOTATION.match(value):
            return "made_up"
        case "numbers" if _TALLY.match(value):
            return "made_up"
        case "names" if not _IN_PROGRAM.search(value):
            return "other" if _SHORT.fullmatch(value) else "name"
        case "numbers" if not _SERIAL.fullmatch(value):
            return "other" if _UNIT.search(value) and _SMALL.fullmatch(value) else "figure"
        case "dates":
            return "figure"
        case "done" if not _tells_a_wish(value):
            return "act"
        case category if category in VALUES:
            return "made_up"
        case _:
            return "other"


def _tells_a_wish(claim: str) -> bool:
    return any(words.wants.search(claim) for words in claim_words().attributed.values())


def _probability(weight: float) -> float:
    return 1 / (1 + math.exp(-weight))
