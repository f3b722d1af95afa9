"""Clauses of a summary that the messages bear out least, by one figure made of plain signs.

Where rules find that something is wrong, this finds what is unlikely to be right: the words of a clause stand
nowhere together, its author is another, it tells as done what was only proposed, another sentence tells of
the same thing. A summary in which much is unlikely is believed less.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from statistics import fmean
from typing import Any

from core.compress.facts.values import FactValue
from core.compress.retention.claims.attributed import subject
from core.compress.retention.claims.contradicted import CLAUSE
from core.compress.retention.claims.told import LABEL
from core.compress.retention.ground.accounts import ASSISTANT, CALL, DOCUMENT, USER, Account
from core.compress.retention.ground.claim_words import claim_words
from core.compress.retention.ground.evidence import Evidence
from core.support.yaml_tables import load_table

_LONGEST = 1000
"""Characters of a sentence that tells something; a longer one lists or quotes."""

_LEAST, _PROPOSED = 0.25, 0.6
"""Shares of a clause that a passage holds to be looked at, and a proposal to be one of it."""

_SAID, _CALLED = 0.1, 0.2
"""How much less of it than the proposal what was said and what was called hold."""

_COPIED = 0.3
"""Share of its words that no passage has together below which a clause may be a copy."""

_MOST_WORDS = 12
"""Words and names of a clause that is long."""


@dataclass(frozen=True, slots=True)
class Signs:
    """What speaks for and against a clause by itself, each 0 to 1; `another_s` may be below 0.

    Attributes:
        apart: Share of its words, by their rarity, that no passage has together.
        done: It tells something as done.
        wished: It does, and a wish or proposal speaks most of it, with no report and no call as near.
        rule: It lays something down.
        cause: It gives a cause.
        agent: It names the assistant as who did it.
        another_s: How much more of it the other of the two said than who it names.
        negated: It says that something is not so.
        long: How many words it has that can stand apart, of `_MOST_WORDS`.
    """

    apart: float
    done: float
    wished: float
    rule: float
    cause: float
    agent: float
    another_s: float
    negated: float
    long: float


@dataclass(frozen=True, slots=True)
class Doubt:
    """A clause with its signs and the words of the messages nearest to it.

    Attributes:
        where: The sentence it stands in.
        copied: It stands in the messages word for word.
        weights: What each of its names and roots counts.
    """

    claim: str
    where: str
    signs: Signs
    nearest: str
    copied: bool
    weights: Mapping[str, float]


Weighed = Sequence[tuple[float, Doubt]]
"""The clauses of a summary, each with how much speaks against it, the least likely first."""


def suspected(weighed: Weighed, flagged: Sequence[str], messages: int) -> list[Doubt]:
    """The least likely clause of each sentence that is suspected, the least likely first.

    A summary of which much is unlikely or flagged has all of them, any other one at most, and none beside
    what is flagged.

    Args:
        weighed: Every clause.
        flagged: The sentence of each claim known to be unsupported.
        messages: How many there are.
    """
    table = _table()
    worst: dict[str, tuple[float, Doubt]] = {}
    for weight, one in weighed:
        if one.where not in flagged and not one.copied:
            worst.setdefault(one.where, (weight, one))
    usual = table["usual"] * fmean(one.signs.apart for _, one in weighed) if weighed else 0.0
    unlikely = sum(1 / (1 + math.exp(table["even"] - usual - weight)) for weight, _ in worst.values())
    sentences = len({*flagged, *(one.where for _, one in weighed)})
    least = max(table["caught"], table["caught_share"] * sentences)
    if (flagged or min(sentences, messages) >= table["few"]) and len(flagged) + unlikely >= least:
        return [one for weight, one in worst.values() if weight + usual >= table["suspected_then"]]
    return [] if flagged else [one for weight, one in worst.values() if weight >= table["suspected"]][:1]


def credible(weighed: Weighed) -> set[str]:
    """The sentences of which so much speaks for every clause that only a value in them can be wrong."""
    worst: dict[str, float] = {}
    for weight, one in weighed:
        worst.setdefault(one.where, weight)
    return {where for where, weight in worst.items() if weight < _table()["credible"]}


def weigh_doubts(doubts: Sequence[Doubt]) -> Weighed:
    """How much speaks against each clause, by itself and beside the others."""
    weights = _table()["weights"]
    parts = Counter(one.where for one in doubts)
    told = [
        sum(weights[sign] * value for sign, value in asdict(one.signs).items())
        + weights["again"] * again
        + weights["parts"] * math.log(parts[one.where])
        for one, again in zip(doubts, _told_again(doubts), strict=True)
    ]
    return sorted(zip(told, doubts, strict=True), key=lambda pair: -pair[0])


def _told_again(doubts: Sequence[Doubt]) -> list[float]:
    """How much of each clause another sentence tells as well, 0 to 1."""
    telling: dict[str, list[int]] = defaultdict(list)
    for number, one in enumerate(doubts):
        for term in one.weights:
            telling[term].append(number)
    whole = [sum(one.weights.values()) for one in doubts]
    again: list[float] = []
    for number, one in enumerate(doubts):
        shared: dict[int, float] = defaultdict(float)
        for term, weight in one.weights.items():
            for other in telling[term]:
                shared[other] += weight
        others = (at for at in shared if doubts[at].weights.keys() != one.weights.keys())
        others = (at for at in others if doubts[at].where != one.where)
        again.append(max((shared[at] / math.sqrt(whole[number] * whole[at]) for at in others), default=0.0))
    return again


@cache
def _table() -> Any:
    return load_table("core/compress/retention/ground/doubts.yaml")


def doubts(sentence: str, facts: Sequence[FactValue], evidence: Evidence, where: str) -> Iterator[Doubt]:
    """The clauses of a sentence, each with what speaks for it.

    Args:
        sentence: A sentence of the summary, without what it quotes.
        facts: The values in it.
        evidence: What the messages bear out.
        where: The sentence as it is shown.
    """
    if len(sentence) > _LONGEST or sentence.endswith((":", "：")):
        return
    for clause in CLAUSE.split(LABEL.sub("", sentence)):
        names, told = subject(clause, facts, whole=True)
        if len(names) + len(told) >= 2 and not _is_list(clause, facts):
            accounts = evidence.accounts.of(names, told, _LEAST, weighed=True, calls=True)
            nearest = max(accounts, key=lambda one: one.share, default=None)
            weights = evidence.accounts.weigh(names, told)
            signs, claim = _signs(clause, accounts, len(weights)), clause.strip(" .-*'")
            copied = signs.apart < _COPIED and evidence.holds(claim)
            yield Doubt(claim, where, signs, nearest.text if nearest else "", copied, weights)


def _is_list(clause: str, facts: Sequence[FactValue]) -> bool:
    """Whether it only lists values: each stands somewhere or not, and nothing is told of them together."""
    items = clause.split(", ")
    return len(items) > 2 and all(
        len(item.split()) <= 2 and any(fact.value in item for fact in facts) for item in items
    )


def _signs(clause: str, accounts: Sequence[Account], length: int) -> Signs:
    words = claim_words()
    negated = words.negated.search(clause) is not None
    done = words.completed.search(clause) and not (negated or words.unsure.search(clause))
    user, agent = words.person_acts.search(clause), words.agent_acts.search(clause)
    by_user, by_agent = (_share(accounts, speaker) for speaker in (USER, ASSISTANT))
    return Signs(
        apart=1 - max((one.share for one in accounts), default=0.0),
        done=float(bool(done)),
        wished=float(bool(done) and _is_only_wished(accounts)),
        rule=float(words.rule.search(clause) is not None),
        cause=float(words.came_from.search(clause) is not None),
        agent=float(agent is not None),
        another_s=(by_agent - by_user) * bool(user) + (by_user - by_agent) * bool(agent),
        negated=float(negated),
        long=min(length, _MOST_WORDS) / _MOST_WORDS,
    )


def _share(accounts: Sequence[Account], speaker: str) -> float:
    return max((one.share for one in accounts if one.speaker == speaker), default=0.0)


def _is_only_wished(accounts: Sequence[Account]) -> bool:
    words = claim_words()
    wishes = [one for one in accounts if one.speaker in (USER, ASSISTANT) and _is_wish(one.text)]
    most = max((one.share for one in wishes), default=0.0)
    told = (one for one in accounts if one.speaker != DOCUMENT and one not in wishes)
    so = (one for one in told if one.speaker == CALL or not words.negated.search(one.text))
    near = (one.share > most - (_CALLED if one.speaker == CALL else _SAID) for one in so)
    return most >= _PROPOSED and not any(near)


def _is_wish(sentence: str) -> bool:
    words = claim_words()
    put_forward = words.put_forward.search(sentence) or words.proposed.search(sentence)
    return put_forward is not None and words.set_about.search(sentence) is None
