"""Rules about the spending of a whole database."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from decimal import Decimal
from itertools import pairwise

from core.account.spending.conversations import read_threads
from core.account.spending.ledger import collect
from core.account.spending.recorded import Spending, Window
from core.compress.messages.kinds import FAILED_TURN
from core.explain.diagnose.case import StoreCase
from core.explain.diagnose.registry import Found, store_spending_rule
from core.explain.diagnose.rules.money.spending import summary_spend
from core.model.finding import Evidence, Source
from core.model.transcript.session import Kind, ListQuery, Session
from core.recordings.sent_lists import parting
from core.support.formatting import plural

_BILLED = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")


@store_spending_rule("F2")
def no_usage(case: StoreCase) -> Iterable[Found]:
    """Sessions with answers but no tokens; not those with a parent, whose tokens may be copies."""
    billed = [name for name in _BILLED if name in case.store.schema.columns.get("sessions", frozenset())]
    spent = " + ".join(f"coalesce({name}, 0)" for name in billed)
    answered = "SELECT 1 FROM messages m WHERE m.session_id = s.id AND m.role = 'assistant'"
    if case.store.schema.has("messages", "display_kind"):
        answered += f" AND m.display_kind IS NOT '{FAILED_TURN}'"
    query = (
        f"SELECT count(*) FROM sessions s WHERE {spent} = 0 AND parent_session_id IS NULL "  # noqa: S608 - own names
        f"AND EXISTS ({answered})"
    )
    ((count,),) = case.store.query(query)
    if count:
        where = Evidence(Source.DATABASE, "sessions", "answers, no tokens")
        yield Found({"sessions": plural(count, "session")}, (where,))


@store_spending_rule("F16")
def unattended(case: StoreCase, min_share: float, sources: Sequence[str]) -> Iterable[Found]:
    """Jobs that nobody watched spent a large share."""
    rows = collect([case.store], by="source").ledger().rows
    alone = [row for row in rows if row.key in sources and row.recorded.usd]
    total = sum((row.recorded.usd for row in rows if row.recorded.usd), Decimal(0))
    spent = sum((row.recorded.usd for row in alone if row.recorded.usd), Decimal(0))
    if total and spent / total >= Decimal(str(min_share)):
        names = ", ".join(sorted({row.key for row in alone}))
        yield Found({"share": float(spent / total), "usd": spent, "sources": names})


@store_spending_rule("G2")
def writes_exceed_reads(case: StoreCase, min_calls: int) -> Iterable[Found]:
    """More is written to the cache than read from it, over all sessions."""
    totals = case.ledger.totals
    written, read = totals.tokens.cache_write or 0, totals.tokens.cache_read or 0
    if written > read and (totals.calls or 0) >= min_calls:
        yield Found({"written": written, "read": read})


@store_spending_rule("F9")
def delegates_beside(case: StoreCase) -> Iterable[Found]:
    """What sub-agents spent besides everything else."""
    threads = read_threads(case.store)
    kinds = {link: threads.lineage.kind(threads.root(link)) for link in threads.lineage.links}
    delegates = [one for one, kind in kinds.items() if kind is Kind.DELEGATE]
    spent = Counter[str]()
    for one in Spending(case.store, Window(), "session").groups:
        if not one.task:
            spent[one.key] += sum(filter(None, (one.input, one.cache_read, one.cache_write, one.output)))
    extra = sum(spent.get(delegate, 0) for delegate in delegates)
    if extra:
        counted = plural(sum(threads.root(delegate) == delegate for delegate in delegates), "sub-agent")
        own = sum(spent.values()) - extra
        numbers = {"told": counted, "own": own, "extra": extra, "whose": "all other conversations"}
        yield Found(numbers)


@store_spending_rule("F10")
def summaries(case: StoreCase) -> Iterable[Found]:
    """What the summaries of all conversations cost."""
    if spent := [row for row in case.ledger.rows if row.task == "compression"]:
        yield Found(summary_spend(spent))


@store_spending_rule("F11-sessions")
def misattributed(case: StoreCase) -> Iterable[Found]:
    """Sessions in which several models answered."""
    if not case.store.schema.has("session_model_usage"):
        return
    main = "task = ''" if "task" in case.store.schema.columns["session_model_usage"] else "1"
    query = (
        f"SELECT count(*) FROM (SELECT 1 FROM session_model_usage WHERE {main} "  # noqa: S608 - own names
        "GROUP BY session_id HAVING count(DISTINCT model) > 1)"
    )
    ((count,),) = case.store.query(query)
    if count:
        where = Evidence(Source.DATABASE, "session_model_usage", plural(count, "session"))
        yield Found({"told": plural(count, "session")}, (where,))


@store_spending_rule("G6")
def prompts_that_part(case: StoreCase, min_shared: float, neighbours: int) -> Iterable[Found]:
    """The system prompts of neighbouring sessions from one source differ at an early position."""
    query = ListQuery(neighbours, sort="started")
    sessions = [row.session for row in case.store.sessions(query).rows]
    for later, earlier in pairwise(sessions):
        if later.source != earlier.source or later.model != earlier.model:
            continue
        texts = case.store.system_prompt(earlier), case.store.system_prompt(later)
        if texts[0] and texts[1] and texts[0] != texts[1]:
            position = parting(texts[0], texts[1])
            length = min(len(texts[0]), len(texts[1]))
            if position < min_shared * length:
                yield _parted(earlier, later, texts[1], position, length)
                return


def _parted(earlier: Session, later: Session, text: str, position: int, length: int) -> Found:
    heading = next((line for line in reversed(text[:position].splitlines()) if line.startswith("#")), "")
    numbers = {
        "first": earlier.id,
        "second": later.id,
        "position": position,
        "length": length,
        "section": f", in the section {heading.lstrip('# ')!r}" if heading else "",
    }
    where = Evidence(Source.DATABASE, f"system prompt of {later.id}", text[position : position + 80])
    return Found(numbers, (where,), session=later.id)
