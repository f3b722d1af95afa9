"""Everything that explains the compactions of one conversation: its log, config, release and window."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from core.compress.sizing.estimate import Size, message_size, text_tokens, tool_tokens, total_tokens
from core.compress.sizing.threshold import Budgets
from core.explain.context.booked_calls import beyond_rows
from core.explain.context.gather import detected, found_window, limits_by, log_about, stored_tools
from core.explain.context.log.log_claims import (
    lowered_threshold,
    runs_of,
    stated_by_engine,
    windows_stated,
)
from core.explain.context.log.log_clock import Clock, as_written, settled
from core.explain.context.rows.boundary_rows import (
    BoundaryRows,
    boundary_rows,
    moments,
    set_back,
)
from core.hermes.config.config import HermesConfig, load_config
from core.hermes.config.in_force import EngineInCharge, WindowGuess, engine_in_charge
from core.hermes.log.read import Log
from core.hermes.log.record import Kind, LogRecord
from core.hermes.policy.policy import Policy, load_policy
from core.hermes.policy.release import ReleaseGuess
from core.model.compaction.plan import Settings
from core.model.transcript.conversation import Conversation
from core.model.transcript.message import Message, Wire
from core.model.transcript.session import Session
from core.store.store import Store

_COMMON = (Kind.TURN, Kind.CALL)
_BATCH = 500
"""How many messages are held in memory at a time while a long list is read through."""


@dataclass(frozen=True)
class ConversationContext:
    """One conversation with its log and configuration; each part is read once, when first asked for.

    Attributes:
        written_log: The log lines about it, with the times as written.
        asked_release: The release whose rules to apply; None for the detected one.
        known: Messages already read, of rows that no longer change.
    """

    store: Store
    conversation: Conversation
    config: HermesConfig
    written_log: Log
    asked_release: str | None = None
    known: Sequence[Message] = ()
    _tools: dict[str, int | None] = field(default_factory=dict, init=False, repr=False, compare=False)
    _booked: dict[str, int] = field(default_factory=dict, init=False, repr=False, compare=False)
    _settings: dict[tuple[str, str, str, str], Settings] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @cached_property
    def boundaries(self) -> tuple[BoundaryRows, ...]:
        """The compactions of the conversation as its rows show them."""
        prunes = bool(self.config.value("compression.proactive_prune_tokens"))
        return boundary_rows(self.store, self.conversation, self.messages, prunes=prunes)

    @cached_property
    def _settled(self) -> tuple[Log, Clock]:
        rows = () if self.written_log.empty else self.boundaries
        log, clock = settled(self.written_log, moments(self.conversation, rows))
        return (as_written(log) if set_back(rows) else log), clock

    @property
    def log(self) -> Log:
        """The lines about it, with their times moved into one time zone."""
        return self._settled[0]

    @property
    def clock(self) -> Clock:
        """Converts the log's local time to UTC."""
        return self._settled[1]

    @cached_property
    def release(self) -> ReleaseGuess:
        """The release asked for, else the one detected from the conversation."""
        return detected(self.store, self.conversation, self.messages, self.log, self.asked_release)

    @cached_property
    def window(self) -> WindowGuess:
        """The window of its newest session."""
        return found_window(self.store, self.conversation, self.config, self.log)

    @cached_property
    def newest_messages(self) -> tuple[Message, ...]:
        """The messages of its newest generation, which the next request will carry."""
        return self.messages(self.conversation.newest_rows)

    @cached_property
    def newest_sizes(self) -> tuple[Size, ...]:
        """The size of each newest message, by the release's estimate."""
        estimate = self.policy(None).estimate
        return tuple([message_size(message.wire, estimate) for message in self.newest_messages])

    @cached_property
    def lowered(self) -> LogRecord | None:
        """The line that says the threshold was lowered for the summary model."""
        tip, window = self.conversation.tip, self.window.tokens
        limits = self.limits(None, tip, window)
        return None if limits is None else lowered_threshold(self.rare_lines, limits.threshold)

    @cached_property
    def settings_in_force(self) -> Settings:
        """The settings of its newest session, with the summary model's window where a line states it."""
        settings = self.settings(None, self.conversation.tip, self.window.tokens)
        return settings if self.lowered is None else replace(settings, aux_window=self.lowered.threshold)

    @cached_property
    def limits_in_force(self) -> Budgets | None:
        """Threshold and budgets of the next request; None without a window."""
        named = None if self.engine is None else self.engine.line
        return limits_by(self.settings_in_force, self.policy(None), named)

    @cached_property
    def engine(self) -> EngineInCharge | None:
        """The engine that compresses instead of Hermes' own, with the newest threshold it named."""
        found = engine_in_charge(self.config, self.log.records, self.release.release)
        return found and replace(found, line=stated_by_engine(self.rare_lines))

    @cached_property
    def read(self) -> dict[int, Message]:
        """The messages read so far, by row."""
        return {message.row.id: message for message in self.known if message.row is not None}

    def messages(self, row_ids: Sequence[int]) -> tuple[Message, ...]:
        """Messages by row, each read from the database once."""
        if missing := set(row_ids).difference(self.read):
            found = self.store.messages(sorted(missing), rewound=self.conversation.rewound)
            self.read.update((message.row.id, message) for message in found if message.row is not None)
        return tuple(filter(None, map(self.read.get, row_ids)))

    @cached_property
    def sessions(self) -> dict[str, Session]:
        """The conversation's sessions by id."""
        return {session.id: session for session in self.conversation.sessions}

    @cached_property
    def rare_lines(self) -> tuple[LogRecord, ...]:
        """The lines without those of turns and answered calls, which make up most of a log."""
        return tuple([record for record in self.log.records if record.kind not in _COMMON])

    @cached_property
    def windows_stated(self) -> Sequence[tuple[LogRecord, str | None]]:
        """Lines of its sessions that state a window, each with the model that was running, oldest first."""
        return tuple(windows_stated(self.log, self.sessions))

    @cached_property
    def runs(self) -> Mapping[str, int]:
        """The agent run each line belongs to; see `runs_of`."""
        return runs_of(self.log.records, self.sessions)

    def policy(self, release: str | None) -> Policy:
        """The policy of a release; None means the detected one."""
        return load_policy(release or self.release.release)

    def settings(self, release: str | None, session: Session, window: int | None) -> Settings:
        """The settings a session ran with, according to today's config."""
        route = (session.model or "", session.provider or "", session.base_url or "")
        asked = (release or self.release.release, *route)
        if asked not in self._settings:
            name, model, provider, base_url = asked
            self._settings[asked] = self.config.settings(
                name, model=model, provider=provider, base_url=base_url
            )
        return replace(self._settings[asked], window=window)

    def limits(
        self, release: str | None, session: Session, window: int | None, *, lowered: bool = True
    ) -> Budgets | None:
        """Threshold and budgets under today's config; None without a window.

        `lowered`: Hermes has checked the summary model's window by then, which it may do only in its first
        attempt.
        """
        settings = self.settings(release, session, window)
        asked = settings if lowered else replace(settings, aux_window=None)
        return limits_by(asked, self.policy(release))

    def prompt_tokens(self, session: Session, policy: Policy) -> int | None:
        """The estimated size of a session's system prompt; None where the prompt is not stored."""
        prompt = self.store.system_prompt(session)
        return None if prompt is None else text_tokens(prompt, policy.estimate.unit)

    def tools_tokens(self, session: Session) -> int | None:
        """The estimated size of the tool schemas a session last sent; None where they are stored nowhere."""
        if session.id not in self._tools:
            pin = self.store.tools(session)
            tools = pin.tools if pin else stored_tools(self.store.location.home, session.id)
            schema = self.policy(None).checks.tool_schemas
            self._tools[session.id] = tool_tokens(tools, schema=schema) if tools else None
        return self._tools[session.id]

    def request_tokens(
        self, messages: Sequence[Message], session: Session, release: str | None, *ends: int
    ) -> list[int]:
        """The release's estimate of a request with these messages; a lower bound where a part is unknown.

        With `ends`, of requests with only so many of the first messages, each of which is measured once.
        """
        ends = ends or (len(messages),)
        policy, starts = self.policy(release), list(ends)
        if policy.checks.live_turn:
            asked = [i for i, message in enumerate(messages) if message.role == "user"]
            starts = [max((i for i in asked if i < end), default=0) for end in ends]
        if release is None and messages is self.__dict__.get("newest_messages"):
            stored: Sequence[Size] = self.newest_sizes[: max(starts)]
        else:
            stored = [message_size(one.wire, policy.estimate) for one in messages[: max(starts)]]
        spans = list(zip(starts, ends, strict=True))
        running = {
            at: message_size(live(messages[at].wire), policy.estimate)
            for at in {at for span in spans for at in range(*span)}
        }
        prompt, tools = self.prompt_tokens(session, policy) or 0, self.tools_tokens(session)
        if tools is None:
            tools = max(0, self.booked_beyond(session, policy) - prompt)
        sizes = ([*stored[:start], *map(running.__getitem__, range(start, end))] for start, end in spans)
        return [prompt + total_tokens(one, policy.estimate) + tools for one in sizes]

    def booked_beyond(self, session: Session, policy: Policy) -> int:
        """What the calls booked on a session held beyond its rows; 0 where a log tells the size of a call."""
        if not self.log.empty:
            return 0
        if session.id not in self._booked:
            rules = policy.estimate
            self._booked[session.id] = beyond_rows(session, self.conversation, self.messages, rules)
        return self._booked[session.id]


