"""Clauses of a summary that the messages support least, rated by one figure computed from plain signs.

A value that occurs nowhere is certainly wrong; this finds what is unlikely to be right: the words of a clause
occur nowhere together, similar passages have another word, another sentence says the same, or it tells of
something done without any detail. It is reported only for a summary known to be wrong elsewhere.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

from core.compress.facts.values import FactValue
from core.compress.retention.claims.attributed import attributions
from core.compress.retention.claims.reported import LABEL, subject
from core.compress.retention.ground.accounts import Account
from core.compress.retention.ground.claim_words import claim_words, reporting
from core.compress.retention.ground.evidence import Evidence
from core.support.program_files import load_table

_CLAUSE = re.compile(r"[;:]\s+|,\s+(?:and|but|so|while|whereas|although)\s+|\s+(?:but|[-–—]+)\s+|[；：，]")
_DETAIL = re.compile(r",\s|[;(:]|\b(?:and|und|y|et)\b|[；：，、]")
_MUCH_DETAIL, _LONG = 4, 12
"""With this many additions a sentence is as detailed, with this many words a clause as long, as can be."""

_MAX_CHARS = 1000
"""The longest sentence that is checked, in characters; a longer one is a list or a quotation."""

_HEADING = re.compile(r"\*\*[^*]*\*\*")
_MIN_SHARE = 0.25
"""The share of a clause that a passage must hold to be considered."""

_COPIED = 0.3
"""If fewer of its words than this are missing from one passage, a clause may be a copy."""

_ASIDE = re.compile(r" ?\([^()]*\)")
_MIN_WORDS = 3
"""A clause needs this many words and names for one to be swapped for another."""


@dataclass(frozen=True, slots=True)
class Signs:
    """What speaks against a clause by itself, each 0 to 1.

    Attributes:
        apart: Share of its words, by their rarity, that no single passage has together.
        swapped: How much better the rest fits passages without one of its words than passages with it.
        done: It reports something as done.
        denied: It says that something is not so, or not yet.
        wished: It says what people wanted.
        detail: How much more its sentence tells: lists, additions and further clauses.
        length: How many names and telling words it has.
    """

    apart: float
    swapped: float
    done: float
    denied: float
    wished: float
    detail: float
    length: float


@dataclass(frozen=True, slots=True)
class Doubt:
    """A clause with its signs.

    Attributes:
        where: The sentence it is in.
        copied: The messages hold it word for word.
        weights: The weight of each of its names and roots.
    """

    claim: str
    where: str
    signs: Signs
    copied: bool
    weights: Mapping[str, float]


Worst = Mapping[str, tuple[float, Doubt]]
"""The least likely clause of each sentence, with the weight of the signs against it."""


def suspected(worst: Worst, flagged: Collection[str]) -> list[Doubt]:
    """The clauses to suspect in a summary that is certainly wrong, the least likely first.

    In others, unlikely clauses are more often paraphrased than wrong.

    Args:
        worst: The least likely clause of each sentence.
        flagged: The sentences known to be wrong.
    """
    ranked = sorted(worst.values(), key=lambda pair: -pair[0])
    rest = (pair for pair in ranked if not (pair[1].copied or pair[1].where in flagged))
    return [one for weight, one in rest if weight >= table()["suspected"]][: table()["most"]]


def weigh_doubts(doubts: Sequence[Doubt]) -> Worst:
    """The least likely clause of each sentence, with the weight against it alone and beside the others."""
    alone, weights = table()["alone"], table()["weights"]
    worst: dict[str, tuple[float, Doubt]] = {}
    against = [
        alone + sum(weights[sign] * value for sign, value in asdict(one.signs).items()) for one in doubts
    ]
    for one, own, again in zip(doubts, against, _repeated_share(doubts, against), strict=True):
        weight = own + weights["again"] * again
        if one.where not in worst or weight > worst[one.where][0]:
            worst[one.where] = weight, one
    return worst


def _repeated_share(doubts: Sequence[Doubt], against: Sequence[float]) -> list[float]:
    """How much of each clause another sentence, which is more likely, says too, 0 to 1."""
    rare_words: dict[str, list[int]] = defaultdict(list)
    for number, one in enumerate(doubts):
        for term in one.weights:
            rare_words[term].append(number)
    totals = [sum(doubt.weights.values()) for doubt in doubts]
    again: list[float] = []
    for number, one in enumerate(doubts):
        shared: dict[int, float] = defaultdict(float)
        for term, weight in one.weights.items():
            for other in rare_words[term]:
                shared[other] += weight
        others = (at for at in shared if doubts[at].weights.keys() != one.weights.keys())
        others = (at for at in others if doubts[at].where != one.where and against[at] <= against[number])
        again.append(max((shared[at] / math.sqrt(totals[number] * totals[at]) for at in others), default=0.0))
    return again


@cache
def table() -> Any:
    """What speaks against a clause, and against a summary: `doubts.yaml`."""
    return load_table("core/compress/retention/ground/doubts.yaml")


def doubts(sentence: str, facts: Sequence[FactValue], evidence: Evidence, where: str) -> Iterator[Doubt]:
    """The clauses of a sentence, each with its signs.

    Args:
        sentence: A sentence of the summary, without what it quotes.
        facts: The values in it.
        evidence: What the messages support.
        where: The sentence as it is shown.
    """
    unspoken = sentence.startswith("|") or sentence.endswith((":", "：")) or _HEADING.fullmatch(sentence)
    if unspoken or len(sentence) > _MAX_CHARS:
        return
    for clause in _CLAUSE.split(LABEL.sub("", sentence)):
        names, words = subject(clause, facts)
        if len(names) + len(words) >= 2 and not _is_list(clause, facts):
            accounts = evidence.accounts.of(names, words, _MIN_SHARE)
            weights = evidence.accounts.weigh(names, words)
            telling = [word for word in words if word not in reporting()]
            apart = 1 - max((account.share for account in accounts), default=0.0)
            signs = Signs(
                apart=apart,
                swapped=_swapped(names, accounts, weights),
                detail=min(1.0, len(_DETAIL.findall(sentence)) / _MUCH_DETAIL),
                length=min(1.0, (len(names) + len(telling)) / _LONG),
                **_manner(clause, evidence),
            )
            claim = clause.strip(" .-*'")
            copied = (apart < _COPIED and evidence.holds(claim)) or _is_in(claim, accounts)
            yield Doubt(claim, where, signs, copied, weights)


def _manner(clause: str, evidence: Evidence) -> dict[str, float]:
    """How a clause tells something, each 0 or 1: as done, denied, or wished by people."""
    words, languages = claim_words(), evidence.accounts.voices.languages
    rule = words.rule.of(languages).search(clause) is not None
    denied = words.unreal.of(languages).search(clause) is not None and not rule
    done = words.completed.of(languages).search(clause) is not None and not denied
    wished = any(True for _ in attributions(clause, evidence))
    return {"done": float(done), "denied": float(denied), "wished": float(wished)}


def _is_in(claim: str, accounts: Sequence[Account]) -> bool:
    """Whether somebody said it word for word, ignoring line breaks."""
    words = " ".join(_ASIDE.sub("", claim).lower().split())
    return any(words in " ".join(one.text.lower().split()) for one in accounts if 2 * one.share > 1)


def _is_list(clause: str, facts: Sequence[FactValue]) -> bool:
    """Whether it is a list of values, which are checked one by one, as nothing is said of them together."""
    items = _ASIDE.sub("", clause).strip().split(", ")
    listed = all(len(item.split()) <= 2 and any(fact.value in item for fact in facts) for item in items)
    return listed and (len(items) > 2 or (len(items) == 1 and len(items[0].split()) == 1))


def _swapped(names: Sequence[str], accounts: Sequence[Account], weights: Mapping[str, float]) -> float:
    """How much better passages without one of the words match the rest than passages with it."""
    most = 0.0
    terms = (term for term in weights if term in names or term not in reporting())
    for word in terms if len(weights) >= _MIN_WORDS else ():
        rest = sum(weights.values()) - weights[word]
        best = {True: 0.0, False: 0.0}
        for account in accounts:
            held_share = math.fsum(weights[term] for term in account.held if term != word) / rest
            best[word in account.held] = max(best[word in account.held], held_share)
        most = max(most, best[False] - best[True])
    return most
