"""What other settings would have done to this history: when they fire, and how many tokens are sent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from core.account.pricing.price_book import PriceBook
from core.compress.planning.measure import Measured, measure
from core.compress.planning.plan import plan
from core.compress.sizing.estimate import message_size, total_tokens
from core.explain.context.context import ConversationContext
from core.explain.context.rows.written_rows import copied_rows
from core.explain.what_if.bill import Bill
from core.explain.what_if.recovery import RecoveryEnd, recover, states_its_limit
from core.hermes.policy.policy import Policy
from core.model.compaction.plan import Plan
from core.model.compaction.settings import Settings
from core.model.transcript.message import Message
from core.support.plural import plural

_SUMMARY = "[CONTEXT SUMMARY]: "
_MOST = 500
"""Compactions after which a setting is called a loop."""
_GIVEN_UP = 3
"""Turns given up after which nobody would have gone on."""


@dataclass(frozen=True, slots=True)
class Firing:
    """One compaction that would have run.

    Attributes:
        row: The message it would have followed.
        tokens: Size of the request then.
        summarised: Tokens of the messages it would have summarised.
        attempt: Which of the turn's attempts at a request the provider would have refused; 0 for none.
    """

    row: int | None
    turn: int
    tokens: int
    summarised: int
    attempt: int = 0


@dataclass(frozen=True, slots=True)
class Refused:
    """One request the provider would have refused as longer than the window.

    Attributes:
        attempts: Attempts of the turn it took, those before it counted.
        end: What would have come of it.
    """

    row: int | None
    turn: int
    tokens: int
    attempts: int
    end: RecoveryEnd


@dataclass(frozen=True, slots=True)
class Outcome:
    """A conversation's run under one setting.

    Attributes:
        release: Whose rules applied.
        calls: Model calls, the same under every setting.
        prompt_tokens: Tokens all those calls would have carried.
        summarised_tokens: Tokens the summary model would have read.
        requests: Every call's prompt, and what of it repeats the call before: what a cache could serve.
        written_tokens: Tokens the summary model would have written.
        usd: What the prompts and the summaries would have cost; None when nobody knows a price.
        peak: The largest prompt.
        loops: It would have fired again and again without getting below its threshold.
        refused: Requests that would have been longer than the window, oldest first.
    """

    release: str
    settings: Settings
    threshold: int | None
    firings: tuple[Firing, ...]
    calls: int
    prompt_tokens: int
    summarised_tokens: int
    peak: int
    loops: bool = False
    requests: tuple[tuple[int, int], ...] = ()
    written_tokens: int = 0
    usd: Decimal | None = None
    refused: tuple[Refused, ...] = ()

    @property
    def gives_up(self) -> Refused | None:
        """The first request that nothing would have made fit."""
        return next((one for one in self.refused if one.end is not RecoveryEnd.FITS), None)

    @property
    def total(self) -> int:
        """Everything a model would have read."""
        return self.prompt_tokens + self.summarised_tokens


def history(context: ConversationContext) -> tuple[Message, ...]:
    """The conversation as it was spoken: every message once, no summaries."""
    found: list[Message] = []
    for generation in context.conversation.generations:
        found += context.messages(generation.row_ids[copied_rows(generation) :])
    return tuple(found)


def simulate(messages: Sequence[Message], policy: Policy, settings: Settings, overhead: int = 0) -> Outcome:
    """Live through a conversation under some settings.

    The check runs before every call, as the newest releases do; an answer is a call. A summary weighs what
    its release would ask for.

    Args:
        messages: The conversation as it was spoken.
        policy: Of the release.
        settings: Window, threshold, ratio, protected counts.
        overhead: Tokens of system prompt and tools in every request.
    """
    run = _Run(policy, settings, overhead)
    for message in messages:
        if message.role == "assistant":
            run.call()
        run.add(message)
    return run.outcome()


def compare(
    context: ConversationContext,
    candidates: Iterable[Settings],
    *,
    release: str | None = None,
    prices: PriceBook | None = None,
) -> Iterator[Outcome]:
    """The same history under each of several settings, as they are worked out; in money too, given prices."""
    policy, tip = context.policy(release), context.conversation.tip
    overhead = (context.prompt_tokens(tip, policy) or 0) + (context.tools_tokens(tip) or 0)
    spoken = history(context)
    bill = None if prices is None else Bill.of(context, prices)
    for settings in candidates:
        outcome = simulate(spoken, policy, settings, overhead)
        if bill is not None:
            usd = bill.usd(outcome.requests, outcome.summarised_tokens, outcome.written_tokens)
            outcome = replace(outcome, usd=usd)
        yield outcome


def cheapest(outcomes: Iterable[Outcome]) -> Outcome | None:
    """The setting that costs least, or without prices that under which models read least.

    None when all of them loop or give up a turn.
    """
    sound = [outcome for outcome in outcomes if not outcome.loops and outcome.gives_up is None]
    priced = [(outcome.usd, outcome) for outcome in sound if outcome.usd is not None]
    if priced and len(priced) == len(sound):
        return min(priced, key=lambda pair: pair[0])[1]
    return min(sound, key=lambda outcome: outcome.total, default=None)


def refused_words(outcome: Outcome) -> str:
    """Which turn the provider's refusals would have cost most; empty where it would have refused none."""
    lost = outcome.gives_up
    if lost is not None:
        return f"turn {lost.turn} would have been given up"
    worst = max(outcome.refused, key=lambda one: one.attempts, default=None)
    if worst is None:
        return ""
    return f"turn {worst.turn} would have needed {plural(worst.attempts, 'attempt')}"


