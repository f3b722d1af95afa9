"""Builds a HERMES_HOME from scenarios: database, config.yaml and logs of each profile."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from core.apply.execute import execute
from core.apply.journal import Journal
from core.apply.rehearse import rehearse
from core.compress.summarise.extract.summariser import ExtractiveSummariser
from core.preview.foreseen import basis_of, carry_out
from core.store.database.locate import locate
from core.store.store import Store
from core.support.own_files import JOURNAL
from sample_sessions.data import mapping
from sample_sessions.database import write
from sample_sessions.playing.cast import Line, Model, Played
from sample_sessions.playing.play import play
from sample_sessions.playing.stage import Stage, World
from sample_sessions.releases import Profile, profiles
from sample_sessions.scenario import Scenario, duration, scenarios


@dataclass(slots=True)
class _Home:
    sessions: list[Played] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)


def build(target: Path, *, now: datetime | None = None, only: Iterable[Scenario] | None = None) -> Path:
    """Build the sample sessions below `target`.

    Args:
        target: A directory; created when missing. The databases in it must not exist yet.
        now: The time the scenarios count back from; the present by default. The same time gives the same
            home.
        only: Scenarios to play instead of those that ship.

    Returns:
        `target`, now a HERMES_HOME.
    """
    # Hermes weighs a time by its digits: fractions would make every home weigh something else.
    now = (now or datetime.now(UTC)).replace(microsecond=0)
    world = World(now, _models(), mapping("systems.yaml"))
    homes = {profile: _Home() for profile in profiles()}
    for scenario in scenarios() if only is None else only:
        _play(scenario, homes[scenario.profile], world)
    for name, home in homes.items():
        folder = target / "profiles" / name if name else target
        _store(folder, profiles()[name], home)
        for played in home.sessions:
            if played.script.written:
                write_compaction(folder, played.id, Journal(target / JOURNAL), now - played.script.written)
    for path in target.rglob("state.db*"):
        path.chmod(0o600)  # a conversation is nobody else's business, and a finding says so
    return target


def _play(scenario: Scenario, home: _Home, world: World) -> None:
    done: dict[str, Played] = {}
    for script in scenario.sessions:
        parent = done.get(script.branch_of or script.delegate_of or "")
        profile = profiles()[scenario.profile]
        stage = Stage(world, script, profile, f"{scenario.name}/{script.key}", parent)
        play(stage)
        stage.session.guards |= _guards(script.guards, world.now)
        done[script.key] = stage.session
        home.sessions += stage.sessions
        home.lines += stage.lines


def _guards(raw: Mapping[str, Any], now: datetime) -> dict[str, Any]:
    """Columns a scenario sets directly; `in 4m` counts from the time of building."""
    return {
        name: (now + duration(value[3:])).timestamp() if str(value).startswith("in ") else value
        for name, value in raw.items()
    }


def _store(folder: Path, profile: Profile, home: _Home) -> None:
    (folder / "logs").mkdir(parents=True, exist_ok=True)
    write(folder / "state.db", profile, home.sessions)
    (folder / "config.yaml").write_text(profile.config, "utf-8")
    lines = sorted(home.lines, key=lambda line: line.at)
    (folder / "logs" / "agent.log").write_text("".join(map(_log_line, lines)), "utf-8", errors="replace")


def _log_line(line: Line) -> str:
    """Format a line as Hermes does: local time without an offset, the session in brackets."""
    stamp = line.at.astimezone()
    tag = f" [{line.session}]" if line.session else ""
    milliseconds = stamp.microsecond // 1000
    return f"{stamp:%Y-%m-%d %H:%M:%S},{milliseconds:03d} {line.level}{tag} {line.logger}: {line.text}\n"


def _models() -> dict[str, Model]:
    return {
        name: Model(name, **(raw | {"prices": tuple(map(Decimal, raw.get("prices", ())))}))
        for name, raw in mapping("models.yaml").items()
    }


def write_compaction(home: Path, session_id: str, journal: Journal, at: datetime) -> None:
    """Compress one session of a home as `compress --apply` does, offline."""
    (location,) = locate(db=home / "state.db")
    with Store(location) as store:
        generation = store.conversation(session_id).generations[-1]
        basis = basis_of(location, generation, lambda: False)
        summariser = ExtractiveSummariser()
        made = carry_out(basis.reading.measured, basis.plan, summariser, agent=basis.agent)
        execute(rehearse(store, session_id, made), journal, now=at)
