"""Applying the rules to a conversation, or to a whole database."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from core.explain.diagnose.case import Case, case_of
from core.explain.diagnose.registry import CONVERSATION_RULES, STORE_RULES, apply

# Importing a module of rules enters them into the table.
from core.explain.diagnose.rules.compression import partition, summary, thrash, trigger  # noqa: F401
from core.explain.diagnose.rules.money import threshold_cost  # noqa: F401
from core.explain.diagnose.rules.storage import secrets, structure, transcript  # noqa: F401
from core.explain.diagnose.rules.storage.database import StoreCase
from core.explain.events import explained
from core.hermes.config.config import HermesConfig
from core.hermes.log.read import Log
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


def findings(store: Store, session_id: str, *, now: datetime | None = None) -> tuple[Finding, ...]:
    """The diagnoses of one conversation, worst first; see `examine` for what could not be answered."""
    return examine(store, session_id, now=now).findings


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
    context, explanation = explained(store, session_id, release=release, config=config, log=log)
    return examine_case(case_of(context, explanation, now))


def examine_case(case: Case) -> Examination:
    """Apply every rule about conversations to one that has been read."""
    found, unknown = apply(CONVERSATION_RULES, case, case.conversation.root.id)
    return Examination(tuple(found), tuple(unknown))


def examine_store(store: Store, *, integrity: bool = False, now: datetime | None = None) -> Examination:
    """Apply every rule about a database; `integrity` also runs SQLite's own check, which reads it all."""
    case = StoreCase(store, now or datetime.now(UTC), integrity)
    found, unknown = apply(STORE_RULES, case, None)
    return Examination(tuple(found), tuple(unknown))
