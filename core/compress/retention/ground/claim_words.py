"""The words that identify claims of a summary, and what supports these."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields
from functools import cache
from importlib.resources import files
from typing import Any

from core.compress.facts.topic import roots
from core.support.program_files import load_table

_CHINESE = re.compile("[\u4e00-\u9fff]")
_NO_NAME = r"(?-i:(?!(?<=[a-z,] )[A-Z][a-z]))"
"""Not capitalised within a sentence, where it is the name of a state: `Complete or Shipped`."""

_NO_ATTRIBUTE = (
    r"(?!(?:(?<=\ba )|(?<=\ban )|(?<=\bthe )|(?<=\bits )|(?<=\btheir ))(?:\w+ed|paid)\b)"
    r"(?<!freshly )(?<!newly )(?<!remain )(?<!remains )"
)
"""An act must not match this: `a modified file` reports no modification, `the paid plan` no payment."""


@dataclass(frozen=True, slots=True)
class ClaimedAct:
    """One thing that a summary can claim to have happened.

    Attributes:
        pattern: Matches the claim.
        did: Matches what supports it, in lower-case text.
        file: The same for a file.
        whole: It is done to the work as a whole, whatever else the claim names.
        outside: Nobody does it by writing a file.
        into_file: Something is put in a file, which one call must name with it.
        tried: A call that failed did it too: what was run and broke off was run.
        proof: Matches what shows in a result, in lower-case text, that it was done whatever failed after it.
    """

    pattern: re.Pattern[str]
    did: str
    file: str
    whole: bool
    outside: bool
    into_file: bool
    tried: bool
    proof: str


@dataclass(frozen=True, slots=True)
class CheckKind:
    """A kind of check.

    Attributes:
        pattern: Matches its name in a summary.
        ran: Matches commands that may run it, possibly with other checks.
    """

    pattern: re.Pattern[str]
    ran: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class Attribution:
    """How a summary, in one language, says what somebody wanted.

    Attributes:
        wants: Matches it, with the `name` of the person, or with what `joins` it to an earlier wish; with
            the wish itself as `what` where that comes before the verb.
        speaker: Matches who is meant: `people`, or others.
    """

    wants: re.Pattern[str]
    speaker: re.Pattern[str]


_ANY = "any"
"""The key of patterns that hold in every language."""


@dataclass(frozen=True, slots=True, eq=False)
class Phrases:
    """Patterns by language, so that a word of one language is not taken for one of another.

    Attributes:
        patterns: One pattern for each language; that of `any` holds in all of them.
    """

    patterns: Mapping[str, str]

    def of(self, languages: Collection[str]) -> re.Pattern[str]:
        """What matches in some languages; in any, where they are not known ("")."""
        return _joined(self, frozenset(languages) - {""})


@cache
def _joined(phrases: Phrases, languages: frozenset[str]) -> re.Pattern[str]:
    told = (one for key, one in phrases.patterns.items() if not languages or key in languages | {_ANY})
    return _one("|".join(dict.fromkeys(told)) or r"(?!)")


@dataclass(frozen=True, slots=True)
class ClaimWords:
    """The compiled `claims.yaml`."""

    acts: Mapping[str, ClaimedAct]
    act: re.Pattern[str]
    checks: re.Pattern[str]
    ran: re.Pattern[str]
    told: re.Pattern[str]
    unreal: Phrases
    unused: re.Pattern[str]
    proposed: re.Pattern[str]
    pairs: tuple[re.Pattern[str], ...]
    completed: Phrases
    attributed: Mapping[str, Attribution]
    speech: Mapping[str, frozenset[str]]
    scripts: Mapping[str, re.Pattern[str]]
    rule: Phrases
    forbids: Phrases
    denied: Phrases
    denies: re.Pattern[str]
    rules_heading: re.Pattern[str]
    states_rule: re.Pattern[str]
    kinds: tuple[CheckKind, ...]
    tool: re.Pattern[str]
    qualified: re.Pattern[str]
    same_check: Mapping[str, str]
    only_compiles: str
    thorough: re.Pattern[str]
    went_well: re.Pattern[str]
    everything: re.Pattern[str]
    limit: re.Pattern[str]
    clause: re.Pattern[str]
    greets: re.Pattern[str]
    refused: re.Pattern[str]
    sums: re.Pattern[str]
    apart: re.Pattern[str]
    rough: re.Pattern[str]
    rough_behind: re.Pattern[str]
    classifiers: frozenset[str]
    counted: Mapping[str, tuple[str, ...]]
    units: Mapping[str, tuple[str, ...]]
    airports: Mapping[str, list[str]]


def kind_of_check(text: str) -> CheckKind | None:
    """The check a text names: tools and integration tests by that word, others by what runs them."""
    words = claim_words()
    tool = words.tool.search(text)
    if tool:
        ran = _one(rf"\b{re.escape(tool.group())}")
        return CheckKind(ran, ran)
    named = words.qualified.search(text)
    if named:
        kind = words.same_check.get(named["kind"].lower(), named["kind"].lower())
        ran = re.compile(rf"^(?!.*{words.only_compiles}).*(?:{kind})", re.DOTALL)
        return CheckKind(_one(kind), ran)
    return next((kind for kind in words.kinds if kind.pattern.search(text)), None)


@cache
def claim_words() -> ClaimWords:
    """The table, compiled: each entry is one pattern, several, or some for each language."""
    table: dict[str, Any] = load_table("core/compress/retention/ground/claims.yaml")
    checks, endings = table["checks"], table["endings"]
    supported = {one: table["supported"].get(one, "<>") for one in endings}
    made: dict[str, Any] = {
        "acts": {name: _act(entry, endings, supported) for name, entry in table["acts"].items()},
        "act": _any_act(table["acts"].values(), endings),
        "checks": _one(checks["says"]),
        "ran": _one(checks["ran"]),
        "told": _one(checks["told"]),
        "kinds": tuple(CheckKind(*(_one(kind[key]) for key in ("says", "ran"))) for kind in table["kinds"]),
        **{name: table[name] for name in ("same_check", "only_compiles", "airports")},
        "classifiers": frozenset(table["classifiers"]),
        "attributed": {language: _attribution(**words) for language, words in table["attributed"].items()},
        "speech": {language: frozenset(words.split()) for language, words in table["speech"].items()},
        "scripts": {language: re.compile(script) for language, script in table["scripts"].items()},
        **{name: _alike(table[name]) for name in ("counted", "units")},
    }
    rest = {field.name: str(field.type) for field in fields(ClaimWords) if field.name not in made}
    return ClaimWords(**made, **{name: _as(kind, table[name]) for name, kind in rest.items()})


def _alike(words: list[list[str]]) -> Mapping[str, tuple[str, ...]]:
    """Each word with all its synonyms."""
    return {form: tuple(forms) for forms in words for form in forms}


def _as(kind: str, entry: str | list[str] | Mapping[str, list[str]]) -> Any:
    if isinstance(entry, Mapping):
        return Phrases({language: _either(patterns) for language, patterns in entry.items()})
    if isinstance(entry, str):
        return _one(entry)
    return tuple(map(_one, entry)) if kind.startswith("tuple") else _one(_either(entry))


def _act(entry: Mapping[str, Any], endings: Mapping[str, str], supported: Mapping[str, str]) -> ClaimedAct:
    whole, outside, into_file, tried = (
        bool(entry.get(key)) for key in ("whole", "outside", "into_file", "tried")
    )
    words = (supported[one].replace("<>", entry[one]) for one in endings if one in entry)
    did = _in_both_forms("|".join((entry["did"], *words)))
    says, file = _any_act([entry], endings), entry.get("file", did)
    return ClaimedAct(says, did, file, whole, outside, into_file, tried, entry.get("proof", ""))


def _any_act(entries: Collection[Mapping[str, Any]], endings: Mapping[str, str]) -> re.Pattern[str]:
    """Matches what says that one of some acts was done; the quick test of a word's beginning comes first."""
    said = rf"\b{_NO_ATTRIBUTE}{_NO_NAME}(?:{'|'.join(entry['says'] for entry in entries)})\b"
    words = {one: "|".join(entry[one] for entry in entries if one in entry) for one in endings}
    return _one(
        "|".join((said, *(endings[one].replace("<>", nouns) for one, nouns in words.items() if nouns)))
    )


