"""Everything a plan needs to know about a conversation, gathered from its database, log and config."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from core.compress.sizing.estimate import text_tokens, tool_tokens
from core.compress.sizing.threshold import budgets
from core.errors import UsageError
from core.explain.context.log.log_claims import logged_window, lowered_threshold
from core.explain.context.next_request import counted_size
from core.explain.context.rows.compaction_input import Closed, closed
from core.hermes.config.config import HermesConfig, load_config
from core.hermes.config.engine import engine_in_charge
from core.hermes.config.window import WindowGuess, find_window
from core.hermes.log.read import Log, read_log
from core.hermes.log.record import Kind
from core.hermes.markers.markers import SummaryMatch, find_summary
from core.hermes.policy.policy import Policy, load_policy, nearest_release
from core.hermes.policy.release import ReleaseClues, ReleaseGuess, detect_release, shape_names
from core.model.compaction.settings import Gate, Settings
from core.model.evidence import Evidence, Source, Verdict
from core.model.transcript.conversation import Conversation, Generation
from core.model.transcript.message import Message
from core.model.transcript.session import Session
from core.model.transcript.storage import ToolPin
from core.store.store import Store
from core.support.user_dirs import cache_directory

_HYGIENE_ONLY = (
    "session hygiene compression timed out",
    "hygiene compression deferred: turn-hold budget expired",
)


@dataclass(frozen=True, slots=True)
class Situation:
    """One generation of a conversation with all that decides what compression would do to it.

    Attributes:
        generation: The one asked about; None when the conversation holds no messages.
        closed: What the compaction that ended it was given; of the newest, what there is.
        settings: With window and, where known, the real prompt size.
        system_prompt_tokens: By the release's own estimate; None when the prompt is not stored.
        tools_tokens: Likewise; None when the schemas are not stored (before 0.22).
        log: The lines about this conversation.
    """

    conversation: Conversation
    generation: Generation | None
    release: ReleaseGuess
    window: WindowGuess
    config: HermesConfig
    settings: Settings
    policy: Policy
    gate: Gate
    system_prompt_tokens: int | None
    tools_tokens: int | None
    log: Log
    closed: Closed

    @property
    def messages(self) -> tuple[Message, ...]:
        """The messages of the generation, as the model saw them."""
        return self.closed.messages

    @property
    def rules(self) -> tuple[str, ...]:
        """Whose rules the figures are by, where these are not the rules in force."""
        engine = engine_in_charge(self.config, self.log.records, self.release.release)
        told = () if engine is None else (engine.note(self.release.release),)
        return (*told, *filter(None, (self.release.stands_in,)))

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of the messages should know."""
        return (*self.rules, *self.conversation.notes, *self.closed.notes)


def situation(
    store: Store,
    session_id: str,
    *,
    generation: int | None = None,
    release: str | None = None,
) -> Situation:
    """Gather what decides about a conversation.

    Args:
        store: The database.
        session_id: Any session of the conversation.
        generation: 1-based over the conversation; None for the newest.
        release: Rules to apply instead of the detected release's.

    Raises:
        NotFoundError: There is no such session.
        UsageError: The conversation has no such generation.
        ConfigError: config.yaml cannot be used, or the release is unknown.
    """
    conversation = store.conversation(session_id)
    chosen = _chosen(conversation, generation)
    config = load_config(store.location.home)
    log = conversation_log(store.location.home, conversation)
    guess = detected(store, conversation, log, release)
    policy = load_policy(guess.release)
    tip = conversation.tip
    window = found_window(store, conversation, config, log)
    ended = closed(store, conversation, chosen, policy, log) if chosen is not None else Closed(())
    messages = ended.messages
    if chosen is not None and chosen is conversation.generations[-1]:
        size = counted_size(store, conversation, messages, log, policy)
        tokens = None if size is None else size.tokens
    else:
        tokens = _then(messages, chosen, log)
    prompt = store.system_prompt(tip)
    return Situation(
        conversation=conversation,
        generation=chosen,
        release=guess,
        window=window,
        config=config,
        settings=_in_force(_configured(config, guess.release, tip, window.tokens, tokens), policy, log),
        policy=policy,
        gate=gate_of(store, tip),
        system_prompt_tokens=None if prompt is None else text_tokens(prompt, policy.estimate.unit),
        tools_tokens=_tools(store.tools(tip)),
        log=log,
        closed=ended,
    )


def _configured(
    config: HermesConfig, release: str, tip: Session, window: int | None, tokens: int | None
) -> Settings:
    configured = config.settings(
        release, model=tip.model or "", provider=tip.provider or "", base_url=tip.base_url or ""
    )
    return replace(configured, window=window, current_tokens=tokens)


