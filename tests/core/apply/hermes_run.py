"""A real Hermes release in a home of its own, against a scripted model."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.compress.dry_run import preview
from core.compress.planning.measure import measure
from core.compress.planning.plan import plan
from core.compress.summarise.base import (
    Cancelled,
    Endpoint,
    OnText,
    SummaryRequest,
    SummaryResult,
    SummaryStatus,
)
from core.hermes.policy.policy import load_policy, nearest_release
from core.model.compaction.plan import Settings
from core.model.compaction.preview import Preview
from core.store.store import Store
from tests.core.apply.scripted_model import ScriptedModel, serving

CONFIG = """\
model:
  default: mock-model
  provider: custom
  base_url: {url}
  api_key: sk-local-none
  context_length: {window}
  supports_vision: true
compression:
  threshold: 0.5
"""
BODY = "## Goal\nFix the lighthouse build; the chosen port is 48213.\n"


class _Said:
    """A summariser that was told what to say."""

    name = "static"

    def describe(self) -> Endpoint | None:
        return None

    def summarise(
        self, request: SummaryRequest, *, on_text: OnText | None = None, cancelled: Cancelled | None = None
    ) -> SummaryResult:
        return SummaryResult(BODY, SummaryStatus.MODEL)


@dataclass(frozen=True)
class Hermes:
    """One installed release and a home to run it in."""

    venv: Path
    home: Path

    @property
    def version(self) -> str:
        """The release, as the folder of its venv is called."""
        return self.venv.name

    @property
    def database(self) -> Path:
        """Its session database."""
        return self.home / "state.db"

    def copied(self, home: Path) -> Hermes:
        """The same release with a copy of this home."""
        shutil.copytree(self.home, home)
        return Hermes(self.venv, home)

    def chat(
        self, model: ScriptedModel, prompt: str, *, proceed: bool = True, session: str | None = None
    ) -> None:
        """Ask one thing, in the newest session unless told otherwise."""
        self.home.mkdir(parents=True, exist_ok=True)
        session_options = ["--resume", session] if session else ["--continue"] if proceed else []
        with serving(model) as url:
            (self.home / "config.yaml").write_text(CONFIG.format(url=url, window=model.window))
            done = self._run("chat", "-Q", "-q", prompt, "--yolo", "-t", "terminal", *session_options)
        # 0.22 sometimes crashes on its way out, when all is answered and stored.
        assert done.returncode == 0 or "Finished request" in done.stdout, done.stderr[-2000:]

    def _run(self, *words: str) -> subprocess.CompletedProcess[str]:
        home = {"HERMES_HOME": str(self.home), "HOME": str(self.home), "NO_COLOR": "1"}
        environment = {**os.environ, **home}
        environment.pop("PYTHONPATH", None)
        return subprocess.run(
            [str(self.venv / "bin" / "hermes"), *words],
            env=environment,
            cwd=self.home,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    def preview(self) -> Preview:
        """Our own preview of compressing its newest conversation in a small window."""
        with Store(self.database) as store:
            conversation = store.conversation(store.resolve("latest").id)
            messages = store.generation_messages(conversation.generations[-1])
        measured = measure(messages, load_policy(nearest_release(self.version)))
        return preview(measured, plan(measured, Settings(window=64_000)), _Said())


def spoken(messages: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """Role and text of what a request carries, the system prompt left out."""
    found = []
    for message in messages:
        if message["role"] != "system":
            content = message.get("content")
            parts = content if isinstance(content, list) else [{"text": content or ""}]
            found.append((message["role"], "".join(part.get("text") or "" for part in parts).strip()))
    return found
