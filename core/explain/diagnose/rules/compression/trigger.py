"""Rules about when compression fires, why it does not, and what would change its threshold."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import takewhile
from typing import Any

from core.compress.sizing.estimate import transcript_tokens
from core.compress.sizing.threshold import has_small_summary_model, minimum_window, refuses_summary_model
from core.explain.compactions.foreign_engine import foreign_engine
from core.explain.compactions.refusals import refused_windows
from core.explain.compactions.verdict import BY_SIZE
from core.explain.context.gather import gateway_limits, without_gateway
from core.explain.diagnose.case import Case, moves
from core.explain.diagnose.registry import Found, Missing, conversation_rule
from core.hermes.log.index import log_files
from core.hermes.log.record import Kind, LogRecord
from core.model.finding import Evidence, Source, Verdict

_SAME_TIME, _SAME_COPY = 5.0, 60.0
"""Seconds between the last line of a log and its file's time, and between two files of a copied home."""
_UNSAVED = 2
"""How many messages a turn may begin with beyond those that were saved."""

_LONGER = (
    "Use a model with a longer window; if the provider serves more than that, set model.context_length in "
    "config.yaml"
)


@conversation_rule("A1")
def threshold_not_what_you_set(case: Case) -> Iterable[Found]:
    """The share in force is not the configured one."""
    if case.limits is None:
        raise Missing("the window is unknown")
    if case.context.engine is not None:
        return  # N1 reports which engine decides
    setting = case.context.config.setting("compression.threshold", case.policy.release)
    least = case.limits.threshold > int((case.window or 0) * setting.value) + 1
    floor = abs(case.limits.percent - setting.value) >= 1e-9
    if not (floor or least) or case.context.settings_in_force.aux_window == case.limits.threshold:
        return  # A7 reports a threshold lowered by the summary model
    effective = case.limits.threshold / case.window if least and case.window else case.limits.percent
    advice = "Nothing needs fixing: compression.threshold does not move it in this window"
    if moves(case):
        advice = f"Nothing needs fixing: set compression.threshold above {effective:.2f} to fire later"
    elif case.limits.threshold >= (case.window or 0):
        advice = "Use a model with a longer window: here the provider may refuse before it fires"
    numbers = {
        "configured": setting.value,
        "effective": effective,
        "advice": advice,
        "threshold": case.limits.threshold,
        "window": case.window,
    }
    evidence = [Evidence(Source.CONFIG, setting.origin, f"threshold {setting.value}")]
    evidence += [Evidence(Source.DERIVED, "arithmetic", line) for line in case.limits.arithmetic]
    yield Found(numbers, tuple(evidence), Verdict.DERIVED)


@conversation_rule("A2")
def threshold_unreachable(case: Case) -> Iterable[Found]:
    """The provider refuses before the threshold is reached."""
    if case.limits is None:
        raise Missing("the window is unknown")
    window = case.window or 0
    windows = [(window, Evidence(Source.DERIVED, "window", f"{window:,}")), *_refused_windows(case)]
    real, evidence = min(windows, key=lambda pair: pair[0])
    reserved = case.settings.max_output or 0
    room = real - (reserved if real > reserved else 0)
    if case.limits.threshold < room or _reached(case, room) or _gateway_first(case, room):
        return
    bound = "the window ends at" if real == window else "the provider refuses beyond"
    bound = bound if room == real else "besides the answer, the window leaves no more than"
    helps = _LONGER if room == real else f"Lower model.max_tokens, which takes {reserved:,} of it"
    numbers = {"threshold": case.limits.threshold, "real": room, "bound": bound, "helps": helps}
    yield Found(numbers, (evidence,), Verdict.DERIVED)


def _gateway_first(case: Case, room: int) -> bool:
    """Whether a gateway's own limit is lower, so that it compresses before the agent runs."""
    limits = gateway_limits(case.context.config, case.policy, case.window)
    return limits is not None and limits.tokens < room and not without_gateway(case.tip.source)


def _reached(case: Case, room: int) -> bool:
    """Whether a prompt of that size was answered or made a check fire: the provider does not refuse it."""
    answered = max(case.context.log.prompts, default=0)
    fired = (event.tokens or 0 for event in case.completed if event.trigger in BY_SIZE)
    return max(answered, *fired, 0) >= room


