"""The one line a release keeps of an old tool result, from the table in `stubs.yaml`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any

from core.compress.pruning.stub_fields import FIELDS, StubSource, refusal
from core.model.transcript.message import json_object
from core.support.program_files import shared_table

_tables = partial(shared_table, "core/compress/pruning/stubs.yaml")

_GUARD = "..."


@dataclass(frozen=True, slots=True)
class Argument:
    """How an argument of the call is shown."""

    default: str = ""
    text: bool = False
    cut: int = 0
    first: int = 0
    flat: bool = False
    dots: bool = False

    def show(self, arguments: Mapping[str, Any], name: str) -> Any:
        """The argument as shown in the line."""
        value = arguments.get(name, self.default)
        if not self.text:
            return value
        text = value if isinstance(value, str) else self.default if value is None else str(value)
        if self.cut and len(text) > self.cut:
            return text[: self.cut - len(_GUARD)] + _GUARD
        if not self.first:
            return text
        shown = text[: self.first].replace("\n", " ") if self.flat else text[: self.first]
        return shown + _GUARD if self.dots and len(text) > self.first else shown


@dataclass(frozen=True, slots=True)
class Stub:
    """The line of one tool; `failed` replaces it when the result reports an error."""

    line: str
    failed: str = ""
    args: Mapping[str, Argument] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StubTable:
    """The lines of one release group."""

    tools: Mapping[str, Stub]
    other: Stub
    refusals: bool
    unwraps_urls: bool


class _Fields(dict[str, Any]):
    """The values of a line, each computed when the line uses it."""

    def __init__(self, source: StubSource, stub: Stub) -> None:
        super().__init__()
        self._source = source
        self._stub = stub

    def __missing__(self, name: str) -> Any:
        argument = self._stub.args.get(name)
        if argument is not None:
            return argument.show(self._source.arguments, name)
        compute: Callable[[StubSource], Any] = FIELDS[name]
        return compute(self._source)


def stub_line(tool: str, arguments: Any, content: str, table: str) -> str:
    """The line that replaces the result of a tool, which is `unknown` when the call is gone.

    Arguments that are no JSON count as none; the table is `classic`, `guarded` or `outcomes`.
    """
    rules = stub_table(table)
    source = StubSource(tool, json_object(arguments) or {}, content, rules.unwraps_urls)
    refused = refusal(source) if rules.refusals else None
    if refused is not None:
        return refused
    stub = rules.tools.get(tool, rules.other)
    failed = stub.failed and FIELDS["failure"](source)
    return (stub.failed if failed else stub.line).format_map(_Fields(source, stub))


@cache
def stub_table(name: str) -> StubTable:
    """Read one table of `stubs.yaml`."""
    values = _merged(name)
    tools = {tool: _stub(entry) for tool, entry in values["tools"].items()}
    return StubTable(
        tools=tools,
        other=Stub(values["other"]),
        refusals=bool(values.get("refusals")),
        unwraps_urls=bool(values.get("unwraps_urls")),
    )


def _stub(entry: Mapping[str, Any]) -> Stub:
    args = {name: Argument(**spec) for name, spec in entry.get("args", {}).items()}
    return Stub(entry["line"], entry.get("failed", ""), args)


def _merged(name: str) -> dict[str, Any]:
    values: dict[str, Any] = _tables()[name]
    if "extends" not in values:
        return values
    base = _merged(values["extends"])
    kept = {tool: stub for tool, stub in base["tools"].items() if tool not in values.get("without", ())}
    return {**base, **values, "tools": {**kept, **values.get("tools", {})}}
