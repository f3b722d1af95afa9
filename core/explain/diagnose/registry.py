"""The table of rules, and how what a rule found becomes a finding."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import Any

from core.errors import DatabaseError
from core.model.finding import Evidence, Finding, NotKnown, Severity, Verdict
from core.redact.quick_check import masked
from core.store.database.connect import Interrupted
from core.support.program_files import load_table

_MAX_EVIDENCE = 12
NOTHING, EVIDENCE = "nothing", "evidence"


@dataclass(frozen=True, slots=True)
class Found:
    """What a rule found: the values for its sentence, and the evidence.

    Attributes:
        severity: Overrides the rule's own, where the values make the finding worse or harmless.
        times: How often it was found; the values are those of the newest time.
    """

    numbers: Mapping[str, Any] = field(default_factory=dict)
    evidence: tuple[Evidence, ...] = ()
    verdict: Verdict = Verdict.PROVED
    severity: Severity | None = None
    session: str | None = None
    times: int = 1


class Missing(Exception):  # noqa: N818 - raised by a rule to say what it lacks, not an error
    """Raised by a rule that lacks the evidence it needs."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One entry of findings.yaml.

    Attributes:
        id: As users know it; `F10` also for `F10-invisible`, a variant of the same rule.
        limits: What its function compares with, passed to it by these names.
        each: Every case is a finding of its own; otherwise repeated cases become one.
        asks: What it examines, as a question within a sentence; "" for a rule that never lacks data.
        quotes: Which parts quote messages: the name of a value (evidence included), `EVIDENCE` alone, or
            `NOTHING`; "" when unknown.
    """

    id: str
    name: str
    severity: Severity
    says: str
    helps: str = ""
    limits: Mapping[str, Any] = field(default_factory=dict)
    each: bool = False
    asks: str = ""
    quotes: str = ""

    def lacking(self, why: str) -> NotKnown:
        """That it cannot be checked for lack of something."""
        return NotKnown(self.id, self.name, why, self.asks)

    def finding(self, found: Found, session: str | None, addressed: Callable[[str], str] = str) -> Finding:
        """The finding in words, with credentials masked in what it quotes.

        `addressed` lets the command lines that it advises ask the right database.
        """
        numbers = {key: masked(one) if isinstance(one, str) else one for key, one in found.numbers.items()}
        repeated = f" ({found.times} times; this is the newest)" if found.times > 1 else ""
        return Finding(
            rule=self.id,
            name=self.name,
            severity=found.severity or self.severity,
            sentence=self.says.format(**numbers) + repeated,
            verdict=found.verdict,
            session=found.session or session,
            numbers=numbers | ({"times": found.times} if repeated else {}),
            evidence=tuple(replace(one, text=masked(one.text)) for one in found.evidence),
            remedy=addressed(self.helps.format(**numbers)),
        )


@dataclass(frozen=True, slots=True)
class Examination:
    """What was found, and what could not be checked.

    Attributes:
        findings: Worst first.
        unknown: Rules that lack their evidence, each with what is missing.
    """

    findings: tuple[Finding, ...]
    unknown: tuple[NotKnown, ...] = ()


Check = Callable[..., Iterable[Found]]
CONVERSATION_RULES: dict[str, Check] = {}
STORE_RULES: dict[str, Check] = {}
SPENDING_RULES: dict[str, Check] = {}
STORE_SPENDING_RULES: dict[str, Check] = {}


def _register(table: dict[str, Check], rule: str) -> Callable[[Check], Check]:
    def add(check: Check) -> Check:
        table[rule] = check
        return check

    return add


conversation_rule = partial(_register, CONVERSATION_RULES)
"""Registers a rule about one conversation."""
spending_rule = partial(_register, SPENDING_RULES)
"""Registers a rule about the tokens and the money of one conversation."""
store_spending_rule = partial(_register, STORE_SPENDING_RULES)
"""Registers a rule about the tokens and the money of a whole database."""


def store_rule(rule: str) -> Callable[[Check], Check]:
    """Register a rule about a whole database; if its table is damaged, the rule reports `Missing`."""
    register = _register(STORE_RULES, rule)
    return lambda check: register(partial(_readable, check))


def _readable(check: Check, subject: object, **limits: Any) -> Iterator[Found]:
    try:
        yield from check(subject, **limits)
    except Interrupted:
        raise
    except DatabaseError as error:
        raise Missing(f"its rows cannot be read: {error.what}") from error


@cache
def rules() -> Mapping[str, Rule]:
    """Every rule, by id, in the order of findings.yaml."""
    table: Mapping[str, Any] = load_table("core/explain/diagnose/findings.yaml")
    return {
        key: Rule(**{**entry, "id": key.partition("-")[0], "severity": Severity(entry["severity"])})
        for key, entry in table.items()
    }


@cache
def rule_places() -> Mapping[str, int]:
    """The position of each rule in findings.yaml, by name; it orders findings that are equally bad."""
    return {name: place for place, name in enumerate(dict.fromkeys(rule.name for rule in rules().values()))}


def quoted(rule: str, name: str) -> str:
    """Which parts of a finding quote messages, according to its entry; see `Rule.quotes`."""
    forms = {one.quotes for one in rules().values() if (one.id, one.name) == (rule, name)}
    return forms.pop() if len(forms) == 1 else ""


def apply(
    checks: Mapping[str, Check],
    subject: object,
    session: str | None,
    *,
    addressed: Callable[[str], str] = str,
) -> Examination:
    """Run rules on a subject; the worst findings come first.

    `addressed` lets the command lines that they advise ask the right database.
    """
    findings: list[Finding] = []
    unknown: list[NotKnown] = []
    for key, rule in rules().items():
        check = checks.get(key)
        if check is None:
            continue
        try:
            cases = check(subject, **rule.limits)
            findings += [
                rule.finding(found, session, addressed) for found in (cases if rule.each else _joined(cases))
            ]
        except Missing as missing:
            unknown.append(rule.lacking(str(missing)))
    return Examination(tuple(sorted(findings, key=lambda one: one.severity.rank)), tuple(unknown))


def _joined(found: Iterable[Found]) -> Iterator[Found]:
    """Join repeated findings of a rule: the values of the newest, with the evidence of all."""
    groups: dict[object, list[Found]] = {}
    for one in found:
        groups.setdefault((one.severity, one.numbers.get("what")), []).append(one)
    for group in groups.values():
        evidence = dict.fromkeys(item for one in reversed(group) for item in one.evidence)
        yield replace(group[-1], evidence=tuple(evidence)[:_MAX_EVIDENCE], times=len(group))