def _attribution(people: str, others: str, joins: str, wants: str) -> Attribution:
    adverbs = r"(?: (?!(?:not|may|might|would|could|can|if)\b)\w+){0,2}? ?"
    who = rf"(?<![a-z]){people}{adverbs}|(?-i:\b(?P<name>[A-Z][a-z]+) )(?:then |also )?"
    return Attribution(
        _one(rf"(?:{who}|(?P<joins>{joins})){wants}"),
        _one(rf"(?<![a-z])(?:(?P<people>{people})|{others})(?![a-z])"),
    )


def _one(pattern: str) -> re.Pattern[str]:
    return re.compile(_in_both_forms(pattern), re.IGNORECASE)


def _either(patterns: Collection[str]) -> str:
    return "|".join(f"(?:{pattern})" for pattern in patterns)


def _in_both_forms(pattern: str) -> str:
    """A pattern whose Chinese characters match their traditional forms too."""
    if not _CHINESE.search(pattern):
        return pattern
    made, inside = "", False
    for letter in pattern:
        inside = letter == "[" or (inside and letter != "]")
        both = letter + _traditional().get(letter, "")
        made += both if inside or len(both) == 1 else f"[{both}]"
    return made


@cache
def _traditional() -> Mapping[str, str]:
    pairs: str = load_table("core/compress/retention/ground/claims.yaml")["traditional"]
    return dict(zip(pairs[::2], pairs[1::2], strict=True))


@cache
def reporting() -> frozenset[str]:
    """The roots of words that belong to reporting itself, whatever is reported."""
    text = files("core.compress.retention.ground").joinpath("reporting.txt").read_text(encoding="utf-8")
    return frozenset(roots(text))