@conversation_rule("A4")
def window_wrong(case: Case, last_resort: int) -> Iterable[Found]:
    """Sources disagree about the window, or the number is Hermes' last resort."""
    claims = _windows(case)
    if not claims:
        raise Missing("no source but a table of names tells the window")
    sizes = sorted({tokens for tokens, _ in claims})
    if len(sizes) > 1 and sizes[0] >= case.policy.threshold.minimum:
        yield _differing(claims, case)
    elif sizes == [last_resort] and case.context.window.source == "log":
        words = f"{sizes[0]:,} is what Hermes assumes when it cannot find out"
        yield Found({"told": words}, (claims[0][1],), Verdict.SUSPECTED)


@conversation_rule("A4-small")
def window_too_small(case: Case) -> Iterable[Found]:
    """The same where one source is below Hermes' minimum, so that it cannot be configured."""
    claims = _windows(case)
    if len(sizes := {tokens for tokens, _ in claims}) > 1 and min(sizes) < case.policy.threshold.minimum:
        yield _differing(claims, case)


def _refused_windows(case: Case) -> list[tuple[int, Evidence]]:
    """The windows that refusals name, unless the same model answered more than that afterwards."""
    calls = case.lines(Kind.CALL)
    return [
        (window, line.evidence)
        for window, line in refused_windows(case.context)
        if not any(
            call.at > line.at
            and (call.input or 0) > window
            and call.model in (None, line.model or call.model)
            for call in calls
        )
    ]


def _windows(case: Case) -> list[tuple[int, Evidence]]:
    """The windows by files, log lines and refusals; no log lines where config.yaml was edited since."""
    silent = ("table", "log") if _edited_since(case) else ("table",)
    claims = (claim for claim in case.context.window.claims if claim.source not in silent)
    return [*((claim.tokens, claim.evidence) for claim in claims), *_refused_windows(case)]


def _edited_since(case: Case) -> bool:
    """Whether config.yaml was edited after the last line of the log, and not just copied with it."""
    path, home, log = case.context.config.path, case.context.store.location.home, case.context.log
    if path is None or home is None or not log.records:
        return False
    try:
        logged = max((file.stat().st_mtime for file in log_files(home)), default=0.0)
        edited = path.stat().st_mtime
    except OSError:
        return False
    # In a copied home the files are newer than the log's last line.
    copied = abs(logged - case.context.clock.utc(log.records[-1].at).timestamp()) > _SAME_TIME
    return edited > logged + (_SAME_COPY if copied else 0)


def _differing(claims: list[tuple[int, Evidence]], case: Case) -> Found:
    words = ", ".join(f"{evidence.where} says {tokens:,}" for tokens, evidence in _distinct(claims))
    numbers = {"told": words, "least": case.policy.threshold.minimum}
    return Found(numbers, tuple(evidence for _, evidence in _distinct(claims)))


@conversation_rule("A5")
def estimate_far_from_real(case: Case, max_ratio: float, min_ratio: float) -> Iterable[Found]:
    """The estimate is far from what the provider counted."""
    if case.context.log.empty:
        raise Missing("no log line is left, and only the log has real prompt sizes")
    for record in case.lines(Kind.PREFLIGHT, Kind.PREFLIGHT_SKIPPED, Kind.PRE_API):
        real = record.input or _counted_next(case, record) or _last_real(case, record)
        if not real or not record.tokens:
            continue
        ratio = record.tokens / real
        if min_ratio <= ratio <= max_ratio:
            continue
        when = "early" if ratio > 1 else "late"
        numbers = {"estimate": record.tokens, "real": real, "ratio": ratio, "when": when}
        yield Found(numbers, (record.evidence,))


@conversation_rule("A7")
def summary_model_lowers_threshold(case: Case) -> Iterable[Found]:
    """The summary model's window lowers the threshold, or is too small for any compaction."""
    lowered = case.lines(Kind.AUX_LOWERED)
    settings, rules = case.settings, case.policy.threshold
    aux = settings.aux_window
    if lowered:
        line = lowered[-1]
        yield Found(_reads(line.window or 0, line.threshold or 0, line.tokens or 0), (line.evidence,))
    elif aux is not None and case.limits is not None:
        setting = case.context.config.setting("auxiliary.compression.context_length", case.policy.release)
        evidence = Evidence(Source.CONFIG, setting.origin, f"context_length {aux}")
        own, least = int((case.window or 0) * case.limits.percent), minimum_window(settings, rules)
        if has_small_summary_model(settings, rules):
            when = "" if refuses_summary_model(settings, rules) else "the first time in each process "
            end = f"{when}ends with an error instead of compressing"
            so = f"but Hermes accepts none below {least:,}, and {end}"
            numbers = {"aux": aux, "so": so, "own": max(own, least)}
            yield Found(numbers, (evidence,), Verdict.DERIVED)
        elif case.limits.threshold == aux < own:
            yield Found(_reads(aux, aux, own), (evidence,), Verdict.DERIVED)


