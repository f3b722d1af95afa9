"""The stage a script is played on: the clock, the sessions, the rows, the log."""

from __future__ import annotations

import random
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from core.compress.sizing.estimate import message_size, text_tokens, total_tokens
from core.compress.sizing.threshold import budgets
from core.hermes.policy.policy import Policy, load_policy
from core.model.compaction.plan import Settings
from core.model.transcript.message import Message
from sample_sessions.playing.cast import Line, Model, Played, PromptCache, Row
from sample_sessions.releases import Profile
from sample_sessions.scenario import Script

TOOLS_TOKENS = 6180
"""Size of the sample installation's tool schemas in tokens, by Hermes' estimate."""


@dataclass(frozen=True, slots=True)
class World:
    """Data that every script of a build shares.

    Attributes:
        now: The time the scripts count back from.
        models: By name.
        systems: System prompts by name.
    """

    now: datetime
    models: Mapping[str, Model]
    systems: Mapping[str, str]


class Stage:
    """The state of one script; rotations make several sessions of it.

    Attributes:
        now: The clock.
        turn: Model calls of the open turn; None outside a turn.
        warm: Whether this process has compacted before.
        counter: Number of calls and pictures so far, for unique names.
        cache: The part of the last request that the provider has cached.
        tag: Session named in the log lines of a turn.
        limit: Window of this session after a provider's refusal; None for the model's own.
        tools: Tokens of the tool schemas sent.
        fresh: Whether it was compacted since the last model call.
        rebuilt: Whether the system prompt changed since the last turn.
    """

    def __init__(
        self, world: World, script: Script, profile: Profile, seed: str, parent: Played | None = None
    ) -> None:
        self.world, self.script, self.profile, self.seed = world, script, profile, seed
        self.release = profile.release
        self.policy = load_policy(self.release.name)
        self.rng = random.Random(seed)
        self.now = world.now - script.began
        self.lines: list[Line] = []
        self.sessions: list[Played] = []
        self.turn: int | None = None
        self.counter = 0
        self.warm = self.fresh = self.rebuilt = False
        self.cache = PromptCache()
        self.limit: int | None = None
        self.tools = TOOLS_TOKENS
        first = self._open(world.models[script.model], parent)
        self.tag = first.id
        if parent is not None and script.branch_of:
            first.marker = "_branched_from"
            first.rows = [replace(row, uid=self.new_uid()) for row in parent.live[: script.share]]
        elif parent is not None:
            first.marker = "_delegate_from"

    @property
    def session(self) -> Played:
        """The session being played."""
        return self.sessions[-1]

    @property
    def base(self) -> int:
        """Provider tokens of the system prompt and the tool schemas."""
        return round(len(self.session.system) / self.session.model.chars) + self.tools - 140

    @property
    def prompt(self) -> int:
        """Provider tokens of the next request."""
        return self.base + sum(row.tokens for row in self.session.live)

    @property
    def window(self) -> int:
        """The context length in force."""
        return self.limit or self.session.model.window

    def rough(self) -> int:
        """Hermes' own estimate of the next request."""
        system = text_tokens(self.session.system, self.policy.estimate.unit)
        return system + estimate(self.session.live, self.policy) + self.tools

    @property
    def settings(self) -> Settings:
        """The settings that decide where this session is compressed and cut."""
        return Settings(window=self.window, warm=self.warm, threshold=self.profile.threshold)

    @property
    def threshold(self) -> int:
        """The threshold in tokens."""
        return budgets(self.settings, self.policy, self.window).threshold

    def add(self, role: str, content: Any) -> Row:
        """Add a live row."""
        tokens = provider_tokens(content, self.session.model.chars)
        row = Row(role, content, self.now, self.new_uid(), tokens)
        self.session.rows.append(row)
        return row

    def new_uid(self) -> str:
        """A message uid."""
        return uuid.UUID(int=self.rng.getrandbits(128)).hex

    def log(self, line: str, *, tagged: bool = True, **fields: Any) -> None:
        """Log a line of lines.yaml now, if the release writes such a line."""
        form = self.release.form(line)
        if form is None:
            return
        self.now += timedelta(milliseconds=self.rng.randint(2, 30))
        model = self.session.model
        known = {
            "session": self.session.id,
            "model": model.name,
            "provider": model.provider,
            "url": model.url,
        }
        tag = self.tag if tagged and form.room not in self.release.untagged else None
        self.lines.append(Line(self.now, form.level, tag, form.logger, form.text.format_map(known | fields)))

    def pause(self, low: float, high: float) -> None:
        """Advance the clock by some seconds."""
        self.now += timedelta(seconds=self.rng.uniform(low, high))

    def rotate(self) -> Played:
        """Close the session as compressed and open its continuation."""
        old = self.session
        old.ended, old.end_reason = self.now, "compression"
        self.now += timedelta(milliseconds=40)
        opened = self._open(old.model, old)
        if not self.release.keeps_tag:
            self.tag = opened.id
        return opened

    def end_turn(self) -> None:
        """Close the open turn, if there is one."""
        calls, self.turn = self.turn, None
        if not calls:
            return
        last = self.session.live[-1]
        self.log(
            "turn_ended",
            calls=calls,
            most=self.release.calls,
            tools=calls - 1,
            role=last.role,
            length=len(str(last.content)),
        )

    def _open(self, model: Model, parent: Played | None) -> Played:
        number, title = len(self.sessions) + 1, self.script.title
        played = Played(
            id=f"{self.now.astimezone():%Y%m%d_%H%M%S}_{self.rng.getrandbits(24):06x}",
            script=self.script,
            model=model,
            system=self.sessions[-1].system if self.sessions else self.world.systems[self.script.system],
            began=self.now,
            parent=parent.id if parent else None,
            title=f"{title} #{number}" if title and number > 1 else title,
        )
        self.sessions.append(played)
        return played


def as_message(row: Row) -> Message:
    """A row in the key order Hermes loads it with."""
    wire: dict[str, Any] = {"role": row.role, "content": row.content, "timestamp": row.at.timestamp()}
    optional = {
        "tool_call_id": row.tool_call_id,
        "tool_name": row.tool_name,
        "tool_calls": row.tool_calls,
        "finish_reason": row.finish_reason,
        "reasoning": row.reasoning,
    }
    return Message(wire | {key: value for key, value in optional.items() if value})


def estimate(rows: Iterable[Row], policy: Policy) -> int:
    """A release's rough size of messages; each row is measured once, when it is complete."""
    sizes = []
    for row in rows:
        if row.size is None:
            row.size = message_size(as_message(row).wire, policy.estimate)
        sizes.append(row.size)
    return total_tokens(sizes, policy.estimate)


def provider_tokens(content: Any, chars: float) -> int:
    """The provider's token count for the content of one message."""
    if isinstance(content, list):
        return sum(
            1400 if part.get("type") == "image_url" else provider_tokens(part.get("text"), chars)
            for part in content
        )
    text = content or ""
    dense = 0 if text.isascii() else sum(1 for char in text if char > "\u2e80")
    return round((len(text) - dense) / chars + dense * 0.9) + 4
