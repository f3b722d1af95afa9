"""`mcp`, driven by the SDK's own client."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.inspector.cli.conftest import Cli

ROOT = Path(__file__).parents[4]
TOOLS = ("why", "plan", "usage", "cache", "findings", "recall")


def asked(home: Path, *calls: tuple[str, dict[str, Any]]) -> tuple[list[Any], list[Any]]:
    """The tools a server names, and its answers to some calls."""
    pytest.importorskip("mcp")
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    async def talk() -> tuple[list[Any], list[Any]]:
        path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH", ""))))
        words = ["-m", "inspector", "mcp", "--home", str(home)]
        server = StdioServerParameters(
            command=sys.executable, args=words, env={**os.environ, "PYTHONPATH": path}
        )
        async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
            await session.initialize()
            tools = (await session.list_tools()).tools
            return list(tools), [await session.call_tool(name, arguments) for name, arguments in calls]

    return asyncio.run(asyncio.wait_for(talk(), 120))


def failed(answer: Any) -> bool:
    return bool(getattr(answer, "is_error", getattr(answer, "isError", False)))


def test_every_tool_answers_with_the_document_of_its_command(sample_home: Path) -> None:
    calls = [(name, {"query": "tenant"} if name == "recall" else {}) for name in TOOLS]
    tools, answers = asked(sample_home, *calls)
    assert sorted(tool.name for tool in tools) == sorted(TOOLS)
    assert not any(failed(answer) for answer in answers)
    documents = dict(zip(TOOLS, (json.loads(answer.content[0].text) for answer in answers), strict=True))
    assert "events" in documents["why"]
    assert "threshold_tokens" in documents["plan"]
    assert "rows" in documents["usage"]
    assert "hits" in documents["recall"]


def test_a_session_that_is_not_there_is_an_error_with_its_line(sample_home: Path) -> None:
    _, [answer] = asked(sample_home, ("why", {"session": "nobody-has-this-id"}))
    assert failed(answer)
    assert "nobody-has-this-id" in answer.content[0].text


def test_without_the_sdk_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch, cli: Cli) -> None:
    from inspector.cli.engines import mcp

    monkeypatch.setattr(mcp, "_SERVERS", (("nowhere_to_be_found", "Server"),))
    assert "hermes-inspector[mcp]" in cli("mcp", code=2).err
