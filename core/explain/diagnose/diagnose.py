"""Everything that can be diagnosed: why and how it was compressed, what it cost, what the cache did."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

from core.account.diagnosis import one_at_a_time
from core.account.pricing.price_book import open_book
from core.explain.diagnose.examine import Examination, examine, examine_store
from core.explain.diagnose.rules.money.database_spending import store_findings
from core.explain.diagnose.rules.money.spending import account_findings
from core.explain.prompt_cache import conversation_cache
from core.model.finding import Finding, NotKnown
from core.store.store import Store

_BY_CALL = "it takes every call and answer of a conversation, and is told of one at a time"


def diagnose(store: Store, session_id: str) -> Examination:
    """Apply every rule about a conversation.

    Args:
        store: The database.
        session_id: Any session of the conversation.

    Raises:
        NotFoundError: There is no such session.
        ConfigError: config.yaml or the price overrides cannot be used.
    """
    found = examine(store, session_id)
    money = account_findings(store, session_id, conversation_cache(store, session_id), prices=open_book())
    return Examination(worst_first(chain(found.findings, money)), found.unknown)


def diagnose_store(store: Store, *, integrity: bool = False) -> Examination:
    """Apply every rule about a database as a whole; `integrity` also runs SQLite's own check."""
    found = examine_store(store, integrity=integrity)
    money = store_findings(store, prices=open_book())
    asked = (NotKnown(rule, name, _BY_CALL) for rule, name in one_at_a_time().items())
    return Examination(worst_first(chain(found.findings, money)), (*found.unknown, *asked))


def worst_first(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Findings by severity, each once; those equally bad keep their order.

    Two conversations that fork from one session both find what is wrong with it.
    """
    once = {(one.rule, one.session, one.sentence): one for one in findings}
    return tuple(sorted(once.values(), key=lambda one: one.severity.rank))
