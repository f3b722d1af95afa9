"""What a summary puts together that the messages have apart: a value with another commit or count."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from core.compress.facts.values import FactValue
from core.compress.retention.claims.attributed import subject
from core.compress.retention.ground.claim_words import claim_words
from core.compress.retention.ground.evidence import Evidence, figure_of

_PART = re.compile(r"[;:,]\s+|\s+(?:and|but|while|whereas)\s+")
_HASH = re.compile(r"\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,40}\b")
_SENTENCE = re.compile(r"(?<=\w)[.;]\s")
_SHORT = 7
_TOLD, _HARDLY = 0.8, 0.6
"""Share of what is said to be in a commit that tells it, and what a place of another may hold of it."""

_NEAR = 160
"""Characters before and behind a hash that tell what the commit is."""


def of_another(sentence: str, facts: Sequence[FactValue], evidence: Evidence) -> Iterator[str]:
    """The clauses that put into one commit what only others are told with.

    Args:
        sentence: A sentence of the summary, without what it quotes.
        facts: The values in it, all of them known to the messages.
        evidence: What the messages bear out.
    """
    for part in _PART.split(sentence) if _HASH.search(sentence) else ():
        match = next(filter(None, (pattern.search(part) for pattern in claim_words().in_commit)), None)
        if match and len(set(_HASH.findall(part))) == 1 and _is_of_another(match, facts, evidence):
            yield part


def _is_of_another(match: re.Match[str], facts: Sequence[FactValue], evidence: Evidence) -> bool:
    names, words = subject(match["what"], facts, whole=True)
    weights, own = evidence.accounts.weigh(names, words), match["hash"][:_SHORT]
    if not weights or max(evidence.accounts.shares(_beside(own, evidence), weights)) > _HARDLY:
        return False
    places = evidence.accounts.of(names, words, _TOLD, weighed=True, calls=True)
    others = {found[:_SHORT] for one in places for found in _HASH.findall(one.text.lower())} - {own}
    return any(max(evidence.accounts.shares(_beside(other, evidence), weights)) >= _TOLD for other in others)


def _beside(commit: str, evidence: Evidence) -> Iterator[str]:
    """What stands beside the hash of a commit, which a program gives in full, and the call that made it."""
    told = re.compile(rf"{commit}[0-9a-f]{{0,5}}(?![0-9a-f])")
    for text in evidence.around(commit, _NEAR):
        yield from (one for one in _SENTENCE.split(text) if told.search(one))
    yield from (f"{one.call.strings}\n{one.text}".lower() for one in evidence.acts.made(commit))


_LABELLED = re.compile(
    r"\b(?!lines?\b)([A-Za-z]{4,}) #?(\d{1,4})(?=[.,;:)]*(?:\s*$|\s+(?:was|were|is|are|has|had)\b))"
)
"""What goes by a number: task 3, worktree 2."""


def miscounted(sentence: str, evidence: Evidence) -> Iterator[str]:
    """The quantities of which the messages give every time another.

    Args:
        sentence: A sentence of the summary.
        evidence: What the messages bear out.
    """
    words = claim_words()
    for match in words.quantity.finditer(sentence):
        before, told_of = sentence[: match.start()], match["nouns"].lower().split()
        limit = words.limit.search(before)
        noun = next((one for one in told_of if words.counted.get(one.removesuffix("s"))), told_of[0])
        one = noun.removesuffix("s")
        things = words.counted.get(noun) or words.counted.get(one) or ((one,) if limit else ())
        told = evidence.counts(things) if things and not words.rough.search(before) else {}
        figure = figure_of(match["figure"])
        if told and figure not in told and not evidence.measures(figure, noun):
            yield sentence[match.start() : match.start("nouns")] + noun
    for noun, figure in _LABELLED.findall(sentence):
        numbers = evidence.numbered(noun.lower().removesuffix("s"))
        if len(numbers) > 1 and figure not in numbers:
            yield f"{noun} {figure}"
