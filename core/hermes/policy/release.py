"""Detects which release of Hermes wrote a conversation, from traces; none before 0.22 records it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from core.errors import ConfigError
from core.hermes.markers.markers import SummaryMatch
from core.hermes.policy.policy import covers, load_policy, nearest_release, newest_release, version_of
from core.model.finding import Evidence, Source, Verdict
from core.support.program_files import shared_table

_table = partial(shared_table, "core/hermes/policy/release_clues.yaml")

Version = tuple[int, ...]
_RULES = "rules"
"""The `where` of evidence that another release's rules are used."""
_MINOR, _LAST = 2, 9999
_OPEN: Version = (_LAST,)


@dataclass(frozen=True, slots=True)
class ReleaseClues:
    """The traces found, collected by a caller that may read databases.

    Attributes:
        pin: The version stored with the tool schemas of a session (0.22).
        schema_version: `schema_version.version`.
        columns: `table.column` names of the file.
        summary: The newest summary of the conversation, and where it is.
        log_shapes: Names of `log_shapes` seen for the conversation, and where.
    """

    pin: str | None = None
    schema_version: int | None = None
    columns: frozenset[str] = frozenset()
    summary: tuple[SummaryMatch, str] | None = None
    log_shapes: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class ReleaseGuess:
    """The release whose rules apply, as the name of its policy.

    Attributes:
        release: A name that `load_policy` knows, such as `0.19`.
        version: As precise as the traces allow: `0.22.2`, `0.13 to 0.14`.
    """

    release: str
    verdict: Verdict
    version: str
    evidence: tuple[Evidence, ...] = ()

    @property
    def stands_in(self) -> str:
        """One sentence if another release's rules are used because its own are unknown; else ""."""
        return next((one.text for one in self.evidence if one.where == _RULES), "")


@dataclass(frozen=True, slots=True)
class _Clue:
    """A range of releases that a trace indicates, with its evidence."""

    first: Version
    last: Version
    evidence: Evidence


def detect_release(clues: ReleaseClues) -> ReleaseGuess:
    """Detect the release whose rules apply to the next step of a conversation.

    A stored version proves it. Otherwise the ranges of the traces are intersected, those of the file first:
    the newest release that opened the file migrated it, and will run next. A trace that contradicts them
    belongs to an older part of the conversation and is only mentioned.
    """
    if clues.pin and (pinned := _pinned(clues.pin)):
        return pinned
    found = list(_clues(clues))
    if not found:
        evidence = Evidence(Source.DERIVED, "no trace", "no trace of a release; the newest known is assumed")
        return ReleaseGuess(newest_release(), Verdict.UNKNOWN, "unknown", (evidence,))
    first, last, fitting = _overlap(found)
    # Releases that no trace distinguishes also compress alike; the older one is certain.
    release = nearest_release(_text(first))
    fits = len(fitting) == len(found) and covers(release, _text(first))
    return ReleaseGuess(
        release=release,
        verdict=Verdict.DERIVED if fits else Verdict.SUSPECTED,
        version=_range_text(first, last),
        evidence=(*(clue.evidence for clue in found), *_standing_in(release, _text(first))),
    )


def substitute_note(release: str, version: str) -> str:
    """A sentence if a version's own rules are unknown and another release's are used; else ""."""
    if not covers(release, version):
        return f"the rules of Hermes {version} are not known: those of {release} are used"
    other = load_policy(release).follows
    return (
        f"of Hermes {version} only weights and cut are known: the rest is taken from {other}" if other else ""
    )


def _standing_in(release: str, version: str) -> Iterator[Evidence]:
    if text := substitute_note(release, version):
        yield Evidence(Source.DERIVED, _RULES, text)


def release_of_summary(match: SummaryMatch) -> str | None:
    """Policy name of the newest release that writes this prefix; None if the prefix is unknown."""
    return nearest_release(match.releases[-1]) if match.releases else None


def shape_names(logger: str, message: str) -> Iterator[str]:
    """Names of the log shapes that a log line shows."""
    for shape in _table()["log_shapes"]:
        texts = (shape["text"], shape.get("within", ""))
        if shape["logger"] in ("", logger) and all(text in message for text in texts):
            yield shape["name"]


def _pinned(pin: str) -> ReleaseGuess | None:
    try:
        release = nearest_release(pin)
    except ConfigError:
        return None
    evidence = Evidence(Source.DATABASE, "system_prompts (tool schemas)", f"version {pin}")
    others = tuple(_standing_in(release, pin))
    verdict = Verdict.PROVED if covers(release, pin) else Verdict.SUSPECTED
    return ReleaseGuess(release, verdict, pin, (evidence, *others))


def _clues(clues: ReleaseClues) -> Iterator[_Clue]:
    yield from _schema_clues(clues.schema_version)
    yield from _column_clues(clues.columns)
    yield from _log_clues(clues.log_shapes)
    if clues.summary is not None and clues.summary[0].releases:
        match, where = clues.summary
        text = f"summary prefix of {_joined(match.releases)}"
        evidence = Evidence(Source.DATABASE, where, text)
        yield _Clue(version_of(match.releases[0]), _latest(match.releases[-1]), evidence)


def _schema_clues(version: int | None) -> Iterator[_Clue]:
    rows = _table()["schema_versions"]
    row = next((row for row in rows if version in row["versions"]), None)
    if row is not None:
        yield _bounded(row, Evidence(Source.DATABASE, "schema_version", f"version {version}"))
    elif version is not None and version > max(rows[-1]["versions"]):
        evidence = Evidence(Source.DATABASE, "schema_version", f"version {version} is newer than known")
        yield _Clue(version_of(rows[-1]["last"]), _OPEN, evidence)


def _column_clues(columns: frozenset[str]) -> Iterator[_Clue]:
    # The newest column in the table shows how far the file was migrated.
    seen = [row for row in _table()["columns"] if row["column"] in columns]
    if seen:
        yield _bounded(seen[-1], Evidence(Source.DATABASE, seen[-1]["column"], "the column exists"))


def _log_clues(shapes: Iterable[tuple[str, str]]) -> Iterator[_Clue]:
    rows = {row["name"]: row for row in _table()["log_shapes"]}
    for name, where in shapes:
        yield _bounded(
            rows[name], Evidence(Source.LOG, where, f"{rows[name]['text'].strip()!r} as written there")
        )


def _overlap(found: list[_Clue]) -> tuple[Version, Version, list[_Clue]]:
    """The range all clues allow, skipping clues that contradict earlier ones."""
    first: Version = (0,)
    last, fitting = _OPEN, []
    for clue in found:
        low, high = max(first, clue.first), min(last, clue.last)
        if low <= high:
            first, last = low, high
            fitting.append(clue)
    return first, last, fitting


def _bounded(row: Mapping[str, Any], evidence: Evidence) -> _Clue:
    return _Clue(
        version_of(row.get("first", "0")), _latest(row["last"]) if "last" in row else _OPEN, evidence
    )


def _range_text(first: Version, last: Version) -> str:
    if last >= _OPEN:
        return f"{_text(first)} or newer"
    one, other = _text(first), _text(last)
    return other if one == other else f"{one} to {other}"


def _joined(releases: tuple[str, ...]) -> str:
    return releases[0] if len(releases) == 1 else f"{releases[0]} to {releases[-1]}"


def _latest(text: str) -> Version:
    """The last patch of a release: `0.18` ends after `0.18.2`."""
    version = version_of(text)
    return version if len(version) > _MINOR else (*version, _LAST)


def _text(version: Version) -> str:
    return ".".join(str(part) for part in version if part != _LAST)