def _reads(aux: int, threshold: int, own: int) -> dict[str, Any]:
    so = f"so compression fires at {threshold:,} instead of {own:,}"
    return {"aux": aux, "threshold": threshold, "own": own, "so": so}


@conversation_rule("A9")
def model_switched(case: Case) -> Iterable[Found]:
    """More than one main model answered."""
    rows = case.store.model_usage([session.id for session in case.conversation.sessions])
    booked = {row.model for row in rows if not row.task and row.model}
    called = {record.model for record in case.lines(Kind.CALL) if record.model}
    models = sorted(booked | called)
    if len(models) > 1:
        source = Source.DATABASE if booked else Source.LOG
        where = "session_model_usage" if booked else "API call lines"
        evidence = Evidence(source, where, ", ".join(models))
        yield Found({"count": len(models), "models": ", ".join(models)}, (evidence,))


@conversation_rule("A10")
def hygiene_changed_nothing(case: Case) -> Iterable[Found]:
    """The gateway announced a compaction that changed nothing."""
    if case.context.log.empty:
        raise Missing("no log line is left")
    records = case.lines(Kind.HYGIENE, Kind.HYGIENE_DONE, Kind.DONE)
    for record, after in zip(records, [*records[1:], None], strict=False):
        if record.kind is not Kind.HYGIENE:
            continue
        if after is None or after.kind is Kind.HYGIENE or (after.after or 0) >= (after.before or 0):
            about_it = (one for one in case.events if record.where in {line.where for line in one.evidence})
            remedy = next((one.headline.remedy for one in about_it if one.failed), None)
            fix = (remedy or f"See the lines after {record.where} for the error").rstrip(".")
            yield Found({"messages": record.before or 0, "fix": fix}, (record.evidence,))


@conversation_rule("N1")
def another_engine(case: Case) -> Iterable[Found]:
    """Another engine than the built-in one decides."""
    engine = foreign_engine(case.context)
    if engine is not None:
        yield Found({"engine": engine.name or "of another make"}, engine.evidence)


def _distinct(claims: list[tuple[int, Evidence]]) -> list[tuple[int, Evidence]]:
    return list({tokens: (tokens, evidence) for tokens, evidence in reversed(claims)}.values())[::-1]


def _counted_next(case: Case, record: LogRecord) -> int | None:
    """The provider's count of the request that was estimated, if it was sent unchanged."""
    if record.kind is not Kind.PREFLIGHT_SKIPPED:
        return None
    later = (line for line in case.lines(Kind.CALL, Kind.STARTED) if line.at > record.at)
    sent = next(later, None)
    return sent.input if sent is not None and sent.kind is Kind.CALL else None


def _last_real(case: Case, record: LogRecord) -> int | None:
    """The size of the previous prompt plus an estimate of the rows after the newest answer."""
    calls = [call for call in case.lines(Kind.CALL, Kind.DONE) if call.at <= record.at]
    if not calls or calls[-1].kind is not Kind.CALL or not calls[-1].input:
        return None
    if not _grew_from(case, calls[-1], record):
        return None
    start, end = (case.context.clock.utc(line.at) for line in (calls[-1], record))
    since = takewhile(lambda message: message.role != "assistant", reversed(case.between(start, end)))
    return calls[-1].input + transcript_tokens(since, case.policy.estimate)


def _grew_from(case: Case, call: LogRecord, record: LogRecord) -> bool:
    """Whether the estimated transcript is what a call sent and what came since.

    It is not after turns of two processes, nor where a compaction before the call was lost with its process.
    """
    turns = [line for line in case.lines(Kind.TURN, Kind.TURN_ENDED) if line.at <= record.at]
    now = next((line for line in reversed(turns) if line.kind is Kind.TURN), None)
    if now is None or now.at <= call.at:
        return True
    before = [line.kind for line in turns if line.at < now.at]
    if before[-2:] == [Kind.TURN_ENDED, Kind.TURN_ENDED]:
        return False
    done = next((line for line in reversed(case.lines(Kind.DONE)) if line.at <= call.at), None)
    if done is None or done.after is None or now.before is None:
        return True
    start, end = (case.context.clock.utc(line.at) for line in (done, now))
    return now.before <= done.after + len(case.between(start, end)) + _UNSAVED
