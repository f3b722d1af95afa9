"""Runs the rules: why and how a conversation was compressed, what it cost, what the cache did."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from itertools import chain

from core.account.pricing.price import is_local_only
from core.explain.context.context import open_context
from core.explain.diagnose.case import Case, StoreCase
from core.explain.diagnose.registry import (
    CONVERSATION_RULES,
    SPENDING_RULES,
    STORE_RULES,
    STORE_SPENDING_RULES,
    Check,
    Examination,
    apply,
    rule_places,
    rules,
)
from core.explain.diagnose.rules.compression import partition, summary, thrash, trigger  # noqa: F401
from core.explain.diagnose.rules.money import database_spending, spending, usage  # noqa: F401
from core.explain.diagnose.rules.storage import database, structure, transcript  # noqa: F401
from core.explain.events import events_of
from core.hermes.config.config import HermesConfig
from core.hermes.log.read import Log
from core.model.finding import Finding
from core.store.store import Store

_BY_CALL = "that needs one conversation: findings SESSION"


def examine(
    store: Store,
    session_id: str,
    *,
    now: datetime | None = None,
    config: HermesConfig | None = None,
    log: Log | None = None,
) -> Examination:
    """Apply every rule about conversations to one, with what the caller has read of it already.

    Raises:
        NotFoundError: There is no such session.
        ConfigError: config.yaml cannot be used.
    """
    store.learn(session_id)  # evidence is cut short, so its credentials must be known before that
    context = open_context(store, session_id, config=config, log=log)
    return examine_case(Case(context, events_of(context), now or datetime.now(UTC)))


def examine_case(case: Case) -> Examination:
    """Apply every rule about conversations to one already read."""
    return _examined(CONVERSATION_RULES, case, case.conversation.root.id)


def examine_store(case: StoreCase) -> Examination:
    """Apply every rule about a database, except those about its tokens and its money."""
    return _examined(STORE_RULES, case)


def _examined(checks: Mapping[str, Check], case: Case | StoreCase, session: str | None = None) -> Examination:
    """Apply rules; what they advise is written for the database that was read."""
    return apply(checks, case, session, addressed=case.store.location.addressed)


def diagnose(store: Store, session_id: str) -> Examination:
    """Apply every rule about a conversation.

    Raises:
        NotFoundError: There is no such session.
        ConfigError: config.yaml or the price overrides cannot be used.
    """
    context = open_context(store, session_id)
    return diagnose_case(Case(context, events_of(context), datetime.now(UTC)))


def diagnose_case(case: Case) -> Examination:
    """The same for a conversation already read."""
    found = examine_case(case)
    return Examination(worst_first(chain(found.findings, spending_findings(case))), found.unknown)


def spending_findings(case: Case) -> tuple[Finding, ...]:
    """What the tokens and the money of one conversation show, worst first."""
    found = _examined(SPENDING_RULES, case, case.conversation.root.id).findings
    return _unbilled(found) if is_local_only(case.conversation.sessions) else found


def _unbilled(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    return tuple(replace(one, billed=False) for one in findings)


def diagnose_store(store: Store, *, integrity: bool = False) -> Examination:
    """Apply every rule about a database as a whole; `integrity` also runs SQLite's own check."""
    case = StoreCase(store, datetime.now(UTC), integrity)
    found, money = examine_store(case), _examined(STORE_SPENDING_RULES, case)
    rule_ids = {rules()[rule].id for rule in STORE_SPENDING_RULES}
    alone = [rule for key, rule in rules().items() if key in SPENDING_RULES and rule.id not in rule_ids]
    asked = (rule.lacking(_BY_CALL) for rule in alone)
    local = case.ledger.totals.status == "local"
    every = chain(found.findings, _unbilled(money.findings) if local else money.findings)
    findings = worst_first(replace(one, database=str(store.location.db)) for one in every)
    return Examination(findings, (*found.unknown, *money.unknown, *asked))


def worst_first(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Findings without duplicates, by severity, then in the order of findings.yaml, the newest session first.

    Two conversations that fork from one session both report what is wrong with it, and the order in which
    conversations are examined depends on what is remembered from the last time.
    """
    places = rule_places()
    once = {finding.identity: finding for finding in findings}
    newest = sorted(once.values(), key=lambda one: one.session or "", reverse=True)
    return tuple(sorted(newest, key=lambda one: (one.severity.rank, places.get(one.name, len(places)))))