def open_context(
    store: Store,
    session_id: str,
    *,
    release: str | None = None,
    config: HermesConfig | None = None,
    log: Log | None = None,
    conversation: Conversation | None = None,
    known: Sequence[Message] = (),
) -> ConversationContext:
    """The context of any session's conversation, by the rules of a release, with what is known of it already.

    Raises:
        NotFoundError: There is no such session.
        ConfigError: config.yaml cannot be used.
    """
    conversation, home = conversation or store.conversation(session_id), store.location.home
    return ConversationContext(
        store,
        conversation,
        config if config is not None else load_config(home),
        log if log is not None else log_about(home, [session.id for session in conversation.sessions]),
        release,
        known,
    )


def passing(context: ConversationContext, row_ids: Sequence[int]) -> Iterator[Message]:
    """Messages by row, read in batches; those that were not read before are not kept."""
    for start in range(0, len(row_ids), _BATCH):
        part = row_ids[start : start + _BATCH]
        missing = sorted(set(part).difference(context.read))
        found = context.store.messages(missing, rewound=context.conversation.rewound) if missing else ()
        by_row = {message.row.id: message for message in found if message.row is not None}
        yield from filter(None, (context.read.get(row) or by_row.get(row) for row in part))


def counted_sizes(context: ConversationContext, messages: Sequence[Message]) -> Sequence[Size]:
    """The sizes already counted for the next request, if of these messages; they can be taken only once."""
    sizes: Sequence[Size] = context.__dict__.pop("newest_sizes", ())
    return sizes if sizes and messages == context.newest_messages else ()


def forget_messages(context: ConversationContext) -> bool:
    """Drop the messages read so far, unless the next request's size needs them all; whether it was done."""
    if "newest_messages" in context.__dict__:
        return False
    context.read.clear()
    return True


def live(wire: Wire) -> Wire:
    """A row of the running turn as it is in memory, where it has no timestamp yet."""
    return {key: value for key, value in wire.items() if key != "timestamp"}
