"""Claims of a summary that no message before the cut supports.

A value is unsupported when it stands in no message, an act when no call that ended well and no sentence of
the conversation bears it out, a rule when no message holds most of its words. What cannot be told either way
is left alone: one wrong flag costs more trust than a missed one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.compress.facts.collect import endings, sentences
from core.compress.facts.lexicon import lexicon
from core.compress.facts.readable import one_line
from core.compress.facts.topic import roots
from core.compress.facts.values import FactValue, day_of, prose_values, values
from core.compress.retention.evidence import ClaimedAct, Evidence, claim_words
from core.model.compaction.preview import Unsupported

_WHERE = 240
_SMALL = 12
"""Numbers up to this are counted by whoever writes a summary."""

_COUNTED = ("line", "lines", "rows", "messages", "files", "char", "chars", "characters")
"""What whoever writes a summary counts, whatever its number."""

_MOST = 40
_RULE_TOLD = 0.55
_FEW, _LEAST_WORDS = 2, 3
_ONE_CLAUSE = 90
_FIGURE = re.compile(r"\d[\d,]*(?:\.\d+)?")
_ROUGH = re.compile(r"(?:~|≈|about|around|roughly|approximately|circa)\s*[$€£¥]?$", re.IGNORECASE)
_PERSON = re.compile(r"(?<=[a-z,:] )[A-Z][a-z]{2,15} [A-Z][a-z]{2,15}\b")
_QUOTED = re.compile(r"\"[^\"\n]{3,300}\"|“[^”\n]{3,300}”")
_ATTRIBUTED = re.compile(
    r"\b(?:the|user|customer|client|he|she|they|plan|task|wants?|wanted|says?|said|asks?|asked|insist\w*|that"
    r"|require\w+|demand\w*|forb\w+|prohibit\w*|must|never|only|not|may|also|any|no|at|most|least|be|is|are)\b",
    re.IGNORECASE,
)
_INSIDE = re.compile(r"\b(?:from|in|of|at|to|into|inside|within)\s[`'\"(]?$", re.IGNORECASE)
"""Before the name of a file that something else was done in."""

_IDENTIFIER = re.compile(r"[\w.-]+")
_LONG_WORD = re.compile(r"\w{3,}")
_LABEL = re.compile(r"^(?:[-*•]\s+|\d+[.)]\s+)?(?:[A-Z][\w ]{2,24}:\s+)?")
_DECIMAL = re.compile(r"(?<![\w.,/-])(?:\d+\.\d+(?:\.\d+)?|\d{1,2}:\d{2}|\d{1,3}(?:,\d{3})+)(?![\w./:-])")
_PART = re.compile(r"[;:,]\s+")
_WITHOUT = re.compile(r"\bwithout\b[^,;.]*", re.IGNORECASE)
_CLAUSE = re.compile(r"[;:,]\s+|\s+(?:and|but|so|then)\s+")
_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)


@dataclass(frozen=True, slots=True)
class Checked:
    """A summary held against the messages.

    Attributes:
        unsupported: Every claim nothing bears out, in the order of the summary, at most `_MOST`.
        vouched: Share of its own names, ids, figures and dates that stand in the messages; 1 without any.
    """

    unsupported: tuple[Unsupported, ...]
    vouched: float


def check(summary: str, evidence: Evidence) -> Checked:
    """Hold the claims of a summary against the messages."""
    known: dict[FactValue, bool] = {}
    found: dict[tuple[str, str], Unsupported] = {}
    for sentence in _sentences(summary):
        facts = tuple(fact for fact in _named(sentence) if "…" not in fact.value)
        for fact in facts:
            if fact not in known:
                known[fact] = _supported(fact, sentence, evidence)
        strange = [(fact.category, fact.value) for fact in facts if not known[fact]]
        claims = (*strange, *_strangers(sentence, evidence), *_told(sentence, facts, evidence))
        for category, value in claims if len(found) < _MOST else ():
            claim = Unsupported(value, category, one_line(sentence, _WHERE))
            found.setdefault((category, value.lower()), claim)
    return Checked(tuple(found.values()), sum(known.values()) / len(known) if known else 1.0)


def _sentences(summary: str) -> Iterator[str]:
    """The sentences of a summary without its headings, wrapped lines joined."""
    lines = (line for line in summary.splitlines() if not line.startswith("#"))
    text = "\n".join(line for line in lines if not lexicon().handoff.match(line))
    yield from sentences(text)


def _named(text: str) -> Iterator[FactValue]:
    yield from dict.fromkeys((*values(text, errors=False), *prose_values(text)))


def _strangers(sentence: str, evidence: Evidence) -> Iterator[tuple[str, str]]:
    """Versions, times, large figures and people nobody speaks of."""
    for match in _DECIMAL.finditer(sentence):
        figure, behind = match.group(), sentence[match.end() :].split(maxsplit=1)[:1]
        if behind and behind[0].rstrip(".,;)") in _COUNTED:
            continue
        if not (evidence.mentions(figure) or evidence.mentions(figure.replace(",", ""))):
            yield "numbers", figure
    for person in () if sentence.endswith((":", "：")) else _PERSON.findall(_QUOTED.sub(" ", sentence)):
        if not any(evidence.mentions(word) for word in person.split()):
            yield "names", person


def _supported(fact: FactValue, sentence: str, evidence: Evidence) -> bool:
    value = fact.value
    if evidence.found(value):
        return True
    match fact.category:
        case "paths":
            return _path(value, evidence)
        case "numbers":
            return _number(value, sentence, evidence)
        case "dates":
            return _date(value, evidence)
        case "urls":
            address = value.partition("?")[0].rstrip("/")
            return evidence.holds(address.partition("://")[2] or address)
        case "hashes":
            return evidence.holds(value.removeprefix("sha256:")[:7])
        case "names":
            return _name(value, evidence)
        case _:
            return evidence.holds(value) or (value[:1] == "#" and evidence.mentions(value[1:]))


def _path(path: str, evidence: Evidence) -> bool:
    """A file is known by its name, below folders that are known."""
    parts = endings(path)
    if not parts or evidence.holds(path):
        return True
    if not evidence.mentions(parts[-1]):
        return False
    return all(evidence.mentions(folder) for folder in parts[0].split("/")[:-1])


def _number(value: str, sentence: str, evidence: Evidence) -> bool:
    match = _FIGURE.search(value)
    if match is None:
        return True
    figure = match.group().rstrip(",").replace(",", "")
    money, unit = value[:1] in "$€£¥", value[match.end() :].strip()
    counted = sentence[sentence.find(value) + len(value) :].split(maxsplit=1)[:1]
    if unit in _COUNTED or (counted and counted[0].rstrip(".,;)") in _COUNTED):
        return True
    counted_by_hand = not money and unit not in lexicon().dull_units
    if counted_by_hand and figure.isdigit() and int(figure) <= _SMALL:
        return True
    at = sentence.find(value)
    if _ROUGH.search(sentence[max(0, at - 16) : at]):
        return True
    whole = figure.partition(".")[0]
    grouped = f"{int(whole):,}{figure[len(whole) :]}"
    if unit and not money:
        return any(evidence.measures(form, unit) for form in dict.fromkeys((figure, grouped)))
    forms = (figure, grouped, *((f"{figure}.0", figure.removesuffix(".00")) if money else ()))
    return any(map(evidence.mentions, dict.fromkeys(forms)))


def _date(value: str, evidence: Evidence) -> bool:
    day = day_of(value)
    if day is None:
        return True
    month, number = day
    full = _MONTHS[month - 1]
    figures = (f"-{month:02}-{number:02}", f"/{month:02}/{number:02}", f"{month}/{number}/")
    spoken = [form for name in (full, full[:3]) for form in (f"{name} {number}", f"{number} {name}")]
    return any(map(evidence.holds, figures)) or any(map(evidence.mentions, spoken))


def _name(value: str, evidence: Evidence) -> bool:
    """A name of code as it stands or by its last part; words in quotes are told loosely."""
    if evidence.holds(value):
        return True
    if not _IDENTIFIER.fullmatch(value) or value.isupper():
        return value.isupper() or all(map(evidence.holds, _LONG_WORD.findall(value)))
    last = value.rpartition(".")[2]
    return len(last) > _LEAST_WORDS and last != value and evidence.holds(last)


def _told(sentence: str, facts: Sequence[FactValue], evidence: Evidence) -> Iterator[tuple[str, str]]:
    """The acts and rules a sentence tells that nothing bears out; one copied word for word is borne out."""
    if sentence.endswith((":", "：")) or lexicon().error.search(sentence):
        return
    plain = _QUOTED.sub(" ", sentence)
    clauses = (clause for clause in _clauses(plain) if not _is_done(clause, facts, evidence))
    doubtful = [("done", clause) for clause in clauses]
    if claim_words().rule.search(_spoken(plain, facts)) and not _is_said(plain, evidence):
        doubtful.append(("constraints", sentence))
    if doubtful and not evidence.holds(_LABEL.sub("", " ".join(sentence.split())).rstrip(".")):
        yield from ((category, one_line(claim, _WHERE)) for category, claim in doubtful)


def _spoken(clause: str, facts: Sequence[FactValue]) -> str:
    """A clause without the names in it: `committed.go` commits nothing."""
    for fact in facts:
        if fact.category not in ("numbers", "dates"):
            clause = clause.replace(fact.value, " ")
    return clause


def _is_done(clause: str, facts: Sequence[FactValue], evidence: Evidence) -> bool:
    """Whether a clause claims nothing to have happened that did not."""
    words, plain = claim_words(), _WITHOUT.sub(" ", _spoken(clause, facts))
    claimed = [act for act in words.acts.values() if act.says.search(plain)]
    checked = words.checks.search(plain) is not None
    if not (claimed or checked) or words.unreal.search(plain):
        return True
    if checked and not _passed(clause, evidence):
        return False
    return all(_happened(act, clause, facts, evidence) for act in claimed)


def _happened(act: ClaimedAct, clause: str, facts: Sequence[FactValue], evidence: Evidence) -> bool:
    """Whether an act happened to what the clause names; what is done to the whole, to its own part of it."""
    parts = _PART.split(clause) if act.whole else [clause]
    part = next((part for part in parts if act.says.search(part)), clause)
    things, is_file = _things(part, facts, evidence)
    return evidence.happened(act.file if is_file else act.did, things, by_call=is_file)


def _passed(clause: str, evidence: Evidence) -> bool:
    """Whether a check the clause says to have passed did."""
    words = claim_words()
    kind = next((kind.ran for kind in words.kinds if kind.says.search(clause)), None)
    return evidence.passed(kind, at_last=words.thorough.search(clause) is not None)


def _clauses(sentence: str) -> list[str]:
    """A long sentence by its clauses; a short one whole, so that what it lists stays with its verb."""
    return [sentence] if len(sentence) <= _ONE_CLAUSE else [part for part in _CLAUSE.split(sentence) if part]


def _things(clause: str, facts: Sequence[FactValue], evidence: Evidence) -> tuple[list[str], bool]:
    """What a clause speaks of by name, as it would stand in a call, in lower case; whether one is a file."""
    said = (fact for fact in facts if fact.value in clause)
    names = [fact for fact in said if fact.category in ("ids", "paths", "names", "hashes")]
    things = []
    for fact in names:
        parts = endings(fact.value) if fact.category == "paths" else [fact.value]
        things += (
            [(parts[0] if evidence.found(fact.value) or evidence.holds(parts[0]) else parts[-1]).lower()]
            if parts
            else []
        )
    files = [fact.value for fact in names if fact.category == "paths"]
    return things, any(not _INSIDE.search(clause[: clause.find(path)]) for path in files)


def _is_said(sentence: str, evidence: Evidence) -> bool:
    """Whether a sentence of the messages lays down what this one says they do."""
    said = roots(_ATTRIBUTED.sub(" ", sentence))
    by_people = claim_words().by_people.search(sentence) is not None
    return len(said) < _FEW or evidence.lays_down(said, people_only=by_people) >= _RULE_TOLD
