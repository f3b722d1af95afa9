"""What a summary tells the wrong way round: another speaker, state or direction, another's id."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from core.compress.facts.lexicon import lexicon
from core.compress.facts.topic import forms_of, roots
from core.compress.facts.values import FactValue, values
from core.compress.retention.accounts import ASSISTANT, DOCUMENT, USER, Account
from core.compress.retention.claim_words import StateWords, claim_words, reporting
from core.compress.retention.evidence import Evidence

_PART = re.compile(r"[;:]\s+")
_CLAUSE = re.compile(r"[;:]\s+|,\s+(?:and|but|so|while|whereas|although)\s+|\s+(?:but|[-–—]+)\s+")
_MARKS = re.compile(r"[`*\"]")
_CODE = re.compile(r"`[^`\n]*`|\b\w*[a-z]\w*[A-Z]\w*\b(?:\(\))?|\b\w+(?:[._/-]\w+)+\b|\b\w+_\w+\b")
"""Names of code: `DeleteBranch` deletes nothing."""

_SAID_IT, _SAID_NONE, _AS_WELL = 0.6, 0.2, 0.8
_SAME, _LESS, _APART = 0.66, 0.1, 60
_OWN, _OF_ANOTHER = 0.34, 0.66
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
    for clause in () if "…" in sentence else _CLAUSE.split(sentence):
        said = next(filter(None, (pattern.search(clause) for pattern in claim_words().said_by)), None)
        if said:
            otherwise = _says_another(said, facts, evidence)
        else:
            otherwise = _stands_otherwise(clause, facts, evidence)
        otherwise = otherwise or _came_otherwise(clause, facts, evidence)
        if otherwise and not evidence.holds(clause.strip(" .'*")):
            yield "done", clause
    if any(_is_turned_round(old, new, evidence) for old, new in _replaced(sentence)):
        yield "done", sentence
    for part in _PART.split(sentence):
        yield from _owned_by_another(part, facts, evidence)


def _subject(
    text: str, facts: Sequence[FactValue], *, without: re.Pattern[str] | None = None
) -> tuple[list[str], list[str]]:
    """What a text is about: names in lower case, files by their last part, and roots of telling words."""
    named = [fact.value for fact in facts if fact.category not in ("numbers", "dates") and fact.value in text]
    for name in sorted(named, key=len, reverse=True):
        text = text.replace(name, " ")
    plain = without.sub(" ", text) if without else text
    names = dict.fromkeys(name.lower().removesuffix("()").rpartition("/")[2] for name in named)
    return list(filter(None, names)), [word for word in roots(plain) if word not in reporting()]


def _says_another(match: re.Match[str], facts: Sequence[FactValue], evidence: Evidence) -> bool:
    """Whether somebody else said first, or alone, what a clause says one of the two did."""
    words = claim_words()
    speaker, other = (USER, ASSISTANT) if words.person.fullmatch(match["who"]) else (ASSISTANT, USER)
    names, told = _subject(match["what"], facts)
    if words.refuses.fullmatch(match["verb"]):
        return _refused_by(other, speaker, names, list(roots(match["what"])), evidence)
    if len(names) + len(told) < 2:
        return False
    accounts = evidence.accounts.of(names, told, _SAID_NONE, around=1)
    best = {
        who: max((one.share for one in accounts if one.speaker == who), default=0.0)
        for who in (USER, ASSISTANT)
    }
    told_before = any(one.speaker == DOCUMENT and one.share >= _AS_WELL * best[other] for one in accounts)
    if best[other] < _SAID_IT or told_before:
        return False
    if speaker == USER:
        asked = any(one.speaker == other and evidence.accounts.was_taken_up(one.at) for one in accounts)
        return best[USER] <= _SAID_NONE and not asked
    first = {who: _first(accounts, who, _AS_WELL * best[other]) for who in best}
    return words.originates.fullmatch(match["verb"]) is not None and first[USER] < first[ASSISTANT]


def _first(accounts: Sequence[Account], speaker: str, least: float) -> float:
    places = (one.at for one in accounts if one.speaker == speaker and one.share >= least)
    return min(places, default=float("inf"))


def _refused_by(other: str, speaker: str, names: list[str], told: list[str], evidence: Evidence) -> bool:
    """Whether one refused what the clause says another did."""
    if len(names) + len(told) < 2:
        return False
    said = evidence.accounts.of(names, told, _SAID_IT)
    refused = [one.speaker for one in said if claim_words().refusal.search(one.text)]
    return other in refused and speaker not in refused


def _stands_otherwise(clause: str, facts: Sequence[FactValue], evidence: Evidence) -> bool:
    """Whether what the messages say of the same thing is always, or at last, the opposite."""
    words = claim_words()
    if words.unsure.search(clause):
        return False
    plain = _plain(clause, facts)
    lasting = words.lasting.search(plain) is not None
    denied = words.does_not.search(plain)
    states = [*(words.states if lasting else ()), *([words.act(denied["act"])] if denied else [])]
    for state in states:
        claimed = state.sign(plain)
        names, told = _subject(clause, facts, without=state.either) if claimed is not None else ([], [])
        last = _last_sign(state, names, told, evidence) if names or told else None
        if last is not None and last is not claimed:
            return True
    return False


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
        for part in _CLAUSE.split(account.text) if account.share >= most - _LESS else ():
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


def _came_otherwise(clause: str, facts: Sequence[FactValue], evidence: Evidence) -> bool:
    """Whether nothing in the messages speaks of a thing together with what the clause says it came from."""
    match = claim_words().came_from.search(clause)
    if match is None:
        return False
    sides = (_subject(match[side], facts) for side in ("effect", "cause"))
    effect, cause = ([*names, *told] for names, told in sides)
    return len(cause) >= 2 and bool(effect) and not evidence.meet(effect, cause)


def _owned_by_another(part: str, facts: Sequence[FactValue], evidence: Evidence) -> Iterator[tuple[str, str]]:
    """The one id or commit of a clause, when lines tell of another what this tells of it."""
    ids = [fact for fact in facts if fact.value in part and _kind(fact)]
    if len(ids) != 1:
        return
    own, kind = ids[0], _kind(ids[0])
    names, told = _subject(part.replace(own.value, " "), facts, without=claim_words().on_the_whole)
    told = [word for word in told if not word.isdigit()]
    if len(names) + len(told) < 2:
        return
    key = own.value.lower()[:7] if kind == "hashes" else own.value.lower()
    if max((_share(line, names, told) for line in evidence.lines(key)), default=0.0) > _OWN:
        return
    forms = [form for word in (*names, *told) for form in forms_of(word)]
    lines = (line for form in forms for line in evidence.lines(form) if key not in line)
    if any(_share(line, names, told) >= _OF_ANOTHER and _names_one(line, kind) for line in lines):
        yield own.category, own.value


def _names_one(line: str, kind: str) -> bool:
    """Whether a line in lower case names a thing of a kind."""
    told = line if kind == "hashes" else line.upper()
    return any(_kind(fact) == kind for fact in values(told, errors=False))


_TICKET = re.compile(r"([A-Z]{2,10})-\d+")


def _kind(fact: FactValue) -> str:
    """What an id is one of: a commit, a ticket of one project; "" of anything else."""
    if fact.category == "hashes":
        return "hashes"
    ticket = _TICKET.fullmatch(fact.value) if fact.category == "ids" else None
    return ticket[1] if ticket else ""


def _share(line: str, names: Sequence[str], told: Sequence[str]) -> float:
    held = frozenset(roots(line))
    there = sum(name in line for name in names) + sum(word in held for word in told)
    return there / (len(names) + len(told))
