"""What became of every tool result of a conversation, what it cost, and what can still be read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from core.account.prompt_cache.result_costs import ResultNotes, noted, result_costs
from core.account.prompt_cache.routes import open_book_for
from core.compress.pruning.shrink import Calls, calls_by_id, shrink
from core.compress.tool_results.arrival import Arrived, Arriving, arrive
from core.compress.tool_results.recognise import Standing, recognise, without_wrapper
from core.compress.tool_results.replacement import ResultSizes, result_sizes, storage
from core.explain.context.context import ConversationContext, open_context
from core.explain.tool_results.life import ResultLife, ResultLives
from core.hermes.config.config import load_tree
from core.hermes.log.record import Kind
from core.hermes.policy.policy import Policy, load_policy
from core.model.accounting.ledger import PriceRow
from core.model.accounting.prompt_cache import ResultCost
from core.model.transcript.message import Message
from core.store.store import Store

_FOLDERS = ("/hermes-results/", "/cache/")
_COPIES = "cache/spillover"
_SAVED = ("/hermes-results/", f"/{_COPIES}/")
_CHARS = 4


@dataclass(slots=True)
class _Life:
    """One result while its generations are being read.

    Attributes:
        moved: Characters of it that the log says became a file.
    """

    first: Message
    newest: Message
    turn: int
    calls: Calls = field(default_factory=dict)
    generation: int = 0
    moved: int | None = None


def result_lives(
    store: Store,
    session_id: str,
    *,
    release: str | None = None,
    window: int | None = None,
    check_files: bool = False,
    prices: bool = True,
) -> ResultLives:
    """Follow every tool result of a conversation, under its own release and window or the given ones.

    With `check_files` it is checked whether files exist; they are never opened.

    Raises:
        NotFoundError: There is no such session.
        ConfigError: config.yaml or the price overrides cannot be used.
    """
    context = open_context(store, session_id)
    policy = load_policy(release or context.release.release)
    size = window or context.window.tokens
    sizes = result_sizes(policy.results, size)
    lives, passed = _read(context)
    costs = _costs(context, passed, prices=prices)
    would = _arrivals(lives, sizes, str(store.location.home or "~/.hermes"))
    last = len(context.conversation.generations)
    folders = _folders(store.location.home) if check_files else None
    found = [
        _result_life(life, costs.get(row), policy, would.get(row), folders, last)
        for row, life in lives.items()
    ]
    found.sort(key=lambda one: (-(one.usd or 0), -one.lifetime_tokens, one.row))
    return ResultLives(policy.release, size, sizes, tuple(found))


def _read(context: ConversationContext) -> tuple[dict[int, _Life], list[ResultNotes]]:
    """Results by their first row, and the notes from which each generation's costs are computed.

    A copy in a later generation continues the life of the original.
    """
    found: dict[tuple[str, int], _Life] = {}
    passed: list[ResultNotes] = []
    moved = {one.text: one.number or 0 for one in context.log.records if one.kind is Kind.RESULT_MOVED}
    turn = 0
    for number, generation in enumerate(context.conversation.generations, start=1):
        messages = context.store.generation_messages(generation)
        passed.append(noted(messages, generation.copied))
        calls, seen = calls_by_id(messages), Counter[str]()
        for message in messages:
            turn += message.role != "tool"
            if message.role != "tool" or not message.tool_call_id or message.row is None:
                continue
            key = (message.tool_call_id, seen[message.tool_call_id])
            seen[message.tool_call_id] += 1
            life = found.setdefault(key, _Life(message, message, turn))
            life.newest, life.calls, life.generation = message, calls, number
            life.moved = moved.get(message.tool_call_id)
    return {life.first.row.id: life for life in found.values() if life.first.row is not None}, passed


def _costs(
    context: ConversationContext, passed: Sequence[ResultNotes], *, prices: bool
) -> dict[int, ResultCost]:
    tip = context.conversation.tip
    book = open_book_for(context.config, tip, context.release.release) if prices else None

    def price(at: datetime | None) -> PriceRow | None:
        return None if book is None else book.entry_of(tip, at=at)

    hit_rate, one_hour = context.conversation.tokens.hit_rate, book is not None and book.one_hour
    found = result_costs(passed, price, hit_rate=hit_rate, one_hour=one_hour)
    return {one.row: one for one in found}


def _arrivals(lives: dict[int, _Life], sizes: ResultSizes, home: str) -> dict[int, Arrived]:
    """What would become of the results, turn by turn; of a lost one only the length is known."""
    place = storage(sizes.rules, "local", home=home)
    turns: dict[int, list[tuple[int, Arriving]]] = {}
    for row, life in lives.items():
        standing = recognise(life.first.text)
        if standing.layer != "pruned":
            text = without_wrapper(life.first.text) if standing.chars is None else "." * standing.chars
            turns.setdefault(life.turn, []).append((row, Arriving(str(row), _tool(life), text)))
    return {
        row: arrived
        for turn in turns.values()
        for (row, _), arrived in zip(
            turn, arrive([one for _, one in turn], sizes, place).results, strict=True
        )
    }


def _tool(life: _Life) -> str:
    named = life.first.wire.get("tool_name")
    return str(named or life.calls.get(life.first.wire.get("tool_call_id"), ("?", ""))[0])


def _result_life(
    life: _Life,
    cost: ResultCost | None,
    policy: Policy,
    would: Arrived | None,
    folders: _Folders | None,
    last: int,
) -> ResultLife:
    row = life.first.row
    assert row is not None
    arrived, standing = recognise(life.first.text), recognise(life.newest.text)
    if standing.layer == "none" and len(life.newest.text) < len(life.first.text):
        standing = Standing("pruned")  # the lines for some tools are known only by what they replaced
    path = standing.path or arrived.path
    shrunk = shrink(life.newest, life.calls, policy)
    return ResultLife(
        row=row.id,
        session=row.session_id,
        tool=_tool(life),
        call=life.first.tool_call_id or "",
        tokens=len(life.newest.text) // _CHARS,
        arrived=arrived,
        standing=standing,
        readable=folders.readable(path) if folders else None,
        calls=cost.calls if cost else 0,
        lifetime_tokens=cost.carried if cost else 0,
        usd=cost.usd if cost else None,
        stub=shrunk.text if shrunk else None,
        would=would,
        live=life.generation == last,
        cap=_cap(_tool(life), policy),
        moved=life.moved is not None and standing.layer == "none" and len(life.newest.text) >= life.moved,
        expired=arrived.layer == "persisted" and _is_expired(row.timestamp, policy.results.keeps_hours),
    )


def _cap(tool: str, policy: Policy) -> int | None:
    caps = dict(policy.results.tool_caps)
    return caps.get(tool, caps.get("mcp_") if tool.startswith("mcp_") else None)


def _is_expired(stored: datetime | None, hours: int) -> bool:
    """Whether a file saved at that time is past the retention time; never if files are kept for good."""
    return bool(hours) and stored is not None and datetime.now(UTC) - stored > timedelta(hours=hours)


@dataclass(frozen=True, slots=True)
class _Folders:
    """Where files of results are looked for.

    Attributes:
        home: The Hermes home; since 0.22 it holds copies of files saved for a remote terminal.
        remote: The terminal runs elsewhere, so its temporary folder cannot be seen.
    """

    home: Path | None
    remote: bool

    def readable(self, path: str | None) -> bool | None:
        """Whether a file exists; only folders in which releases save results are checked."""
        if path is None or ".." in path or not any(one in path for one in _FOLDERS):
            return None
        saved = any(one in path for one in _SAVED)
        if saved and self.home is not None and _is_file(self.home / _COPIES / path.rpartition("/")[2]):
            return True
        hidden = not path.startswith("/") or (self.remote and _SAVED[0] in path)
        return None if hidden else _is_file(Path(path))


def _folders(home: Path | None) -> _Folders:
    terminal = load_tree(home).get("terminal") if home is not None else None
    backend = terminal.get("backend") if isinstance(terminal, dict) else None
    return _Folders(home, remote=backend not in (None, "local"))


def _is_file(path: Path) -> bool | None:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return None
