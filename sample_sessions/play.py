"""Playing a script: steps become rows, model calls and log lines that agree with one another.

The clock, the token buckets and the log are simulated from the rows themselves: a call carries the system
prompt, the tool schemas and every live row, so the sums in `sessions`, in `session_model_usage` and in the
log are the same sums.
"""

from __future__ import annotations

import json
import random
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from sample_sessions.cast import Edition, Line, Model, Played, PromptCache, Row, Usage
from sample_sessions.filler import fill
from sample_sessions.results import numbered, result_text
from sample_sessions.scenario import Call, Repeat, Script, Step
from sample_sessions.sizes import estimate, provider_tokens

TOOLS_TOKENS = 6180
"""What the tool schemas of the made-up installation weigh."""


class Player:
    """Plays one script; a rotation leaves several sessions behind.

    Args:
        script: What happens.
        models: By name.
        systems: System prompts by name.
        now: The moment the script's times count back from.
        seed: Makes two players of one scenario differ.
        edition: Which Hermes it is.
        parent: The session a branch or delegate hangs from.
    """

    def __init__(
        self,
        script: Script,
        models: Mapping[str, Model],
        systems: Mapping[str, str],
        now: datetime,
        seed: str,
        edition: Edition,
        parent: Played | None = None,
    ) -> None:
        self.rng = random.Random(seed)
        self.models, self.systems, self.seed, self.script = models, systems, seed, script
        self.now = now - script.began
        self.edition = edition
        self.lines: list[Line] = []
        self.sessions: list[Played] = []
        self.counter = 0
        self._cached = PromptCache()
        self._turn: _Turn | None = None
        self._open(models[script.model], parent)

    @property
    def session(self) -> Played:
        """The session being played."""
        return self.sessions[-1]

    def play(self) -> list[Played]:
        """Plays every step and closes the last session."""
        self._steps(self.script.steps, "")
        self._end_turn()
        if self.script.ended:
            self.session.ended, self.session.end_reason = self.now, self.script.ended
        return self.sessions

    # -- sizes ---------------------------------------------------------------------------------------------

    @property
    def base(self) -> int:
        """Provider tokens of the system prompt and the tool schemas."""
        return round(len(self.session.system) / self.session.model.chars) + TOOLS_TOKENS - 140

    @property
    def prompt(self) -> int:
        """Provider tokens of the next request."""
        return self.base + sum(row.tokens for row in self.session.live)

    def rough(self) -> int:
        """Hermes' own estimate of the request."""
        return (len(self.session.system) + 3) // 4 + estimate(self.session.live) + TOOLS_TOKENS

    # -- steps ---------------------------------------------------------------------------------------------

    def _steps(self, steps: Iterable[Step], number: str) -> None:
        for step in steps:
            self._step(step, number)

    def _step(self, step: Step, number: str) -> None:
        if step.wait is not None:
            self.now += step.wait
        if step.user is not None:
            self.user(step.user, number)
        if step.say is not None or step.calls:
            self._assistant(step, number)
        if step.row is not None:
            self._stray(step.row)
        if step.rewind:
            self._rewind(step.rewind)
        if step.switch:
            self._switch(step.switch)
        if step.repeat:
            self._repeat(step.repeat)
        if step.compact:
            from sample_sessions.compacting import compact

            compact(self, step.compact)

    def _repeat(self, repeat: Repeat) -> None:
        from sample_sessions.compacting import threshold

        goal = None if repeat.until is None else repeat.until * threshold(self.session.model.window)
        turn = 0
        while (goal is None and turn < repeat.times) or (goal is not None and self.rough() < goal):
            turn += 1
            self._steps(repeat.steps, str(turn))

    def user(self, content: Any, number: str = "") -> None:
        """A turn begins."""
        self._end_turn()
        self.pause(12, 75)
        session = self.session
        history = len(session.live)
        text = numbered(content, number)
        row = self.add("user", self._parts(text))
        self._turn = _Turn()
        shown = row.content if isinstance(row.content, str) else "[image]"
        self.log(
            "agent.turn_context",
            f"conversation turn: session={session.id} model={session.model.name} provider="
            f"{session.model.provider} platform={self.script.source} history={history} msg={shown[:80]!r}",
        )

    def _assistant(self, step: Step, number: str) -> None:
        usage = self._call(step, number)
        calls = [self._tool_call(call, number) for call in step.calls]
        row = self.add("assistant", numbered(step.say, number) or "", tokens=usage.output + 4)
        row.finish_reason = "tool_calls" if calls else "stop"
        row.reasoning = numbered(step.think, number) or None
        row.tool_calls = [wire for wire, _ in calls] or None
        row.tokens = usage.output - usage.reasoning + 4
        for (wire, text), call in zip(calls, step.calls, strict=True):
            if not call.unanswered:
                self._result(wire, call, text)
        if not calls:
            self._end_turn()

    def _call(self, step: Step, number: str) -> Usage:
        """One model call: its buckets, its price, its log line."""
        spoken = (numbered(step.say, number) or "") + "".join(json.dumps(dict(c.args)) for c in step.calls)
        chars = self.session.model.chars
        thinking = round(len(numbered(step.think, number) or "") * 1.3 / chars)
        output = round(len(spoken) / chars) + 18 * len(step.calls) + thinking + 6
        latency = 0.7 + output / 62 + self.prompt / 90_000 + self.rng.random()
        self.now += timedelta(seconds=latency)
        usage = self._cached.use(self.now, self.session.model, self.prompt, output, thinking)
        if not self.script.reports_usage:
            return replace(usage, input=0, cache_read=0, cache_write=0, output=output)
        self.session.usages.append(usage)
        turn = self._turn = self._turn or _Turn()
        turn.calls += 1
        if not step.unlogged:
            self.log("agent.conversation_loop", _call_text(turn.calls, usage, latency))
        return usage

    def _tool_call(self, call: Call, number: str) -> tuple[dict[str, Any], str]:
        self.counter += 1
        call_id = f"call_{random.Random(f'{self.seed}{self.counter}').getrandbits(64):016x}"
        arguments = json.dumps(numbered(dict(call.args), number), ensure_ascii=False)
        wire = {"id": call_id, "type": "function", "function": {"name": call.tool, "arguments": arguments}}
        return wire, result_text(call, self.seed + str(self.counter), number)

    def _result(self, wire: dict[str, Any], call: Call, text: str) -> None:
        took = 0.05 + self.rng.random() * 2 + len(text) / 60_000
        self.now += timedelta(seconds=took)
        row = self.add("tool", text)
        row.tool_call_id, row.tool_name = wire["id"], call.tool
        self.log("agent.tool_executor", f"tool {call.tool} completed ({took:.2f}s, {len(text)} chars)")

    def _stray(self, raw: Mapping[str, Any]) -> None:
        fields = dict(raw)
        row = self.add(fields.pop("role"), self._parts(fields.pop("content", None)))
        for name, value in fields.items():
            setattr(row, name, value)

    def _rewind(self, count: int) -> None:
        self._end_turn()
        for row in self.session.live[-count:]:
            row.active = False
        self.session.rewinds += 1

    def _switch(self, name: str) -> None:
        self._end_turn()
        self.pause(4, 9)
        self.session.model = self.models[name]
        model = self.session.model
        self.log("hermes_cli.model_switch", f"model switched to {name} (provider={model.provider})")

    # -- what the steps are made of -------------------------------------------------------------------------

    def add(self, role: str, content: Any, *, tokens: int | None = None) -> Row:
        """A new live row."""
        if tokens is None:
            tokens = provider_tokens(content, self.session.model.chars)
        row = Row(role, content, self.now, self.new_uid(), tokens)
        self.session.rows.append(row)
        return row

    def new_uid(self) -> str:
        """A message uid."""
        return uuid.UUID(int=self.rng.getrandbits(128)).hex

    def log(self, logger: str, text: str, *, level: str = "INFO", tagged: bool = True) -> None:
        """A log line at the present moment."""
        self.now += timedelta(milliseconds=self.rng.randint(2, 30))
        self.lines.append(Line(self.now, level, self.session.id if tagged else None, logger, text))

    def pause(self, low: float, high: float) -> None:
        """Some seconds pass."""
        self.now += timedelta(seconds=self.rng.uniform(low, high))

    def rotate(self) -> Played:
        """Closes the session as compressed and opens its continuation."""
        old = self.session
        old.ended, old.end_reason = self.now, "compression"
        self.now += timedelta(milliseconds=40)
        return self._open(old.model, old)

    def forget_cache(self, keep: int) -> None:
        """Only the first `keep` tokens of the prefix are still what the provider has seen."""
        self._cached.size = min(self._cached.size, keep)

    def _open(self, model: Model, parent: Played | None) -> Played:
        script = self.script
        kind = {"branch": "_branched_from", "delegate": "_delegate_from"}
        relation = "branch" if script.branch_of else "delegate" if script.delegate_of else ""
        first = not self.sessions
        played = Played(
            id=f"{self.now.astimezone():%Y%m%d_%H%M%S}_{self.rng.getrandbits(24):06x}",
            script=script,
            model=model,
            system=self.systems[script.system],
            began=self.now,
            parent=parent.id if parent else None,
            marker=kind.get(relation) if first else None,
            title=_title(script.title, len(self.sessions) + 1),
        )
        if first and parent is not None and script.branch_of:
            played.rows = [replace(row, uid=self.new_uid()) for row in parent.live[: script.share]]
        self.sessions.append(played)
        return played

    def _end_turn(self) -> None:
        turn, self._turn = self._turn, None
        if turn is None or not turn.calls:
            return
        last = self.session.live[-1]
        self.log(
            "agent.conversation_loop",
            f"Turn ended: reason=text_response(finish_reason=stop) model={self.session.model.name} "
            f"api_calls={turn.calls}/90 budget={turn.calls}/90 tool_turns={max(0, turn.calls - 1)} "
            f"last_msg_role={last.role} response_len={len(str(last.content))} session={self.session.id}",
        )

    def _parts(self, content: Any) -> Any:
        """Content as stored; `{image: 40}` among the parts becomes that many kilobytes of picture."""
        if not isinstance(content, list):
            return content
        return [
            self._image(part["image"]) if isinstance(part, dict) and "image" in part else part
            for part in content
        ]

    def _image(self, kilobytes: int) -> dict[str, Any]:
        self.counter += 1
        data = fill({"kind": "image", "kilobytes": kilobytes}, f"{self.seed}{self.counter}")
        return {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}}


@dataclass(slots=True)
class _Turn:
    calls: int = 0


def _call_text(number: int, usage: Usage, latency: float) -> str:
    text = (
        f"API call #{number}: model={usage.model.name} provider={usage.model.provider} in={usage.prompt} "
        f"out={usage.output} total={usage.prompt + usage.output} latency={latency:.1f}s"
    )
    if usage.cache_read:
        share = round(100 * usage.cache_read / usage.prompt)
        text += f" cache={usage.cache_read}/{usage.prompt} ({share}%)"
    return text


def _title(title: str | None, number: int) -> str | None:
    return title if title is None or number == 1 else f"{title} #{number}"
