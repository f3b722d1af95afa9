"""Playing a script: steps become rows, model calls and log lines that agree with one another.

A call carries the system prompt, the tool schemas and every live row, so the sums in `sessions`, in
`session_model_usage` and in the log are the same sums.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Any

from sample_sessions.filler import fill
from sample_sessions.playing.cast import Usage
from sample_sessions.playing.compacting import compact
from sample_sessions.playing.results import numbered, result_text
from sample_sessions.playing.stage import Stage
from sample_sessions.scenario import Call, Repeat, Step


def play(stage: Stage) -> None:
    """Play every step of the stage's script and close its last session."""
    _steps(stage, stage.script.steps, "")
    stage.end_turn()
    if stage.script.ended:
        stage.session.ended, stage.session.end_reason = stage.now, stage.script.ended


def _steps(stage: Stage, steps: Iterable[Step], number: str) -> None:
    for step in steps:
        _step(stage, step, number)


def _step(stage: Stage, step: Step, number: str) -> None:
    if step.wait is not None:
        stage.now += step.wait
    if step.user is not None:
        _user(stage, step.user, number)
    if step.say is not None or step.calls:
        _assistant(stage, step, number)
    if step.row is not None:
        _stray(stage, step.row)
    if step.rewind:
        _rewind(stage, step.rewind)
    if step.switch:
        _switch(stage, step.switch)
    if step.restart is not None:
        _restart(stage, **step.restart)
    if step.prompt:
        _rebuild(stage, step.prompt)
    if step.forget:
        stage.cache.size = 0
    if step.repeat:
        _repeat(stage, step.repeat)
    if step.compact:
        if step.compact.user:
            _user(stage, step.compact.user, number)
        compact(stage, step.compact)


def _repeat(stage: Stage, repeat: Repeat) -> None:
    turn = 0
    while _goes_on(stage, repeat, turn):
        names = repeat.names[turn : turn + 1]
        turn += 1
        _steps(stage, repeat.steps, names[0] if names else str(turn))


def _goes_on(stage: Stage, repeat: Repeat, turn: int) -> bool:
    if repeat.over:
        return stage.prompt <= repeat.over
    if repeat.asked:
        return stage.session.asked[-1].prompt < repeat.asked * stage.threshold
    return turn < repeat.times if repeat.until is None else stage.rough() < repeat.until * stage.threshold


def _user(stage: Stage, content: Any, number: str) -> None:
    """Begin a turn."""
    stage.end_turn()
    stage.pause(12, 75)
    session = stage.session
    history = len(session.live)
    session.opened = len(session.rows)
    row = stage.add("user", _parts(stage, numbered(content, number)))
    stage.turn = 0
    shown = row.content if isinstance(row.content, str) else "[image]"
    stage.tag = session.id
    stage.log("turn", platform=stage.script.source, history=history, message=shown[:80])
    if stage.rebuilt:
        stage.log("prompt_rebuilt")
        stage.rebuilt = False


def _assistant(stage: Stage, step: Step, number: str) -> None:
    said = _said(stage, step.say, number)
    usage = _call(stage, step, said, number)
    calls = [_tool_call(stage, call, number) for call in step.calls]
    row = stage.add("assistant", said)
    row.finish_reason = "tool_calls" if calls else "stop"
    row.reasoning = numbered(step.think, number) or None
    row.tool_calls = [wire for wire, _ in calls] or None
    row.tokens = usage.output - usage.reasoning + 4
    for (wire, text), call in zip(calls, step.calls, strict=True):
        if not call.unanswered:
            _result(stage, wire, call, text)
    if not calls:
        stage.end_turn()


def _said(stage: Stage, raw: Any, number: str) -> str:
    """The model's answer: text, or the recipe of a longer answer that begins with a text."""
    if not isinstance(raw, Mapping):
        return numbered(raw, number) or ""
    recipe = {key: value for key, value in raw.items() if key != "text"}
    return str(numbered(raw["text"], number)) + fill(recipe, f"{stage.seed}{stage.counter}{number}")


