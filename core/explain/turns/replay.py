"""What a release decided at every step of a conversation, and why it did not compress."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from core.explain.compactions.past_window import window_of
from core.explain.context.context import ConversationContext
from core.explain.context.gather import gateway_limits, without_gateway
from core.explain.context.log.log_claims import same_model
from core.explain.context.rows.boundary_rows import is_request, set_back
from core.explain.turns.checks import Decision, Number, PromptPoint, Turn, decision, decision_of, enabled
from core.explain.turns.past_gates import PastGates
from core.explain.turns.size_checks import (
    AgentChecks,
    TurnDraft,
    counted,
    gateway_checks,
    row_of,
    with_lowered_outputs,
)
from core.explain.turns.transcripts import RunningSums, Transcript, threshold_in_force, transcripts
from core.explain.turns.turn_lines import turn_lines
from core.hermes.log.record import Kind, LogRecord
from core.model.compaction.event import CompressionEvent, Trigger
from core.model.finding import Source
from core.model.transcript.message import Message

_NAMES_MODEL = (Kind.TURN, Kind.CALL, Kind.STARTED)
"""Lines that name the model that runs: a fallback model answers a turn that another began."""


def replay_turns(context: ConversationContext, events: Sequence[CompressionEvent]) -> tuple[Turn, ...]:
    """Every turn of a conversation with the checks its release makes.

    Counted prompts, pauses and counters of the past come from the log where it reaches back far enough;
    elsewhere estimates are used, and a condition that is not on record leaves its decision open.
    """
    walker = _Walker(context, events)
    enabled = context.settings_in_force.enabled
    turns = [draft.freeze(index, events, enabled=enabled) for index, draft in enumerate(walker.walk(), 1)]
    return with_lowered_outputs(turns, context)


class _Walker:
    """One walk over a conversation, generation by generation."""

    def __init__(self, context: ConversationContext, events: Sequence[CompressionEvent]) -> None:
        self.context, self.events = context, events
        self.policy = context.policy(None)
        self.rules = self.policy.checks
        self.gates = PastGates(context, events)
        self.turns: list[TurnDraft] = []
        self.seen: set[int] = set()
        self.last: tuple[int, LogRecord] | None = None
        self.ahead: Decision | None = None
        self.set_back = set_back(context.boundaries)

    def walk(self) -> list[TurnDraft]:
        """The turns, oldest first."""
        given = tuple(transcripts(self.context, self.events))
        requests = [m for one in given for m in one.messages[one.kept :] if is_request(m)]
        self.lines = turn_lines(
            self.context, list({row_of(message): message for message in requests}.values())
        )
        for transcript in given:
            self._generation(transcript)
        self._assign_earlier()
        self._place_events()
        return self.turns

    def _generation(self, transcript: Transcript) -> None:
        self._begin(transcript)
        messages, restated = transcript.messages, frozenset(transcript.generation.copy_ids)
        for position in range(transcript.kept, len(messages)):
            message = messages[position]
            row = row_of(message)
            if row in self.seen or row in restated:
                continue
            self.seen.add(row or 0)
            if is_request(message):
                self._request(message, position)
            elif message.role == "assistant":
                self._answer(position)
            elif message.role == "tool" and (
                position + 1 == len(messages) or messages[position + 1].role != "tool"
            ):
                self._inside(position)
        self._close(transcript)

    def _begin(self, transcript: Transcript) -> None:
        generation, context = transcript.generation, self.context
        self.transcript, self.sums, self.last = transcript, RunningSums(context, transcript), None
        self.session = context.sessions.get(generation.session_id, context.conversation.tip)
        self.counted = not transcript.kept
        event = self.events[transcript.event] if transcript.event is not None else None
        window, threshold = threshold_in_force(context, event, self.session)
        self.settings = context.settings(None, self.session, window)
        self.gateway = gateway_limits(context.config, self.policy, window)
        self.system = context.prompt_tokens(self.session, self.policy)
        self.tools = context.tools_tokens(self.session)
        known = self.tools is not None
        self.agent = AgentChecks(self.policy, self.settings, threshold, tools_known=known)
        self.model = self._model_at(event)
        self.newest = generation is context.conversation.generations[-1]
        self.start, self.crowded = transcript.kept, False

    def _model_at(self, event: CompressionEvent | None) -> str | None:
        """The model that ran when an event closed the generation; for the newest, the session's model."""
        if event is None or event.at is None:
            return self.context.conversation.tip.model
        lines = (one for one in reversed(self.context.log.records) if one.kind in _NAMES_MODEL and one.model)
        return next((one.model for one in lines if self.context.clock.utc(one.at) <= event.at), None)

    def _agent_of(self, turn: TurnDraft) -> AgentChecks:
        """The checks of a turn: a model other than the generation's has its own threshold.

        A fallback model may have answered in it.
        """
        answered = turn.call()
        began = turn.lines.began.model if turn.lines is not None else None
        ran = answered.model if answered is not None and answered.model else began
        engine = self.context.engine
        decided = engine is not None and not engine.is_ours
        if decided or not ran or not self.model or same_model(ran, self.model):
            return self.agent
        stated = [line.window for line, named in self.context.windows_stated if named == ran]
        window = stated[-1] if stated else window_of(self.context, ran)
        limits = self.context.limits(None, self.session, window)
        return replace(self.agent, threshold=None if limits is None else limits.threshold)

    def _request(self, message: Message, position: int) -> None:
        lines = self.lines.get(row_of(message) or 0)
        stamp = message.row.timestamp if message.row else None
        at = self.context.clock.utc(lines.began.at) if lines else stamp
        self.start = position
        self.crowded = self.crowded or (lines is not None and lines.crowded)
        self.turns.append(TurnDraft(self.transcript.generation.index, message, lines, at))
        if not self._assign_earlier() and not without_gateway(self.session.source) and position:
            self._turn().decisions.append(self._gateway(position, at, lines.gateway_skip if lines else None))
        self._decide(Trigger.PREFLIGHT, position + 1)
        if self.rules.pre_api:
            self._decide(Trigger.PRE_API, position + 1)

    def _gateway(self, position: int, at: datetime | None, skip: LogRecord | None = None) -> Decision:
        """The gateway's check before the agent ran, on the rows before the new message."""
        record = self.last[1] if self.last is not None and not self._compacted(self.last[1], at) else None
        number = counted(record, self.sums.messages(0, position, self.start))
        row = row_of(self.transcript.messages[position - 1])
        checks = tuple(gateway_checks(self.policy, self.settings, self.gateway, number, position, skip))
        index = self.transcript.generation.index
        return decision(Trigger.HYGIENE, row, number, checks, index, at)

    def _compacted(self, call: LogRecord, at: datetime | None) -> bool:
        """Whether a compaction since a call left no generation, as where a gateway deletes the rows."""
        since = self.context.clock.utc(call.at)
        times = (event.at for event in self.events if event.completed and event.generation is None)
        return at is not None and any(since < one < at for one in times if one is not None)

    def _assign_earlier(self) -> bool:
        """Assign what the gateway compressed before a message to the turn that the message begins."""
        fired, self.ahead = self.ahead, None
        if fired is None or fired.event is None:
            return False
        self._turn().events.append(fired.event)
        self._turn().decisions.append(fired)
        return True

    def _answer(self, position: int) -> None:
        turn = self._turn()
        turn.answers += 1
        record = turn.call()
        if record is None or not record.input:
            self.last = None
            return
        self.last, self.counted = (position, record), True
        turn.calls.append(
            PromptPoint(
                at=self.context.clock.utc(record.at),
                where=record.where,
                real=record.input,
                cached=record.cached,
                system=self.system,
                tools=self.tools,
                messages=self.sums.messages(0, position, self.start),
            )
        )

    def _inside(self, position: int) -> None:
        self._decide(Trigger.POST_RESPONSE, position + 1)
        if self.rules.pre_api:
            self._decide(Trigger.PRE_API, position + 1)

    def _close(self, transcript: Transcript) -> None:
        """Mark the last matching check as the one that fired, if an event closed the generation."""
        if transcript.event is None:
            return
        turn, event = self._turn(), self.events[transcript.event]
        if event.trigger is Trigger.HYGIENE and transcript.messages:
            looked_at = self._gateway(len(transcript.messages), event.at)
            self.ahead = decision_of(looked_at, event, transcript.event)
            return
        if self._ran_elsewhere(turn, event):
            return  # assigned by its time
        turn.events.append(transcript.event)
        for place in reversed(range(len(turn.decisions))):
            decision = turn.decisions[place]
            if decision.trigger is event.trigger and decision.generation == transcript.generation.index:
                # The next check saw what it left, not this transcript again.
                turn.decisions[place:] = [decision_of(decision, event, transcript.event)]
                return

    def _ran_elsewhere(self, turn: TurnDraft, event: CompressionEvent) -> bool:
        """Whether another turn ran then: older releases save its request after the compaction.

        Or it ran before this turn, whose rows another process wrote into the closed session. A turn whose
        request is gone came before every other.
        """
        if self.set_back:
            return False  # times tell nothing
        logged = turn.lines is not None and any(one.source is Source.LOG for one in event.evidence)
        if logged and turn.at is not None and event.at is not None and event.at < turn.at:
            return True
        if event.at is None or (turn.at is None and turn.request):
            return False
        began = (self.context.clock.utc(lines.began.at) for lines in self.lines.values())
        return any((turn.at is None or turn.at < at) and at <= event.at for at in began)

    def _place_events(self) -> None:
        """Assign events that left no generation, by time, to the turn begun before them.

        The gateway checks before a turn begins, so its attempts belong to the next turn. Rows without their
        request come before every other turn.
        """
        placed = {event for turn in self.turns for event in turn.events}
        for number, event in enumerate(self.events):
            if event.at is None or number in placed:
                continue
            begun = [turn for turn in self.turns if not turn.request or (turn.at and turn.at <= event.at)]
            if event.trigger is Trigger.HYGIENE:
                begun += [turn for turn in self.turns if turn.at and self._next(event.at, turn.at)][:1]
            if begun:
                begun[-1].take(number, event)

    def _next(self, at: datetime, turn: datetime) -> bool:
        """Whether a turn comes next after a moment; one that ended in between may have lost its rows."""
        ended = (record.at for record in self.context.log.records if record.kind is Kind.TURN_ENDED)
        return at < turn and not any(at < self.context.clock.utc(one) < turn for one in ended)

    def _turn(self) -> TurnDraft:
        if not self.turns:
            self.turns.append(TurnDraft(self.transcript.generation.index, None, None, None))
        return self.turns[-1]

    def _decide(self, trigger: Trigger, count: int) -> None:
        """Make one check of the first `count` messages."""
        turn, message = self._turn(), self.transcript.messages[count - 1]
        number = self._compared(trigger, count, turn)
        record = turn.call()
        at = self.context.clock.utc(record.at) if record else turn.at
        if at is None and message.row is not None:
            at = message.row.timestamp
        agent = self._agent_of(turn)
        stated = turn.lines.threshold if turn.lines else None
        size = agent.size(number, stated=stated, uncounted=turn.uncounted)
        if self.crowded and size.passed:
            size = replace(size, passed=None)  # neither process held the rows of both
        checks = [enabled(self.settings), size]
        if trigger is Trigger.PREFLIGHT:
            checks.append(agent.count(count, self.sums.messages(0, count, self.start)))
        if self.newest and count == len(self.transcript.messages):
            checks += self.gates.now(self.session)
        elif trigger is not Trigger.PREFLIGHT or self.rules.preflight_guarded:
            checks += self.gates.then(at)
        checks += self.agent.deferral(trigger, turn, size, counted=self.counted)
        index = self.transcript.generation.index
        turn.decisions.append(decision(trigger, row_of(message), number, checks, index, at))

    def _compared(self, trigger: Trigger, count: int, turn: TurnDraft) -> Number:
        """The number a check compares: as its line states it, else the provider's count, else an estimate.

        Since 0.22 every check adds what came after the last answered call to that call's counted usage;
        before, only the check after tool results uses the provider's count.
        """
        fixed = (self.system or 0) + (self.tools or 0)
        estimate = fixed + self.sums.messages(0, count, self.start)
        line = turn.lines.compared(trigger, turn.answers) if turn.lines is not None else None
        if line is not None and line.tokens:
            return Number(line.tokens, where=line.where, estimate=estimate)
        position, record = self.last if self.last is not None else (0, None)
        if record is not None and record.input and self.rules.anchored:
            since = self.sums.messages(position + 1, count, self.start)
            return Number(record.input + (record.output or 0) + since, True, record.where, estimate, since)
        if record is not None and record.input and trigger is Trigger.POST_RESPONSE:
            return Number(record.input, True, record.where, estimate)
        return Number(estimate)