class _Run:
    """A transcript that grows, and shrinks when it fires."""

    def __init__(self, policy: Policy, settings: Settings, overhead: int) -> None:
        self.policy, self.settings, self.overhead = policy, settings, overhead
        self.messages: list[Message] = []
        self.sizes: list[int] = []
        self.size = 0
        self.firings: list[Firing] = []
        self.requests: list[tuple[int, int]] = []
        self.turns = self.repeats = self.written = 0
        self.threshold = self._limit()
        self.deaf_until = self.attempts = 0
        self.refused: list[Refused] = []

    def add(self, message: Message) -> None:
        """One more message."""
        size = self._size(message)
        self.messages.append(message)
        self.sizes.append(size)
        self.size += size
        if message.role == "user":
            self.turns += 1
            self.attempts = 0

    def call(self) -> None:
        """A model call: the check runs, then the request is sent."""
        request = self.size + self.overhead
        loops = len(self.firings) >= _MOST
        if self.threshold is not None and request >= max(self.threshold, self.deaf_until) and not loops:
            self._compress(request)
        request = self.size + self.overhead
        if self.settings.window and request > self.settings.window:
            self._refuse(request, self.settings.window)
            request = self.size + self.overhead
        self.requests.append((request, min(self.repeats, request)))
        self.repeats = request

    def outcome(self) -> Outcome:
        """The run so far."""
        return Outcome(
            release=self.policy.release,
            settings=self.settings,
            threshold=self.threshold,
            firings=tuple(self.firings),
            calls=len(self.requests),
            prompt_tokens=sum(sent for sent, _ in self.requests),
            summarised_tokens=sum(firing.summarised for firing in self.firings),
            peak=max((sent for sent, _ in self.requests), default=0),
            loops=len(self.firings) >= _MOST,
            requests=tuple(self.requests),
            written_tokens=self.written,
            refused=tuple(self.refused),
        )

    def _compress(self, request: int) -> None:
        measured = measure(self.messages, self.policy)
        warm = replace(self.settings, warm=bool(self.firings))
        planned = plan(measured, warm)
        if not planned.middle.size or not self.settings.enabled:
            # Nothing to take out: the release tries again only when the request has grown.
            self.deaf_until = request + 1
            return
        middle = sum(self.sizes[planned.middle.start : planned.middle.end])
        last = self.messages[-1].row
        self.firings.append(Firing(last.id if last else None, self.turns, request, middle))
        self.written += planned.summary_budget or 0
        self._replace(_left(measured, planned))
        # Behind system prompt and tools nothing is as it was.
        self.repeats = self.overhead
        self.deaf_until = 0 if self.size + self.overhead < (self.threshold or 0) else request

    def _refuse(self, request: int, window: int) -> None:
        """The request is longer than the window: the provider says so, and the release acts on it."""
        given_up = [one for one in self.refused if one.end is not RecoveryEnd.FITS]
        if len(given_up) >= _GIVEN_UP or (given_up and given_up[-1].turn == self.turns):
            return
        warm = replace(self.settings, warm=bool(self.firings))
        provider = states_its_limit(window, self.settings.provider)
        found = recover(
            self.messages, self.policy, warm, provider, overhead=self.overhead, used=self.attempts
        )
        last = self.messages[-1].row
        row = last.id if last else None
        for step in found.steps:
            taken = max(0, step.before_tokens - step.after_tokens)
            if step.after_messages < step.before_messages or taken:
                self.firings.append(Firing(row, self.turns, step.before_tokens, taken, step.number))
        self.attempts = found.used
        self.refused.append(Refused(row, self.turns, request, found.used, found.end))
        if found.messages != tuple(self.messages):
            self._replace(list(found.messages))
            self.repeats = self.overhead

    def _replace(self, messages: list[Message]) -> None:
        self.messages = messages
        self.sizes = [self._size(message) for message in messages]
        self.size = sum(self.sizes)

    def _size(self, message: Message) -> int:
        rules = self.policy.estimate
        return total_tokens([message_size(message.wire, rules)], rules)

    def _limit(self) -> int | None:
        return plan(measure((), self.policy), self.settings).threshold_tokens


def _left(measured: Measured, planned: Plan) -> list[Message]:
    """Head, a summary of the size asked for, and the tail, old results shortened."""
    pruned = set(planned.pruned_at)
    kept = [*range(planned.head.start, planned.head.end), *range(planned.tail.start, planned.tail.end)]
    rows = {i: measured.shrunk.get(i, measured.base[i]) if i in pruned else measured.base[i] for i in kept}
    words = "x" * (4 * (planned.summary_budget or 0))
    summary = Message({"role": "user", "content": _SUMMARY + words})
    return [
        *(rows[i] for i in range(planned.head.start, planned.head.end)),
        summary,
        *(rows[i] for i in range(planned.tail.start, planned.tail.end)),
    ]