def _in_force(settings: Settings, policy: Policy, log: Log) -> Settings:
    """The settings with the window of the summary model that a line says the threshold was lowered for."""
    if settings.window is None or settings.window <= 0:
        return settings
    lowered = lowered_threshold(log, budgets(settings, policy, settings.window).threshold)
    return settings if lowered is None else replace(settings, aux_window=lowered.threshold)


def _then(messages: Sequence[Message], generation: Generation | None, log: Log) -> int | None:
    """The number a past compaction of these messages went by, where its lines agree on one."""
    session = generation.session_id if generation is not None else None
    lines = [line for line in log.records if line.kind is Kind.STARTED and line.session == session]
    stated = {line.tokens for line in lines if line.before == len(messages)}
    return stated.pop() if len(stated) == 1 else None


def found_window(store: Store, conversation: Conversation, config: HermesConfig, log: Log) -> WindowGuess:
    """The window of the conversation's newest session."""
    tip = conversation.tip
    sessions = {session.id for session in conversation.sessions}
    return find_window(
        config,
        home=store.location.home,
        model=tip.model or "",
        provider=tip.provider or "",
        base_url=tip.base_url or "",
        logged=logged_window(log, sessions, tip.model),
    )


def detected(store: Store, conversation: Conversation, log: Log, release: str | None = None) -> ReleaseGuess:
    """The release of a conversation, or the one asked for.

    Raises:
        ConfigError: The release asked for is none.
    """
    if release is not None:
        evidence = Evidence(Source.CONFIG, "--release", release)
        return ReleaseGuess(nearest_release(release), Verdict.PROVED, release, (evidence,))
    return detect_release(release_clues(store, conversation, log))


def conversation_log(home: Path | None, conversation: Conversation) -> Log:
    """What the log of a home says about a conversation; empty without a home."""
    if home is None:
        return Log()
    return read_log(home, [session.id for session in conversation.sessions], cache_directory() / "logs")


def gate_of(store: Store, session: Session, now: datetime | None = None) -> Gate:
    """What could refuse an automatic attempt at this moment."""
    guards = session.guards
    cooldown = guards.cooldown_until
    if guards.failure_error and guards.failure_error.startswith(_HYGIENE_ONLY):
        cooldown = None  # such a pause holds for the gateway only, not for the agent
    moment = now or datetime.now(UTC)
    holders = [
        lock.holder
        for lock in store.locks()
        if lock.key == session.id and (lock.expires_at is None or lock.expires_at > moment)
    ]
    return Gate(
        now=moment,
        cooldown_until=cooldown,
        fallback_streak=guards.fallback_streak,
        ineffective_count=guards.ineffective_count,
        recovery_deadline=guards.recovery_deadline,
        lock_holder=holders[0] if holders else None,
    )


def _chosen(conversation: Conversation, index: int | None) -> Generation | None:
    if index is None:
        return conversation.generations[-1] if conversation.generations else None
    for generation in conversation.generations:
        if generation.index == index:
            return generation
    raise UsageError(
        f"no generation {index}",
        where=conversation.root.id,
        remedy=f"The conversation has {len(conversation.generations)}",
    )


def release_clues(store: Store, conversation: Conversation, log: Log) -> ReleaseClues:
    """The traces of a release in a conversation and around it."""
    tables = ("sessions", "messages")
    columns = store.schema.columns
    pin = store.tools(conversation.tip)
    return ReleaseClues(
        pin=pin.version if pin else None,
        schema_version=store.schema.version,
        columns=frozenset(f"{table}.{name}" for table in tables for name in columns.get(table, ())),
        summary=newest_summary(store, conversation),
        log_shapes=tuple(_shapes(log)),
    )


def newest_summary(store: Store, conversation: Conversation) -> tuple[SummaryMatch, str] | None:
    """The newest summary of a conversation, and where it stands."""
    for generation in reversed(conversation.generations):
        row = generation.boundary.summary_row if generation.boundary else None
        for message in store.messages([row]) if row is not None else ():
            if match := find_summary(message.text):
                return match, f"message {row}"
    return None


def _shapes(log: Log) -> Iterator[tuple[str, str]]:
    """The newest sighting of each wording: a log may reach back over an upgrade."""
    seen: set[str] = set()
    telling = (Kind.TURN, Kind.DONE, Kind.PRE_API, Kind.TELEMETRY)
    newest = [record for record in reversed(log.records) if record.kind in telling][:50]
    for record in newest:
        for name in shape_names(record.logger, record.message):
            if name not in seen:
                seen.add(name)
                yield name, record.where


def _tools(pin: ToolPin | None) -> int | None:
    if pin is None or not pin.tools:
        return None
    return tool_tokens(pin.tools, schema=True)  # a release that stores them counts them so
