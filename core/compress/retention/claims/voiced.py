"""What a summary says people wanted, in words that no person used."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from core.compress.facts.topic import forms_of
from core.compress.facts.values import FactValue
from core.compress.retention.claims.attributed import subject
from core.compress.retention.claims.told import GAP
from core.compress.retention.ground.claim_words import claim_words
from core.compress.retention.ground.evidence import Evidence

_END = re.compile(
    r"[:;]\s|\s(?:→|->)\s|,\s+(?:and|but|so|then|which|as)\b|\s+(?:and|but) (?:then |later |the |was |it )"
)
_BRACKETS = re.compile(r" ?\([^()]*\)")
_STRANGE = 0.5
"""Share of the telling words of a wish that no person used, from which nobody voiced it."""


def unvoiced(sentence: str, facts: Sequence[FactValue], evidence: Evidence) -> Iterator[str]:
    """The sentence, when it gives people a wish that neither they voiced nor anybody they answered.

    Args:
        sentence: A sentence of the summary, without what it quotes.
        facts: The values in it.
        evidence: What the messages bear out.
    """
    wish = None if GAP in sentence else claim_words().wished.search(_BRACKETS.sub("", sentence))
    voiced = evidence.accounts.voiced
    if wish is None or not voiced:
        return
    names, words = subject(_END.split(wish["what"])[0], facts)
    terms = {name: (name,) for name in names} | {word: forms_of(word) for word in words}
    strange = sum(not any(form in voiced for form in forms) for forms in terms.values())
    if strange and strange >= _STRANGE * len(terms):
        yield sentence
