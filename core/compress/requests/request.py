"""The request to a summariser for one planned middle."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from core.compress.assembly.assemble import pruned_rows, without_summaries
from core.compress.facts.readable import is_output
from core.compress.messages.kinds import content_text, function_of, is_asking, request_text, summary_match
from core.compress.messages.summary_row import unwrapped
from core.compress.planning.measure import Measured
from core.compress.planning.summary_window import Window, summary_window
from core.compress.pruning.old_outputs import demoted
from core.compress.pruning.truncate import elide_middle
from core.compress.requests.additions import Finish, finished
from core.compress.requests.sample import bounded, sampled
from core.compress.summarise.base import SummaryRequest, SummaryResult, SummaryStatus
from core.hermes.markers.wording import OURS, Wording
from core.hermes.policy.policy import Policy
from core.hermes.policy.summary_rules import SummaryRules
from core.model.compaction.plan import Plan
from core.model.transcript.message import Message, is_image
from core.redact.message import redact_message
from core.redact.text import redact_text

_BODY_MOST, _BODY_HEAD, _BODY_TAIL = 6000, 4000, 1500
_ARGUMENTS_MOST, _ARGUMENTS_HEAD = 1500, 1200
_MEDIA = re.compile(r"MEDIA:\S+")
_THOUGHT = re.compile(
    r"<(think|thinking|reasoning|REASONING_SCRATCHPAD)>.*?</\1>\s*", re.DOTALL | re.IGNORECASE
)
_FOCUS_TURNS, _FOCUS_TURN, _FOCUS_MOST = 3, 260, 700


def serialised(turns: Sequence[Message], rules: SummaryRules, *, lean: bool = False) -> str:
    """The middle as one text; `lean` takes even samples of oversized input instead of cutting its middle."""
    records = [_record(message, rules) for message in turns]
    if not rules.input_cap:
        return "\n\n".join(records)
    return sampled(records, rules.input_cap) if lean else bounded("\n\n".join(records), rules.input_cap)


def _record(message: Message, rules: SummaryRules) -> str:
    role = str(message.wire.get("role", "unknown"))
    body = _cut(_body(message, role, rules), rules)
    if role == "tool":
        return f"[TOOL RESULT {message.tool_call_id or ''}]: {body}"
    calls = message.wire.get("tool_calls") if role == "assistant" else None
    if isinstance(calls, list | tuple) and calls:
        body += "\n[Tool calls:\n" + "\n".join(map(_call, calls)) + "\n]"
    return f"[{role.upper()}]: {body}"


def _body(message: Message, role: str, rules: SummaryRules) -> str:
    content: Any = message.content
    if isinstance(content, list) and rules.list_text:
        content = "\n".join(filter(None, map(_part, content)))
    text = redact_text(str(content or ""))
    if rules.media_notes:
        text = _MEDIA.sub("[media attachment]", text)
    return _THOUGHT.sub("", text) if rules.list_text and role == "assistant" else text


def _part(part: Any) -> str:
    if isinstance(part, str):
        return part
    if is_image(part):
        url = _url(part)
        return f"[image: {url}]" if url.startswith(("http://", "https://")) else "[image]"
    if not isinstance(part, dict):
        return ""
    text = part.get("text")
    return text if isinstance(text, str) else f"[{part.get('type', 'part')}]"


def _url(part: dict[str, Any]) -> str:
    holder = part.get("image_url", part.get("url"))
    value = holder.get("url") if isinstance(holder, dict) else holder
    return value if isinstance(value, str) else ""


def _cut(text: str, rules: SummaryRules) -> str:
    if len(text) <= _BODY_MOST:
        return text
    if rules.elision == "counted":
        return elide_middle(text, _BODY_HEAD, _BODY_TAIL)
    return f"{text[:_BODY_HEAD]}\n...[truncated]...\n{text[-_BODY_TAIL:]}"


def _call(call: Any) -> str:
    if not isinstance(call, dict):
        return "  ?(...)"
    function = function_of(call)
    arguments = function.get("arguments", "")
    # Masked before it is cut, as half a key would not be recognised.
    text = redact_text(arguments if isinstance(arguments, str) else str(arguments))
    shown = text[:_ARGUMENTS_HEAD] + "..." if len(text) > _ARGUMENTS_MOST else text
    return f"  {function.get('name', '?')}({shown})"


def summary_request(
    measured: Measured,
    plan: Plan,
    *,
    focus: str | None = None,
    previous: str | None = None,
    with_transcript: bool = True,
    today: str | None = None,
    session: str | None = None,
) -> SummaryRequest:
    """Gather everything a summariser needs for a plan that has a middle.

    `previous` is the summary in the compressor's memory, by default the one found in the conversation;
    `with_transcript` writes the turns out as in a model's prompt; `today` is for releases that ask for dated
    facts, and the release's additions refer to `session`.
    """
    policy = measured.policy
    rules = policy.summary
    window = summary_window(measured, plan.middle, frozenset(plan.pruned_at))
    pruned = window_turns(measured, plan, window)
    turns = tuple(map(_masked_whole, pruned))
    earlier = previous or earlier_body(measured, window)
    originals = _originals(measured, window, dict(zip(map(id, pruned), turns, strict=True)))
    budget = plan.summary_budget or rules.least
    return SummaryRequest(
        turns=turns,
        budget=budget + (rules.log_tokens if plan.lean else 0),
        headings=(*rules.headings, *(rules.lean_headings if plan.lean else ())),
        focus=focus,
        auto_focus=None if focus or not rules.auto_focus else auto_focus(measured, policy),
        previous_summary=earlier,
        transcript=serialised(turns, rules, lean=plan.lean) if with_transcript else "",
        originals=originals,
        max_output=int(budget * rules.output_factor) if rules.output_factor else None,
        temporal=rules.temporal,
        today=today if rules.temporal else None,
        asked_before=_asked_before(measured, window),
        complete=partial(
            finished, finish=Finish(turns, policy, plan.lean, session, focus, originals, earlier)
        ),
    )


def completed(result: SummaryResult, request: SummaryRequest, finish: Finish, wording: Wording = OURS) -> str:
    """The body as it is inserted, with the release's additions."""
    if result.status is SummaryStatus.EXTRACTIVE:
        return request.complete(result.body, wording=wording)
    grounds = result.status is not SummaryStatus.FALLBACK
    return finished(result.body, finish, grounds=grounds, wording=wording)


