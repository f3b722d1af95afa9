"""Release policies: every number and switch in which releases of Hermes differ, from `releases/*.yaml`."""

from __future__ import annotations

import re
import types
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from core.errors import ConfigError
from core.hermes.policy.cut_rules import HeadRules, PruneRules, TailRules, WeightRules
from core.hermes.policy.defence_rules import HygieneRules, OverflowRules, ResultRules
from core.hermes.policy.output_rules import (
    AssemblyRules,
    EngineRules,
    HookRules,
    HostRules,
    SequenceRules,
    TrajectoryRules,
)
from core.hermes.policy.summary_rules import FailureRules, FeedbackRules, SummaryRules
from core.hermes.policy.trigger_rules import CheckRules, EstimateRules, GateRules, ThresholdRules
from core.support.program_files import load_table

_T = TypeVar("_T")
_DOCUMENT = "seed-"
_MINOR = 2
"""How many numbers name a minor release; a third one names a patch."""


@dataclass(frozen=True, slots=True)
class Policy:
    """How one release compresses.

    Attributes:
        release: `0.13` ... `0.22`, a patch release that cuts differently, or the name of a document's policy.
        group: `A` ... `E` for releases that cut alike; `document` for a policy from a document.
        source: `release`, or `document` if no release behaves this way.
        follows: The release whose rules apply except for weighing and cutting; "" if all its own are known.
    """

    release: str
    group: str
    title: str
    source: str
    follows: str
    estimate: EstimateRules
    weight: WeightRules
    threshold: ThresholdRules
    checks: CheckRules
    head: HeadRules
    tail: TailRules
    prune: PruneRules
    summary: SummaryRules
    assembly: AssemblyRules
    host: HostRules
    engine: EngineRules
    hooks: HookRules
    sequence: SequenceRules
    gate: GateRules
    failure: FailureRules
    feedback: FeedbackRules
    overflow: OverflowRules
    trajectory: TrajectoryRules
    hygiene: HygieneRules
    results: ResultRules


def releases() -> tuple[str, ...]:
    """The minor releases with a policy, oldest first; patch releases are not among them."""
    return tuple(name for name in _names() if name[0].isdigit() and len(version_of(name)) == _MINOR)


def patches() -> tuple[str, ...]:
    """Patch releases that cut differently, oldest first; each also covers the patches since the last one."""
    return tuple(name for name in _names() if name[0].isdigit() and len(version_of(name)) > _MINOR)


def documents() -> tuple[str, ...]:
    """Names of policies that a document describes and no release follows."""
    return tuple(name for name in _names() if name.startswith(_DOCUMENT))


def newest_release() -> str:
    """The newest release with a policy."""
    return releases()[-1]


def nearest_release(version: str) -> str:
    """The release whose policy applies to a version such as `v0.22` or `hermes-agent 0.18.2`.

    A version between two releases takes the older one, because a behaviour is only proved from the release it
    was seen in; one older than all takes the oldest. `0.15.2` gives `0.15`, `0.23.1` gives `0.22`. A patch
    release takes the next patch of its minor release that cuts differently: `0.20.1` gives `0.20.5`.

    Raises:
        ConfigError: The text contains no version.
    """
    found = re.search(r"\d{1,9}\.\d{1,9}(?:\.\d{1,9})?", version)
    if found is None:
        raise ConfigError(
            f"{version!r} is no version of Hermes", remedy=f"Use one of {', '.join(releases())}."
        )
    found_version = version_of(found[0])
    near = [name for name in patches() if version_of(name)[:_MINOR] == found_version[:_MINOR]]
    if len(found_version) > _MINOR and (
        later := [name for name in near if version_of(name) >= found_version]
    ):
        return later[0]
    older = [name for name in releases() if version_of(name) <= found_version]
    nearest = older[-1] if older else releases()[0]
    return near[-1] if near and not covers(nearest, version) else nearest


def covers(release: str, version: str) -> bool:
    """Whether a version belongs to a release and is not merely near it: `0.15.2` belongs to `0.15`."""
    found = re.search(r"(\d{1,9})\.(\d{1,9})", version)
    return found is not None and (int(found[1]), int(found[2])) == version_of(release)[:_MINOR]


