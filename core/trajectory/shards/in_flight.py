"""Summaries by a model with many concurrent requests, while lines are written in order."""

from __future__ import annotations

import asyncio
import random
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from core.compress.summarise.answer_check import CUT, ModelAnswer, checked
from core.compress.summarise.base import FailureKind, SummaryFailure, SummaryRequest
from core.compress.summarise.prompt import Prompt
from core.compress.summarise.remote.answers import failure_of, is_worth_retrying
from core.compress.summarise.remote.wires import connections
from core.model.accounting.amounts import Buckets
from core.trajectory.input.cut import Shard
from core.trajectory.shards.compressor import Done, Draft
from core.trajectory.shards.job import Job, Kept, ShardResult, kept_of
from core.trajectory.shards.work import Gate, Report, ShardWork, Window
from core.trajectory.summaries.base import SummaryMissing, Written, build_prompt

_OPEN = 8
"""How many shards may wait for their last requests at once."""

_FIRST_PAUSE, _MAX_PAUSE = 0.5, 30.0
_OUTPUT_FACTOR = 2
"""Output token limit, as a multiple of the requested tokens, as in the releases."""

_PATIENT = (FailureKind.RATE_LIMIT, FailureKind.OVERLOADED)
"""Failures that are waited out as long as the entry's time allows."""


def compress_asking(
    job: Job, shards: Sequence[Shard], kept: Kept | None, report: Report | None
) -> Iterator[ShardResult]:
    """Compress shards whose summaries a model writes; each result is yielded once its part exists.

    One process is enough, because it mostly waits. The next shard is read while the last requests of the
    previous one are running. `kept` are the entries of a sample by shard.
    """
    with asyncio.Runner() as runner:
        shared = runner.run(_opened(job))
        waiting: set[asyncio.Task[ShardResult]] = set()
        left = deque(shards)
        try:
            while left or waiting:
                while left and len(waiting) < _OPEN:
                    shard = left.popleft()
                    work = ShardWork(job, shard, kept_of(kept, shard), report)
                    waiting.add(runner.get_loop().create_task(_compressed(work, shared)))
                done, waiting = runner.run(_first(waiting))
                yield from (task.result() for task in done)
        finally:
            runner.run(_closed(shared, waiting))


@dataclass(frozen=True, slots=True)
class _Shared:
    """What the shards of a run share.

    Attributes:
        turn: Held by the shard that is being read.
    """

    asker: Asker
    turn: asyncio.Lock


async def _opened(job: Job) -> _Shared:
    return _Shared(Asker(job), asyncio.Lock())


async def _first(
    waiting: set[asyncio.Task[ShardResult]],
) -> tuple[set[asyncio.Task[ShardResult]], set[asyncio.Task[ShardResult]]]:
    return await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)


async def _closed(shared: _Shared, waiting: set[asyncio.Task[ShardResult]]) -> None:
    for task in waiting:
        task.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    await shared.asker.close()


async def _compressed(work: ShardWork, shared: _Shared) -> ShardResult:
    with work.part() as stream:
        window = Window(work, stream)
        try:
            async with shared.turn:
                for number, begun in work.begun():
                    window.add(number, begun, _started(work, shared.asker, begun))
                    await asyncio.sleep(0)
                    await window.write_ready()
            await window.write_all()
        finally:
            window.cancel()
    return work.result()


def _started(work: ShardWork, asker: Asker, draft: Draft | Done) -> Done | asyncio.Task[Done]:
    return asyncio.create_task(_finished(work, asker, draft)) if isinstance(draft, Draft) else draft


async def _finished(work: ShardWork, asker: Asker, draft: Draft) -> Done:
    attempts = _Attempts()
    try:
        written = await asker.summary(draft, attempts)
    except SummaryMissing as missing:
        return work.compressor.failed(draft, missing)
    finally:
        used = attempts.usage
        work.found.sent += sum(tokens or 0 for tokens in (used.input, used.cache_read, used.cache_write))
        work.found.received += used.output or 0
    work.deadline.begin()
    return work.compressor.finish(draft, written)


