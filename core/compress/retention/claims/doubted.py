"""Clauses of a summary that the messages bear out least, by one figure made of plain signs.

Where rules find that something is wrong, this finds what is unlikely to be right: the words of a clause stand
nowhere together, its author is another, it tells as done what was only proposed. A summary that was caught is
believed less.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
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


@dataclass(frozen=True, slots=True)
class Signs:
    """What speaks for and against a clause, each 0 to 1; `another_s` may be below 0.

    Attributes:
        apart: Share of its words, by their rarity, that no passage has together.
        done: It tells something as done.
        wished: It does, and a wish or proposal speaks most of it, with no report and no call as near.
        rule: It lays something down.
        cause: It gives a cause.
        agent: It names the assistant as who did it.
        another_s: How much more of it the other of the two said than who it names.
    """

    apart: float
    done: float
    wished: float
    rule: float
    cause: float
    agent: float
    another_s: float


@dataclass(frozen=True, slots=True)
class Doubt:
    """A clause with its signs and the words of the messages nearest to it.

    Attributes:
        where: The sentence it stands in.
    """

    claim: str
    where: str
    signs: Signs
    nearest: str


def suspected(doubts: Sequence[Doubt], flagged: Iterable[str]) -> list[Doubt]:
    """The least likely clause of each sentence that is suspected, the least likely first.

    A summary that was caught has all of them, any other one at most, and none beside what is flagged.

    Args:
        doubts: Every clause of a summary.
        flagged: The sentence of each claim known to be unsupported.
    """
    table, wheres = _table(), list(flagged)
    known = set(wheres)
    others = [one for one in doubts if one.where not in known]
    usual = fmean(one.signs.apart for one in others) if others else 0.0
    worst: dict[str, tuple[float, Doubt]] = {}
    for weight, one in sorted(
        ((_weight(one.signs, usual), one) for one in others), key=lambda pair: -pair[0]
    ):
        worst.setdefault(one.where, (weight, one))
    strong = [one for weight, one in worst.values() if weight >= table["suspected"]]
    sentences = len({one.where for one in doubts})
    if len(wheres) + len(strong) / 2 < max(table["caught"], table["caught_share"] * sentences):
        return [] if known else strong[:1]
    return [one for weight, one in worst.values() if weight >= table["suspected_then"]]


def _weight(signs: Signs, usual: float) -> float:
    """How much speaks against a clause; `usual` is what the words of the summary's clauses stand apart."""
    weights = _table()["weights"]
    told = sum(weights[sign] * value for sign, value in asdict(signs).items())
    return float(told + weights["beyond"] * (signs.apart - usual))


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
        if len(names) + len(told) >= 2:
            accounts = evidence.accounts.of(names, told, _LEAST, weighed=True, calls=True)
            nearest = max(accounts, key=lambda one: one.share, default=None)
            yield Doubt(
                clause.strip(" .-*'"), where, _signs(clause, accounts), nearest.text if nearest else ""
            )


def _signs(clause: str, accounts: Sequence[Account]) -> Signs:
    words = claim_words()
    done = words.completed.search(clause) and not (
        words.unsure.search(clause) or words.negated.search(clause)
    )
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
