"""Reads model calls from other tools' JSONL logs: Claude Code, Codex, and raw API answers."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from core.errors import NotFoundError, UsageError
from core.imports.fields import amount_of, field_at, moment_of, normalise, one_hour_writes
from core.model.accounting.amounts import Buckets
from core.support.program_files import shared_table

_MAX_CHARS_PER_TOKEN = 6
"""Most characters per token over a whole answer, in prose and code."""


@dataclass(frozen=True, slots=True)
class Call:
    """A model call with its answer.

    Attributes:
        one_hour: The part of the cache writes that is kept for an hour.
        usd: The cost recorded by the tool itself.
        cut: Whether only lines written during streaming survive, so that there may be more output.
        at: When its first line was written, the closest the log comes to the time of the request.
        until: When its last line was written.
        visible: Characters of the answer in its lines.
    """

    session: str
    model: str
    provider: str
    at: datetime | None
    tokens: Buckets
    one_hour: int = 0
    usd: Decimal | None = None
    cut: bool = False
    until: datetime | None = None
    visible: int = 0

    @property
    def exceeds(self) -> bool:
        """Whether the lines show more text than the counted output can hold."""
        return self.cut and self.visible > _MAX_CHARS_PER_TOKEN * (self.tokens.output or 0)

    @property
    def knows(self) -> tuple[bool, int]:
        """How complete the line is, to compare lines of the same call: output only grows."""
        return not self.cut, self.tokens.output or 0


@dataclass(slots=True)
class Transcripts:
    """The calls of some files, each once.

    Attributes:
        broken: Lines with usage that are not JSON.
        silent: Files without usage, such as a transcript that is only a summary.
    """

    broken: int = 0
    silent: list[Path] = field(default_factory=list)
    _calls: dict[tuple[str, ...], Call] = field(default_factory=dict)
    _shown: dict[tuple[str, ...], dict[int, int]] = field(default_factory=dict)

    @property
    def calls(self) -> Sequence[Call]:
        """The calls, in the order of first appearance."""
        shown = self._shown
        return tuple(
            replace(call, visible=sum(shown[key].values())) if call.cut and key in shown else call
            for key, call in self._calls.items()
        )

    def read(self, path: Path) -> None:
        """Add the calls of a file.

        A call that is streamed line by line, or copied to another file when a session is resumed, counts
        once, by its most complete line; its ids identify it.

        Raises:
            NotFoundError: There is no such file.
            UsageError: It cannot be read.
        """
        found = 0
        for key, call in self._lines(path):
            found += 1
            self._add(key, call)
        if not found:
            self.silent.append(path)

    def _add(self, key: tuple[str, ...], call: Call) -> None:
        known = self._calls.get(key)
        if known is None:
            self._calls[key] = call
            return
        best = call if call.knows >= known.knows else known
        times = [at for one in (known, call) for at in (one.at, one.until) if at is not None]
        self._calls[key] = replace(best, at=min(times, default=None), until=max(times, default=None))

    def _lines(self, path: Path) -> Iterator[tuple[tuple[str, ...], Call]]:
        known = {"session": path.stem}
        words = [f'"{word}"'.encode() for word in shared_table("core/imports/transcripts.yaml")["words"]]
        for number, line in enumerate(_read(path)):
            if not any(word in line for word in words):
                continue
            try:
                record = json.loads(line)
            except (ValueError, RecursionError):
                self.broken += 1
                continue
            if isinstance(record, Mapping):
                known |= _call_context(record)
                if read := _call(record, known):
                    ids, call = read
                    key = ids or (str(path), str(number))
                    if call.cut:
                        # Copies of a line in resumed logs show the same text, which counts once.
                        texts = (text for block in _blocks(record) for text in block)
                        self._shown.setdefault(key, {}).update((hash(text), len(text)) for text in texts)
                    yield key, call


def _read(path: Path) -> Iterator[bytes]:
    try:
        with path.open("rb") as lines:
            yield from lines
    except FileNotFoundError as error:
        raise NotFoundError("no such file", where=str(path)) from error
    except OSError as error:
        raise UsageError(f"cannot be read ({error.strerror})", where=str(path)) from error


def _call_context(record: Mapping[str, Any]) -> dict[str, str]:
    """What a line says about the calls after it."""
    fields = shared_table("core/imports/transcripts.yaml")["context"].get(str(record.get("type")), {})
    return {name: text for name, paths in fields.items() if (text := _text(record, paths))}


def _call(record: Mapping[str, Any], known: Mapping[str, str]) -> tuple[tuple[str, ...], Call] | None:
    """The ids and the call of a line; None if it has none."""
    form, usage = _usage(record)
    tokens = normalise(usage)
    if not tokens.total:
        return None
    model = _text(record, form["model"]) or known.get("model", "")
    provider_name = _text(record, form.get("provider", ())) or known.get("provider", "")
    implied = (name for word, name in form["vendors"].items() if model.lower().startswith(word))
    usd = _first(record, form.get("usd", ()))
    session = _text(record, form.get("session", ())) or known["session"]
    ids = tuple(str(part) for path in form["id"] if (part := field_at(record, path)) is not None)
    return (session, *ids) if ids and "within" in form else ids, Call(
        session=session,
        model=model,
        provider=provider_name or next(implied, ""),
        at=moment_of(_text(record, form["at"])),
        tokens=tokens,
        one_hour=one_hour_writes(usage),
        usd=None if usd is None else amount_of(str(usd)),
        cut="ended" in form and _is_cut(record, form["ended"]),
    )


def _usage(record: Mapping[str, Any]) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """The form that matches a line, and the usage it finds there; both empty if none matches."""
    for form in shared_table("core/imports/transcripts.yaml")["calls"]:
        usage = _first(record, form["usage"])
        if isinstance(usage, Mapping):
            return form, usage
    return {}, {}


def _blocks(record: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """The texts of an answer in a line: text, thinking and tool calls."""
    for path in shared_table("core/imports/transcripts.yaml")["shown"]:
        content = field_at(record, path)
        for block in content if isinstance(content, list) else ():
            if isinstance(block, Mapping):
                texts = (block.get("text"), block.get("thinking"))
                called = block.get("input")
                asked = (json.dumps(called, ensure_ascii=False),) if called else ()
                yield (*(text for text in texts if isinstance(text, str) and text), *asked)


def _is_cut(record: Mapping[str, Any], paths: Sequence[str]) -> bool:
    """Whether the line has a field for the reason the answer ended and it is empty."""
    for path in paths:
        place, _, name = path.rpartition(".")
        holder = field_at(record, place)
        if isinstance(holder, Mapping) and name in holder:
            return holder[name] is None
    return False


def _first(record: Mapping[str, Any], paths: Sequence[str]) -> Any:
    return next((value for path in paths if (value := field_at(record, path)) is not None), None)


def _text(record: Mapping[str, Any], paths: Sequence[str]) -> str:
    value = _first(record, paths)
    return str(value) if isinstance(value, str | int | float) else ""