@dataclass(slots=True)
class _Attempts:
    """The attempts at a summary.

    Attributes:
        refused: Errors that waiting alone does not fix.
        under_way: Whether it holds one of the gate's places.
    """

    calls: int = 0
    errors: int = 0
    refused: int = 0
    under_way: bool = False
    usage: Buckets = Buckets()  # noqa: RUF009 - frozen


class Asker:
    """Asks a model, with a limited number of concurrent requests."""

    def __init__(self, job: Job) -> None:
        choice = job.summary.choice
        assert choice is not None
        self._job = job
        self._secrets = (choice.api_key,)
        self._where = f"{choice.model} at {choice.endpoint.host}"
        self._seconds = min(choice.timeout, job.timeout / max(1, job.summary.attempts))
        self._gate = Gate(job.summary.concurrency)
        self._connection = connections(job.summary.kind)[1](replace(choice, timeout=self._seconds))

    async def close(self) -> None:
        """Abort running requests."""
        await self._connection.close()

    async def summary(self, draft: Draft, attempts: _Attempts) -> Written:
        """The summary of a region.

        Raises:
            SummaryMissing: No attempt gave one, or the entry took too long.
        """
        await self._gate.enter()
        attempts.under_way = True
        try:
            async with asyncio.timeout(self._job.timeout):
                return await self._tried(draft, attempts)
        except TimeoutError:
            failure = SummaryFailure(
                FailureKind.TIMEOUT, f"took longer than {self._job.timeout:g} s", where=self._where
            )
            raise SummaryMissing(failure, attempts.calls) from None
        finally:
            if attempts.under_way:
                self._gate.leave()

    async def _tried(self, draft: Draft, attempts: _Attempts) -> Written:
        turns, region = draft.entry.turns, draft.region
        prompt = await asyncio.to_thread(
            build_prompt, turns, region, self._job.settings
        )  # masking takes long
        while True:
            attempts.calls += 1
            try:
                text = await self._answer_to(prompt, attempts)
            except Exception as error:  # the edge to two SDKs: `failure_of` says what it means
                attempts.errors += 1
                failure = failure_of(error, self._where, self._secrets)
                attempts.refused += failure.kind not in _PATIENT
                if attempts.refused >= self._job.summary.attempts or not _may_retry(failure):
                    raise SummaryMissing(failure, attempts.calls) from error
                await self._pause(failure, attempts)
            else:
                return Written(text, attempts.calls, attempts.errors)

    async def _answer_to(self, prompt: Prompt, attempts: _Attempts) -> str:
        settings = self._job.settings
        async with asyncio.timeout(self._seconds):
            answer = await self._connection.ask(
                prompt, max(1, _OUTPUT_FACTOR * settings.summary_target), self._job.summary.temperature
            )
        attempts.usage += answer.usage or Buckets()
        request = SummaryRequest((), settings.summary_target, ())
        return checked(self._allowed(answer), request, self._where)[0]

    def _allowed(self, answer: ModelAnswer) -> ModelAnswer:
        """An answer as the release treats it: older ones accept one that was cut off."""
        if answer.finish in CUT and not self._job.settings.rules.refuses_cut:
            return replace(answer, finish=None)
        return answer

    async def _pause(self, failure: SummaryFailure, attempts: _Attempts) -> None:
        """Wait before another attempt, and let another entry ask meanwhile."""
        grown = min(_MAX_PAUSE, _FIRST_PAUSE * 2 ** (attempts.errors - 1)) * random.uniform(1.0, 1.25)
        self._gate.leave()
        attempts.under_way = False
        await asyncio.sleep(grown if failure.retry_after is None else failure.retry_after)
        await self._gate.enter(again=True)
        attempts.under_way = True


def _may_retry(failure: SummaryFailure) -> bool:
    return is_worth_retrying(failure) or failure.kind in (FailureKind.EMPTY, FailureKind.TRUNCATED)