@cache
def load_policy(release: str) -> Policy:
    """Read one policy, named as in `releases()` or `documents()`.

    Raises:
        ConfigError: There is no such policy, or its file is invalid; the error names file and key.
    """
    if release not in _names():
        known = ", ".join(_names())
        raise ConfigError(
            f"no policy for release {release!r}", where="policies", remedy=f"Known are {known}."
        )
    return _build(Policy, {**_merged(release), "release": release}, f"policies/{release}.yaml", "")


def version_of(name: str) -> tuple[int, ...]:
    """The numbers of a version: `0.18.2` is 0, 18, 2."""
    return tuple(int(part) for part in name.split("."))


@cache
def _names() -> tuple[str, ...]:
    names = [path.stem for path in Path(__file__).with_name("releases").glob("*.yaml")]
    numbered = sorted((name for name in names if name[0].isdigit()), key=version_of)
    return (*numbered, *sorted(name for name in names if name.startswith(_DOCUMENT)))


def _merged(name: str) -> dict[str, Any]:
    """A policy file merged over the one it extends."""
    values = _read(name)
    parent = values.pop("extends", None)
    return values if parent is None else _overlay(_merged(str(parent)), values)


def _overlay(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(base)
    for key, value in over.items():
        both = isinstance(value, Mapping) and isinstance(merged.get(key), Mapping)
        merged[key] = _overlay(merged[key], value) if both else value
    return merged


def _read(name: str) -> dict[str, Any]:
    where = f"policies/{name}.yaml"
    try:
        values = load_table(f"core/hermes/policy/releases/{name}.yaml")
    except FileNotFoundError as error:
        raise ConfigError("there is no such policy file", where=where) from error
    if not isinstance(values, dict):
        raise ConfigError("not a mapping", where=where)
    return values


def _build(cls: type[_T], values: Any, where: str, path: str) -> _T:
    """Build a frozen dataclass from a mapping; a missing, unknown or mistyped key is a `ConfigError`."""
    if not isinstance(values, Mapping):
        raise ConfigError(f"{path or 'the file'} is not a mapping", where=where)
    hints = get_type_hints(cls)
    unknown = sorted(set(map(str, values)) - set(hints))
    if unknown:
        raise ConfigError(f"unknown key {_dotted(path, unknown[0])}", where=where)
    optional = frozenset(one.name for one in fields(cls) if one.default is not MISSING)  # type: ignore[arg-type]
    return cls(**_arguments(hints, values, where, path, optional))


def _arguments(
    hints: Mapping[str, Any], values: Mapping[str, Any], where: str, path: str, optional: frozenset[str]
) -> dict[str, Any]:
    arguments = {}
    for key, hint in hints.items():
        if key in values:
            arguments[key] = _convert(hint, values[key], where, _dotted(path, key))
        elif key not in optional:
            raise ConfigError(f"{_dotted(path, key)} is missing", where=where)
    return arguments


def _convert(hint: Any, value: Any, where: str, path: str) -> Any:
    if is_dataclass(hint) and isinstance(hint, type):
        return _build(hint, value, where, path)
    if get_origin(hint) is tuple:
        return _sequence(get_args(hint), value, where, path)
    if get_origin(hint) in (Union, types.UnionType):
        hint = next(arg for arg in get_args(hint) if arg is not type(None))
    right = isinstance(value, hint) and (hint is bool or not isinstance(value, bool))
    if not right and not (hint is float and type(value) is int):
        raise ConfigError(f"{path} is not {_article(hint)}: {value!r}", where=where)
    return float(value) if hint is float else value


def _sequence(args: tuple[Any, ...], value: Any, where: str, path: str) -> tuple[Any, ...]:
    """A homogeneous tuple from a list, or pairs from a mapping."""
    if get_origin(args[0]) is tuple and isinstance(value, Mapping):
        kinds = get_args(args[0])
        pairs = [(key, _convert(kinds[1], entry, where, _dotted(path, key))) for key, entry in value.items()]
        return tuple(pairs)
    if not isinstance(value, list):
        raise ConfigError(f"{path} is not a list: {value!r}", where=where)
    return tuple(_convert(args[0], entry, where, f"{path}[{i}]") for i, entry in enumerate(value))


def _dotted(path: str, key: object) -> str:
    return f"{path}.{key}" if path else str(key)


def _article(hint: type[Any]) -> str:
    return {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}[hint]