def finish_of(measured: Measured, plan: Plan, request: SummaryRequest, session: str | None) -> Finish:
    """What the release's additions to this summary depend on."""
    return Finish(request.turns, measured.policy, plan.lean, session, previous=request.previous_summary)


def window_turns(measured: Measured, plan: Plan, window: Window) -> tuple[Message, ...]:
    """The messages to summarise: pruned, without summaries but with the messages these were merged into."""
    turns = frozenset(window.turns)
    found = demoted(pruned_rows(measured, plan, min(turns, default=0)), measured.policy.tail, plan, None)
    rows = [row for row in found if row.origin in turns]
    return tuple(row.message for row in without_summaries(rows, measured))


def _originals(measured: Measured, window: Window, clean: Mapping[int, Message]) -> tuple[Message, ...]:
    """The same messages with their tool results in full; unpruned ones are already masked."""
    leftovers = measured.columns.leftovers
    live = (unwrapped(measured.base[i]) if i in leftovers else measured.base[i] for i in window.turns)
    return tuple(clean.get(id(message)) or _masked_whole(message) for message in live if message is not None)


def _asked_before(measured: Measured, window: Window) -> str:
    """The request that the first of the turns works on; empty if it is not among the messages before."""
    base = measured.base
    for i in reversed(range(window.span.start)):
        if is_asking(base[i], measured.policy):
            text = request_text(base[i])
            if not is_output(text, base[i - 1].role if i else None):
                return text
    return ""


def earlier_body(measured: Measured, window: Window) -> str | None:
    """The earlier summaries that this one continues, joined; None without any."""
    rules = measured.policy.summary
    matches = (summary_match(measured.base[i].content, rules) for i in window.earlier)
    bodies = [match.body for match in matches if match is not None and match.body]
    return "\n\n".join(bodies) or None


def auto_focus(measured: Measured, policy: Policy) -> str | None:
    """The topic a release derives from the newest requests when the user gives none."""
    newest: list[str] = []
    for message in reversed(measured.base):
        if len(newest) == _FOCUS_TURNS:
            break
        if is_asking(message, policy) and not message.wire.get("display_kind"):
            newest.append(_short(" ".join(redact_text(content_text(message.content)).split()), _FOCUS_TURN))
    if not newest:
        return None
    return _short("Latest requests:\n" + "\n".join(f"- {text}" for text in reversed(newest)), _FOCUS_MOST)


def _short(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def _masked_whole(message: Message) -> Message:
    """Mask credentials that cannot be found by reading the message's texts one by one.

    A credential that spans two text parts, or is written in escapes, shows only in the whole message.
    Messages that can hold neither are returned unchanged.
    """
    content, called = message.wire.get("content"), message.wire.get("tool_calls")
    parts = isinstance(content, list) and len(content) > 1
    escaped = called and any("\\u" in call.arguments for call in message.tool_calls)
    return redact_message(message) if parts or escaped else message
