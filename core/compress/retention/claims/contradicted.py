"""What a summary tells the wrong way round: another speaker, state, direction or order."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from core.compress.facts.lexicon import lexicon
from core.compress.facts.topic import forms_of
from core.compress.facts.values import FactValue
from core.compress.retention.claims.acted import untouched
from core.compress.retention.claims.attributed import attributed, subject
from core.compress.retention.claims.bound import of_another
from core.compress.retention.claims.sequence import was_later
from core.compress.retention.claims.voiced import unvoiced
from core.compress.retention.ground.accounts import DOCUMENT
from core.compress.retention.ground.claim_words import StateWords, claim_words
from core.compress.retention.ground.evidence import Evidence

CLAUSE = re.compile(r"[;:]\s+|,\s+(?:and|but|so|while|whereas|although)\s+|\s+(?:but|[-–—]+)\s+")
_MARKS = re.compile(r"[`*\"]|\([^()\n]{0,80}\)")
_CODE = re.compile(r"`[^`\n]*`|\b\w*[a-z]\w*[A-Z]\w*\b(?:\(\))?|\b\w+(?:[._/-]\w+)+\b|\b\w+_\w+\b")
"""Names of code: `DeleteBranch` deletes nothing."""

_REASON = re.compile(r"\s+(?:and|for|because|since|as|so|with|until|by|in order)\b")
_OPENING = re.compile(r"^[\s\-*`]+")
_SAME, _LESS, _APART = 0.66, 0.1, 60
_LONGEST = 1_000
"""Characters of a sentence that tells something; a longer one lists or quotes."""


def contradicted(sentence: str, facts: Sequence[FactValue], evidence: Evidence) -> Iterator[tuple[str, str]]:
    """The claims of a sentence that the messages tell the other way round, by category.

    Args:
        sentence: A sentence of the summary, without what it quotes.
        facts: The values in it, all of them known to the messages.
        evidence: What the messages bear out.
    """
    if len(sentence) > _LONGEST:
        return
    kinds = (attributed, was_later, of_another, untouched, unvoiced)
    otherwise = [clause for kind in kinds for clause in kind(sentence, facts, evidence)]
    clauses = [] if "…" in sentence else CLAUSE.split(sentence)
    otherwise += [clause for clause in clauses if _stands_otherwise(clause, facts, evidence)]
    if any(_is_turned_round(old, new, evidence) for old, new in _replaced(sentence)):
        otherwise.append(sentence)
    yield from (("done", clause) for clause in otherwise if not evidence.holds(clause.strip(" .'*")))


def _stands_otherwise(clause: str, facts: Sequence[FactValue], evidence: Evidence) -> bool:
    """Whether what the messages say of the same thing is always, or at last, the opposite."""
    words = claim_words()
    if words.unsure.search(clause):
        return False
    plain = _plain(clause, facts)
    if words.left.search(plain) and not words.negated.search(plain) and _is_gone(clause, facts, evidence):
        return True
    for state in words.states if words.lasting.search(plain) else ():
        claimed = state.sign(plain)
        for text in dict.fromkeys((clause, _without_reason(clause, state))) if claimed is not None else ():
            names, told = subject(text, facts, without=state.either)
            last = _last_sign(state, names, told, evidence) if names or told else None
            if last is not None:
                return last is not claimed
    return False


def _is_gone(clause: str, facts: Sequence[FactValue], evidence: Evidence) -> bool:
    """Whether the file a clause begins with was removed in the end."""
    paths = (fact.value for fact in facts if fact.category == "paths")
    return any(_OPENING.sub("", clause).startswith(path) and evidence.acts.is_gone(path) for path in paths)


def _without_reason(clause: str, state: StateWords) -> str:
    """A clause up to what stands behind its state: why it is so, and what else is."""
    told = state.either.search(clause)
    behind = _REASON.search(clause, told.end()) if told else None
    return clause[: behind.start()] if behind else clause


def _plain(clause: str, facts: Sequence[FactValue]) -> str:
    for fact in facts:
        clause = clause.replace(fact.value, " ")
    return _CODE.sub(" ", clause)


def _last_sign(state: StateWords, names: list[str], told: list[str], evidence: Evidence) -> bool | None:
    """How the last clause somebody said that speaks most of a thing says it stands; None when none does."""
    words = claim_words()
    accounts = [one for one in evidence.accounts.of(names, told, _SAME, around=1) if one.speaker != DOCUMENT]
    code = [name for name in names if not lexicon().file_name.fullmatch(name)]
    accounts = [one for one in accounts if not code or any(name in one.text.lower() for name in code)]
    most = max((one.share for one in accounts), default=0.0)
    last = None
    for account in accounts:
        for part in CLAUSE.split(account.text) if account.share >= most - _LESS else ():
            unreal = words.unsure.search(part) or words.proposed.search(part) or lexicon().intent.search(part)
            sign = None if unreal else state.sign(_CODE.sub(" ", part))
            last = sign if sign is not None and _is_near(state, part, names, told) else last
    return last


def _is_near(state: StateWords, part: str, names: Sequence[str], told: Sequence[str]) -> bool:
    """Whether the words of the state stand beside those of the thing."""
    lower = part.lower()
    stems = [form[:4] for word in told for form in forms_of(word)]
    places = [lower.find(name) for name in (*names, *stems) if name in lower]
    matches = [match.start() for match in state.either.finditer(part)]
    return any(abs(place - at) <= _APART for place in places for at in matches)


def _replaced(text: str) -> Iterator[tuple[str, str]]:
    """What a text says took the place of what: old and new, in lower case."""
    plain = _MARKS.sub("", text)
    for pattern in claim_words().replaced:
        for match in pattern.finditer(plain):
            old, new = (match[which].lower().removesuffix("()") for which in ("old", "new"))
            if old != new:
                yield old, new


def _is_turned_round(old: str, new: str, evidence: Evidence) -> bool:
    """Whether edits and sentences have the new in the place of the old, and none the other way."""
    if not (evidence.mentions(old) and evidence.mentions(new)):
        return False
    told = [pair for one in evidence.accounts.of([old, new], [], 1.0) for pair in _replaced(one.text)]
    for before, after in evidence.accounts.edits(old, new):
        changed = [(_stands(name, before), _stands(name, after)) for name in (old, new)]
        told += [(old, new)] if changed == [(True, False), (False, True)] else []
        told += [(new, old)] if changed == [(False, True), (True, False)] else []
    return (new, old) in told and (old, new) not in told


def _stands(name: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None
