"""What both wire formats share: attempts, waiting, one attempt on the main model, checking the answer."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Protocol

from core.compress.summarise.answer_check import ModelAnswer, checked
from core.compress.summarise.base import (
    Cancelled,
    Endpoint,
    FailureKind,
    OnText,
    SummaryFailure,
    SummaryRequest,
    SummaryResult,
    SummaryStatus,
)
from core.compress.summarise.model_choice import ModelChoice
from core.compress.summarise.prompt import Prompt, build_prompt
from core.compress.summarise.remote.answers import Listener, failure_of, is_worth_retrying, pump

_ATTEMPTS = 3
_TOTAL = 300.0
"""Seconds that all attempts together may take."""
_FIRST_PAUSE = 0.5
_MAX_PAUSE = 20.0
"""Longest pause in seconds; if a server asks for more, the failure is reported instead."""

_RUNAWAY = 8
"""An answer this many times the budget is aborted."""


class Connection(Protocol):
    """Asks one model in one wire format."""

    def ask(self, prompt: Prompt, request: SummaryRequest, on_text: OnText, *, stream: bool) -> ModelAnswer:
        """Send a prompt and read the answer; when streaming, pass on text as it arrives."""
        ...

    def close(self) -> None:
        """Abort a running request."""
        ...


class AsyncConnection(Protocol):
    """Asks one model in one wire format, many times at once."""

    async def ask(self, prompt: Prompt, max_output: int, temperature: float | None) -> ModelAnswer:
        """Send a prompt and wait for the whole answer."""
        ...

    async def close(self) -> None:
        """Abort running requests."""
        ...


Connect = Callable[[ModelChoice], Connection]


class ModelSummariser:
    """Asks a model for the summary.

    If the chosen model fails with one of `main_on`, the session's own model, `main`, is asked once; all
    attempts together may take `total` seconds.
    """

    def __init__(
        self,
        name: str,
        connect: Connect,
        choice: ModelChoice,
        main: tuple[Connect, ModelChoice] | None = None,
        main_on: Collection[FailureKind] = frozenset(FailureKind),
        total: float = _TOTAL,
    ) -> None:
        self.name = name
        self._connect = connect
        self._choice = choice
        self._main = main if main is not None and main[1] != choice else None
        self._main_on = main_on
        self._total = total

    def describe(self) -> Endpoint:
        """Where the turns would be sent."""
        return self._choice.endpoint

    def describe_second(self) -> Endpoint | None:
        """Where the turns would be sent if the first model fails; None without a second one."""
        return None if self._main is None else self._main[1].endpoint

    def summarise(
        self, request: SummaryRequest, *, on_text: OnText | None = None, cancelled: Cancelled | None = None
    ) -> SummaryResult:
        """Ask, wait, check; see `ask`.

        Raises:
            SummaryFailure: No attempt gave a usable summary; reports the first model's failure.
        """
        return self.ask(build_prompt(request), request, on_text=on_text, cancelled=cancelled)

    def ask(
        self,
        prompt: Prompt,
        request: SummaryRequest,
        *,
        on_text: OnText | None = None,
        cancelled: Cancelled | None = None,
    ) -> SummaryResult:
        """Send a prompt that asks for a summary of the request's shape.

        Raises:
            SummaryFailure: No attempt gave a usable summary; reports the first model's failure.
        """
        listener = Listener(on_text, cancelled, time.monotonic() + self._total)
        try:
            return self._on(self._connect, self._choice, prompt, request, listener, _ATTEMPTS)
        except SummaryFailure as failure:
            over = failure.kind is FailureKind.CANCELLED or failure.kind not in self._main_on
            if self._main is None or over:
                raise
            return self._on_main(failure, self._main, prompt, request, listener)

    def _on_main(
        self,
        failure: SummaryFailure,
        main: tuple[Connect, ModelChoice],
        prompt: Prompt,
        request: SummaryRequest,
        listener: Listener,
    ) -> SummaryResult:
        listener.restart()
        try:
            result = self._on(*main, prompt, request, listener, 1)
        except SummaryFailure as second:
            is_accepted = second.partial is not None and second.kind not in self._main_on
            if second.kind is FailureKind.CANCELLED or is_accepted:
                raise
            raise failure from second
        note = f"{self._choice.model} failed ({failure.what}); written by {main[1].model}"
        return replace(result, warnings=(note, *result.warnings))

    def _on(
        self,
        connect: Connect,
        choice: ModelChoice,
        prompt: Prompt,
        request: SummaryRequest,
        listener: Listener,
        attempts: int,
    ) -> SummaryResult:
        where = f"{choice.model} at {choice.endpoint.host}"
        for attempt in range(1, attempts + 1):
            try:
                answer = _ask(connect, choice, prompt, request, listener)
                body, warnings = checked(answer, request, where)
            except SummaryFailure as failure:
                pause = _pause(failure, attempt, attempts)
                if pause is None:
                    failure.partial = _from(choice, failure.partial)
                    raise
                listener.wait(pause)
                listener.restart()
            else:
                model, route = answer.model or choice.model, (choice.provider, choice.base_url)
                return SummaryResult(body, SummaryStatus.MODEL, model, answer.usage, warnings, *route)
        raise AssertionError("the last attempt either returns or raises")  # pragma: no cover


def _ask(
    connect: Connect, choice: ModelChoice, prompt: Prompt, request: SummaryRequest, listener: Listener
) -> ModelAnswer:
    where = f"{choice.model} at {choice.endpoint.host}"
    listener.wait(0)
    try:
        connection = connect(choice)
        try:
            return pump(
                lambda on_text: connection.ask(prompt, request, on_text, stream=listener.streams),
                close=connection.close,
                timeout=choice.timeout,
                on_text=_bounded(listener.on_text, request.budget),
                cancelled=listener.cancelled,
            )
        finally:
            connection.close()
    except Exception as error:
        # The edge to two SDKs and their transports: `provider_errors` classifies whatever they raise.
        raise failure_of(error, where, (choice.api_key,)) from error


def _bounded(on_text: OnText | None, budget: int) -> OnText | None:
    """Aborts an answer that runs far past the budget."""
    if on_text is None:
        return None
    seen = 0

    def take(text: str) -> None:
        nonlocal seen
        seen += len(text)
        if seen > _RUNAWAY * 4 * budget:
            raise SummaryFailure(FailureKind.OTHER, f"the answer ran on past {seen:,} characters")
        on_text(text)

    return take


def _from(choice: ModelChoice, result: SummaryResult | None) -> SummaryResult | None:
    """The result with the provider and address it came from."""
    if result is None:
        return None
    return replace(
        result, model=result.model or choice.model, provider=choice.provider, base_url=choice.base_url
    )


def _pause(failure: SummaryFailure, attempt: int, attempts: int) -> float | None:
    """Seconds before the next attempt; None if another one is pointless."""
    if attempt >= attempts or not is_worth_retrying(failure):
        return None
    pause = failure.retry_after if failure.retry_after is not None else _FIRST_PAUSE * 2 ** (attempt - 1)
    return pause if pause <= _MAX_PAUSE else None