def _call(stage: Stage, step: Step, said: str, number: str) -> Usage:
    """Make one model call: its token buckets, and a log line if the provider reports usage."""
    model = stage.session.model
    spoken = said + "".join(json.dumps(dict(call.args)) for call in step.calls)
    thinking = round(len(numbered(step.think, number)) * 1.3 / model.chars)
    output = round(len(spoken) / model.chars) + 18 * len(step.calls) + thinking + 6
    latency = 0.7 + output / 62 + stage.prompt / 90_000 + stage.rng.random()
    stage.now += timedelta(seconds=latency)
    usage = stage.cache.use(stage.now, model, stage.prompt, output, thinking)
    if stage.script.reports_usage:
        stage.session.usages.append(usage)
        stage.turn = (stage.turn or 0) + 1
        _log_call(stage, usage, latency)
    return usage


def _log_call(stage: Stage, usage: Usage, latency: float) -> None:
    stage.log(
        "call_cached" if usage.cache_read else "call",
        number=stage.turn,
        prompt=usage.prompt,
        output=usage.output,
        total=usage.prompt + usage.output,
        latency=latency,
        read=usage.cache_read,
        share=round(100 * usage.cache_read / usage.prompt),
    )
    if stage.fresh:
        stage.log("rearmed", prompt=usage.prompt, limit=stage.threshold)
    stage.fresh = False


def _tool_call(stage: Stage, call: Call, number: str) -> tuple[dict[str, Any], str]:
    stage.counter += 1
    name = f"{stage.seed}{stage.counter}"
    call_id = f"call_{random.Random(name).getrandbits(64):016x}"
    arguments = json.dumps(numbered(dict(call.args), number), ensure_ascii=False)
    wire = {"id": call_id, "type": "function", "function": {"name": call.tool, "arguments": arguments}}
    return wire, result_text(call, name, number)


def _result(stage: Stage, wire: Mapping[str, Any], call: Call, text: str) -> None:
    took = 0.05 + stage.rng.random() * 2 + len(text) / 60_000
    stage.now += timedelta(seconds=took)
    row = stage.add("tool", text)
    row.tool_call_id = wire["id"]
    row.tool_name = call.tool if stage.release.names_results else None
    stage.log("tool", tool=call.tool, seconds=took, length=len(text))


def _stray(stage: Stage, raw: Mapping[str, Any]) -> None:
    fields = dict(raw)
    row = stage.add(fields.pop("role"), _parts(stage, fields.pop("content", None)))
    for name, value in fields.items():
        setattr(row, name, value)


def _rewind(stage: Stage, count: int) -> None:
    stage.end_turn()
    taken = stage.session.live[-count:]
    for row in taken:
        row.active = False
    stage.session.rewinds += 1
    stage.cache.size = max(0, stage.cache.size - 3 * sum(row.tokens for row in taken))


def _switch(stage: Stage, name: str) -> None:
    stage.end_turn()
    stage.pause(4, 9)
    stage.session.model = stage.world.models[name]
    stage.log("switched")


def _restart(stage: Stage, tools: int = 0, names: Sequence[str] = ()) -> None:
    """Continue in another process: it has not compacted yet, and may send other tools."""
    stage.end_turn()
    stage.pause(20, 40)
    stage.log("discovered", tagged=False)
    stage.warm = False
    stage.tools += tools
    stage.session.added_tools = (*stage.session.added_tools, *names)
    if tools:
        stage.cache.size = 0


def _rebuild(stage: Stage, name: str) -> None:
    """Change memory or a skill: the next request begins with another prompt."""
    stage.session.system = stage.world.systems[name]
    stage.cache.size = 0
    stage.rebuilt = True


def _parts(stage: Stage, content: Any) -> Any:
    """Content as stored; `{image: 40}` among the parts becomes that many kilobytes of picture."""
    if not isinstance(content, list):
        return content
    return [_image(stage, part["image"]) if "image" in part else part for part in content]


def _image(stage: Stage, kilobytes: int) -> dict[str, Any]:
    stage.counter += 1
    data = fill({"kind": "image", "kilobytes": kilobytes}, f"{stage.seed}{stage.counter}")
    return {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}}
