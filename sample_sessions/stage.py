"""The stage a script is played on: the clock, the sessions, the rows, the log."""

from __future__ import annotations

import random
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from core.compress.sizing.estimate import text_tokens
from core.compress.sizing.threshold import budgets
from core.hermes.policy.policy import load_policy
from core.model.compaction.settings import Settings
from sample_sessions.cast import Edition, Line, Model, Played, PromptCache, Row
from sample_sessions.scenario import Script
from sample_sessions.sizes import estimate, provider_tokens

TOOLS_TOKENS = 6180
"""What the tool schemas of the made-up installation weigh by Hermes' estimate."""


@dataclass(frozen=True, slots=True)
class World:
    """What every script of a build shares.

    Attributes:
        now: The moment the scripts count back from.
        models: By name.
        systems: System prompts by name.
    """

    now: datetime
    models: Mapping[str, Model]
    systems: Mapping[str, str]


class Stage:
    """Where one script stands; a rotation leaves several sessions behind.

    Attributes:
        now: The clock.
        turn: Model calls of the open turn; None outside a turn.
        warm: This process has compacted before.
        counter: Calls and pictures so far, so that each has a name of its own.
        cache: What the provider has cached of the last request.
    """

    def __init__(
        self, world: World, script: Script, edition: Edition, seed: str, parent: Played | None = None
    ) -> None:
        self.world, self.script, self.edition, self.seed = world, script, edition, seed
        self.policy = load_policy(edition.release)
        self.rng = random.Random(seed)
        self.now = world.now - script.began
        self.lines: list[Line] = []
        self.sessions: list[Played] = []
        self.turn: int | None = None
        self.counter = 0
        self.warm = False
        self.cache = PromptCache()
        first = self._open(world.models[script.model], parent)
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
        return round(len(self.session.system) / self.session.model.chars) + TOOLS_TOKENS - 140

    @property
    def prompt(self) -> int:
        """Provider tokens of the next request."""
        return self.base + sum(row.tokens for row in self.session.live)

    def rough(self) -> int:
        """Hermes' own estimate of the next request."""
        system = text_tokens(self.session.system, self.policy.estimate.unit)
        return system + estimate(self.session.live, self.policy) + TOOLS_TOKENS

    @property
    def settings(self) -> Settings:
        """What decides where this session is compressed and cut."""
        return Settings(window=self.session.model.window, warm=self.warm)

    @property
    def threshold(self) -> int:
        """Where compression fires."""
        window = self.session.model.window
        return budgets(self.settings, self.policy, window).threshold

    def add(self, role: str, content: Any) -> Row:
        """A new live row."""
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

    def end_turn(self) -> None:
        """Closes the open turn, if there is one."""
        calls, self.turn = self.turn, None
        if not calls:
            return
        last = self.session.live[-1]
        self.log(
            "agent.conversation_loop",
            f"Turn ended: reason=text_response(finish_reason=stop) model={self.session.model.name} "
            f"api_calls={calls}/90 budget={calls}/90 tool_turns={calls - 1} "
            f"last_msg_role={last.role} response_len={len(str(last.content))} session={self.session.id}",
        )

    def _open(self, model: Model, parent: Played | None) -> Played:
        number, title = len(self.sessions) + 1, self.script.title
        played = Played(
            id=f"{self.now.astimezone():%Y%m%d_%H%M%S}_{self.rng.getrandbits(24):06x}",
            script=self.script,
            model=model,
            system=self.world.systems[self.script.system],
            began=self.now,
            parent=parent.id if parent else None,
            title=f"{title} #{number}" if title and number > 1 else title,
        )
        self.sessions.append(played)
        return played
