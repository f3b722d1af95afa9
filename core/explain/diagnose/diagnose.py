"""Everything that can be diagnosed: why and how it was compressed, what it cost, what the cache did."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain

from core.account.pricing.price_book import PriceBook, open_book
from core.explain.context.context import ConversationContext, open_context
from core.explain.diagnose.case import Account, Case
from core.explain.diagnose.registry import (
    CONVERSATION_RULES,
    SPENDING_RULES,
    STORE_RULES,
    STORE_SPENDING_RULES,
    apply,
    rules,
)
from core.explain.diagnose.rules.compression import partition, summary, thrash, trigger  # noqa: F401
from core.explain.diagnose.rules.money import spending, usage  # noqa: F401
from core.explain.diagnose.rules.money.database_spending import StoreAccount
from core.explain.diagnose.rules.storage import structure, transcript  # noqa: F401
from core.explain.diagnose.rules.storage.database import StoreCase
from core.explain.events import events_of
from core.explain.prompt_cache import cache_of
from core.hermes.config.config import HermesConfig
from core.hermes.log.read import Log
from core.model.accounting.prompt_cache import CacheReport
from core.model.compaction.event import CompressionEvent
from core.model.finding import Finding, NotKnown
from core.store.store import Store


@dataclass(frozen=True, slots=True)
class Examination:
    """What was found and what could not be answered.

    Attributes:
        findings: Worst first.
        unknown: Rules that lack their evidence, each with what is missing.
    """

    findings: tuple[Finding, ...]
    unknown: tuple[NotKnown, ...] = ()


def examine(
    store: Store,
    session_id: str,
    *,
    release: str | None = None,
    now: datetime | None = None,
    config: HermesConfig | None = None,
    log: Log | None = None,
) -> Examination:
    """Apply every rule about conversations to one.

    Args:
        store: The database.
        session_id: Any session of the conversation.
        release: Rules of Hermes to apply instead of the detected release's.
        now: The moment asked about; this one by default.
        config: The home's configuration, where it has been read already.
        log: The lines about the conversation, likewise.

    Raises:
        NotFoundError: There is no such session.
        ConfigError: config.yaml cannot be used, or the release is unknown.
    """
    store.learn(session_id)  # what is quoted as evidence is cut short, so it is masked before that
    context = open_context(store, session_id, release=release, config=config, log=log)
    return examine_case(Case(context, events_of(context), now or datetime.now(UTC)))


def examine_case(case: Case) -> Examination:
    """Apply every rule about conversations to one that has been read."""
    found, unknown = apply(CONVERSATION_RULES, case, case.conversation.root.id)
    return Examination(tuple(found), tuple(unknown))


def examine_store(store: Store, *, integrity: bool = False, now: datetime | None = None) -> Examination:
    """Apply every rule about a database; `integrity` also runs SQLite's own check, which reads it all."""
    case = StoreCase(store, now or datetime.now(UTC), integrity)
    found, unknown = apply(STORE_RULES, case, None)
    return Examination(tuple(found), tuple(unknown))


_BY_CALL = "it is checked for one conversation at a time: findings SESSION"


def diagnose(store: Store, session_id: str) -> Examination:
    """Apply every rule about a conversation.

    Args:
        store: The database.
        session_id: Any session of the conversation.

    Raises:
        NotFoundError: There is no such session.
        ConfigError: config.yaml or the price overrides cannot be used.
    """
    context = open_context(store, session_id)
    return diagnose_read(context, events_of(context), cache_of(context, results=False, markers=False))


def diagnose_read(
    context: ConversationContext, events: tuple[CompressionEvent, ...], cache: CacheReport
) -> Examination:
    """The same of a conversation that has been read already, with its compactions and its cache."""
    found = examine_case(Case(context, events, datetime.now(UTC)))
    account = Account(context, cache, open_book())
    return Examination(worst_first(chain(found.findings, spending_findings(account))), found.unknown)


def spending_findings(account: Account) -> tuple[Finding, ...]:
    """What the tokens and the money of one conversation tell, worst first."""
    return tuple(apply(SPENDING_RULES, account, account.session)[0])


def diagnose_store(store: Store, *, integrity: bool = False) -> Examination:
    """Apply every rule about a database as a whole; `integrity` also runs SQLite's own check."""
    found = examine_store(store, integrity=integrity)
    money, unknown = store_spending(store, open_book())
    told = {rules()[rule].id for rule in STORE_SPENDING_RULES}
    alone = [rule for key, rule in rules().items() if key in SPENDING_RULES and rule.id not in told]
    asked = (NotKnown(rule.id, rule.name, _BY_CALL) for rule in alone)
    return Examination(worst_first(chain(found.findings, money)), (*found.unknown, *unknown, *asked))


def store_spending(
    store: Store, book: PriceBook | None = None
) -> tuple[tuple[Finding, ...], tuple[NotKnown, ...]]:
    """What the tokens and the money of a whole database tell, worst first, and what could not be told."""
    found, unknown = apply(STORE_SPENDING_RULES, StoreAccount(store, book), None)
    return tuple(found), tuple(unknown)


def worst_first(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Findings, each once, by severity, then by rule in the order of findings.yaml, the newest session first.

    Two conversations that fork from one session both find what is wrong with it; and which conversation is
    examined first hangs on what is remembered of the last time.
    """
    order: dict[str, int] = {}
    for rule in rules().values():
        order.setdefault(rule.id, len(order))
    once = {one.identity: one for one in findings}
    newest = sorted(once.values(), key=lambda one: one.session or "", reverse=True)
    return tuple(sorted(newest, key=lambda one: (one.severity.rank, order.get(one.rule, len(order)))))
