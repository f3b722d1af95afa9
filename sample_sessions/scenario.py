"""Scenarios: the text of the sample conversations, read from YAML into typed steps.

A scenario file holds `about`, an optional `profile` (its own database under `profiles/`), and `sessions`. A
session is a header and a list of steps; each step does one thing:

    user: text                      the user asks
    say: text / call: {...}         one model call: text, tool calls (with their results), or both
    wait: 7m                        time passes
    compact: {...}                  a compaction (see `Compaction`)
    switch: model                   `/model`
    rewind: 2                       the last rows are undone
    restart: {}                     Hermes is started again; `tools: 2400` adds tool schemas of that size
    prompt: name                    the system prompt is rebuilt from another text of systems.yaml
    forget: true                    the provider drops its cache
    row: {...}                      a literal row, valid or not
    repeat: {times: 5, steps: []}   the same steps again; `{n}` counts, `until: 0.97` fills to a share of the
                                    threshold instead of counting, `asked: 1.0` until a call has requested
                                    that share, `over: 32768` until the next request is larger than that;
                                    `names: []` replace the numbers
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Self

from sample_sessions.data import FOLDER, mapping

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


@dataclass(frozen=True, slots=True)
class Call:
    """One tool call and its result, which is text or the recipe of a generated output."""

    tool: str
    args: Mapping[str, Any]
    result: Any = ""
    unanswered: bool = False


@dataclass(frozen=True, slots=True)
class Compaction:
    """How one compaction went; the release decides where it cuts.

    Attributes:
        trigger: `preflight`, `pre_api`, `post_response`, `overflow`, `payload_too_large`, `hygiene` or
            `manual`.
        mode: `in_place` or `rotation`.
        summary: Text of the summary, below its marker.
        status: `model`, `fallback` or `aborted`.
        reason: The summariser's error, for a fallback or an aborted attempt.
        seconds: How long the summariser took.
        user: The user message whose turn began with the compaction; `preflight` needs one. Its row is
            written only after the compaction.
        http, error: Status and message of the provider's refusal; `{tokens}` is the size of the request.
        limit: Window named by the refusal, which applies from then on.
        transient: The summariser's error was one that is retried.
    """

    trigger: str
    mode: str = "in_place"
    summary: str = ""
    status: str = "model"
    focus: str | None = None
    reason: str = ""
    seconds: float = 24.0
    summariser: str = ""
    user: str = ""
    http: int = 0
    error: str = ""
    limit: int | None = None
    transient: bool = False


@dataclass(frozen=True, slots=True)
class Repeat:
    """Steps that are repeated a number of times, or until the context reaches a limit."""

    steps: tuple[Step, ...]
    times: int = 0
    until: float | None = None
    asked: float = 0.0
    over: int = 0
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """One event; exactly one of the groups of fields is set."""

    user: Any = None
    say: Any = None
    think: str = ""
    calls: tuple[Call, ...] = ()
    wait: timedelta | None = None
    compact: Compaction | None = None
    switch: str | None = None
    rewind: int = 0
    restart: Mapping[str, Any] | None = None
    prompt: str | None = None
    forget: bool = False
    row: Mapping[str, Any] | None = None
    repeat: Repeat | None = None

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> Self:
        """Read a step from its YAML form."""
        return cls(
            user=raw.get("user"),
            say=raw.get("say"),
            think=raw.get("think", ""),
            calls=tuple(_call(call) for call in _listed(raw.get("call"))),
            wait=duration(raw["wait"]) if "wait" in raw else None,
            compact=Compaction(**raw["compact"]) if "compact" in raw else None,
            switch=raw.get("switch"),
            rewind=raw.get("rewind", 0),
            restart=raw.get("restart"),
            prompt=raw.get("prompt"),
            forget=raw.get("forget", False),
            row=raw.get("row"),
            repeat=_repeat(raw["repeat"]) if "repeat" in raw else None,
        )


@dataclass(frozen=True, slots=True)
class Script:
    """One session of a scenario: its header and its steps.

    Attributes:
        key: Name by which other sessions of the scenario refer to it.
        began: How long before the time of building it started.
        branch_of, delegate_of: Key of the parent, if it has one.
        share: Number of rows a branch copies from its parent.
        written: How long before the time of building this program compacted it.
    """

    key: str
    title: str | None
    model: str
    began: timedelta
    steps: tuple[Step, ...]
    source: str = "cli"
    system: str = "coding"
    cwd: str | None = None
    ended: str | None = None
    branch_of: str | None = None
    delegate_of: str | None = None
    share: int = 0
    guards: Mapping[str, Any] = field(default_factory=dict)
    reports_usage: bool = True
    written: timedelta | None = None


@dataclass(frozen=True, slots=True)
class Scenario:
    """A file of `scenarios/`."""

    name: str
    about: str
    profile: str
    sessions: tuple[Script, ...]


def scenarios() -> tuple[Scenario, ...]:
    """Every scenario that ships, in file order."""
    names = sorted(entry.name for entry in (FOLDER / "scenarios").iterdir())
    files = [name for name in names if name.endswith(".yaml")]
    return tuple(parse(name.removesuffix(".yaml"), mapping(f"scenarios/{name}")) for name in files)


def parse(name: str, raw: Mapping[str, Any]) -> Scenario:
    """Read a scenario from the mapping in a YAML file."""
    sessions = tuple(_script(session) for session in raw["sessions"])
    return Scenario(name, raw["about"], raw.get("profile", ""), sessions)


def duration(text: str | int) -> timedelta:
    """Parse a duration such as `90s`, `7m`, `3h` or `12d`."""
    text = str(text)
    return timedelta(seconds=float(text[:-1]) * _UNITS[text[-1]])


def _script(raw: Mapping[str, Any]) -> Script:
    spans = {key: duration(raw[key]) for key in ("began", "written") if key in raw}
    return Script(**{**raw, **spans, "steps": _steps(raw["steps"])})


def _steps(raw: Sequence[Mapping[str, Any]]) -> tuple[Step, ...]:
    return tuple(Step.of(step) for step in raw)


def _repeat(raw: Mapping[str, Any]) -> Repeat:
    fields = {**raw, "steps": _steps(raw["steps"]), "names": tuple(raw.get("names", ()))}
    return Repeat(**fields)


def _call(raw: Mapping[str, Any]) -> Call:
    """Read `{terminal: {command: ...}, result: ...}`: the key that is not an option names the tool."""
    tool = next(key for key in raw if key not in ("result", "unanswered"))
    return Call(tool, raw[tool] or {}, raw.get("result", ""), raw.get("unanswered", False))


def _listed(value: Any) -> list[Any]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]
