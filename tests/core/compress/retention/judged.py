"""Conversations that somebody read, with four summaries each and what a good one must hold."""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from core.compress.retention.score import retention
from core.model.compaction.preview import Fact, Retention
from core.model.transcript.message import Message
from core.store.database.connect import open_readonly
from tests.core.compress.retention.claude_code import messages_of

FIXTURES = Path(__file__).parents[3] / "fixtures" / "retention"


@dataclass(frozen=True, slots=True)
class Judged:
    """One conversation and what its reader wrote.

    Attributes:
        claims: Sentences that are false of this conversation.
        other: The faithful summary of another conversation of the same kind.
        needed: Facts a good summary must hold, each in the conversation's own words.
        worthless: What nobody misses.
    """

    name: str
    kind: str
    messages: tuple[Message, ...]
    faithful: str
    sloppy: str
    claims: tuple[str, ...]
    other: str
    needed: tuple[str, ...]
    worthless: tuple[str, ...]

    @property
    def deceiving(self) -> str:
        """The faithful summary followed by the false claims."""
        return self.faithful + "\n".join(self.claims)

    def report(self, summary: str) -> Retention:
        """A summary held against the conversation."""
        return retention(self.messages, summary)

    @property
    def counted(self) -> list[Fact]:
        """Every fact that counts, heaviest first."""
        return sorted(self.report("").facts, key=lambda fact: -fact.weight)


@cache
def written() -> Mapping[str, Mapping[str, Any]]:
    """What the readers wrote, by conversation."""
    found: dict[str, Mapping[str, Any]] = {}
    for path in sorted(FIXTURES.glob("*.yaml")):
        found.update(yaml.safe_load(path.read_text(encoding="utf-8")))
    return found


def judged(folder: Path) -> Iterator[Judged]:
    """The conversations that are somewhere in a folder, each with its summaries."""
    entries = written()
    for name, entry in entries.items():
        files = (*folder.rglob(f"{name}-*.json"), *folder.rglob(f"*{name}-*.jsonl"))
        for path in files[:1]:
            yield _judged(name, entry, tuple(map(Message, _wires(path))))


def unpack_stored(packed: Path, folder: Path) -> None:
    """Write the judged sessions of a packed database into a folder, one file each."""
    path = folder / "stored.db"
    path.write_bytes(lzma.decompress(packed.read_bytes()))
    query = "SELECT role, content, tool_calls, tool_call_id FROM messages WHERE session_id = ? ORDER BY id"
    with closing(open_readonly(path)) as database:
        for name in written():
            wires = [_stored(*row) for row in database.execute(query, (name,))]
            if wires:
                (folder / f"{name}-stored.json").write_text(json.dumps({"messages": wires}), encoding="utf-8")


def _stored(role: str, content: str | None, calls: str | None, answers: str | None) -> dict[str, Any]:
    wire = {"role": role, "content": content or "", "tool_call_id": answers}
    return wire | ({"tool_calls": json.loads(calls)} if calls else {})


def _wires(path: Path) -> list[dict[str, Any]]:
    if path.suffix == ".jsonl":
        return messages_of(path)
    wires: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["messages"]
    return wires


def _judged(name: str, entry: Mapping[str, Any], messages: tuple[Message, ...]) -> Judged:
    alike = [other for other, one in written().items() if one["kind"] == entry["kind"]]
    next_one = alike[(alike.index(name) + 1) % len(alike)]
    return Judged(
        name,
        entry["kind"],
        messages,
        entry["faithful"],
        entry["sloppy"],
        tuple(entry["claims"]),
        written()[next_one]["faithful"],
        tuple(map(str, entry["needed"])),
        tuple(map(str, entry["worthless"])),
    )


def holds(anchor: Fact, fact: str) -> bool:
    """Whether an anchor is a fact a reader named, in whole or in part."""
    value, wanted = anchor.value.lower(), fact.lower()
    return wanted in value or (len(value) >= 4 and value in wanted)
