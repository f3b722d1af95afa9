"""Serves tools for agents over the Model Context Protocol on stdio, until stdin ends.

The tools only read: why, plan, usage, cache, findings and recall. Each returns what the command of the same
name prints with --json. Needs the extra `mcp`: pip install 'hermes-inspector[mcp]'.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import io
import threading
from collections.abc import Callable, Sequence
from typing import Any

from core.errors import InspectorError, UsageError
from core.store.database.locate import LATEST
from inspector.cli.arguments import options, target
from inspector.payloads import values as jsonio

_SAYS = {
    "why": "When and why context compression fired in a conversation, and what would make it fire now.",
    "plan": "Where compression would cut the conversation, its threshold in tokens, and the arithmetic.",
    "usage": "Tokens and money of a conversation, by model.",
    "cache": "Prompt cache hits call by call, and each break with its cause and cost.",
    "findings": "What is wrong with a conversation's compression, cache or spending, and what helps.",
    "recall": "Messages of a conversation that match a query; those a compaction dropped come first.",
}
_MAX_HITS = 50
_SERVERS: Sequence[tuple[str, str]] = (
    ("mcp.server.mcpserver", "MCPServer"),
    ("mcp.server.fastmcp", "FastMCP"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `mcp`."""
    options.add_store_options(parser)


def run(args: argparse.Namespace) -> int:
    """Serve on stdin and stdout.

    Raises:
        UsageError: The extra is not installed.
    """
    server = _server_class()(
        "hermes-inspector",
        instructions="Questions about Hermes Agent conversations: context, compression, cache, cost.",
    )
    answers = Answers(args)
    for name, ask in answers.tools.items():
        server.add_tool(ask, name=name, description=_SAYS[name], annotations=_read_only())
    server.run("stdio")
    return 0


class Answers:
    """The tools, for the databases the options select."""

    def __init__(self, args: argparse.Namespace) -> None:
        self._args = args
        self._place = target.words(args)
        self._lock = threading.Lock()
        commands = {name: self._command(name) for name in _SAYS if name != "recall"}
        self.tools: dict[str, Callable[..., str]] = commands | {"recall": self.recall}

    def _command(self, name: str) -> Callable[..., str]:
        """The tool that prints a command of its name; the SDK reads its parameters from the signature."""
        more = ("--by", "model") if name == "usage" else ()

        def ask(session: str = LATEST) -> str:
            return self._printed(name, session, *more)

        return ask

    def recall(self, query: str, session: str = LATEST, limit: int = 5) -> str:
        """`query` is words to find; word endings are ignored."""
        from inspector.hermes_plugin.recall import payload

        wanted = argparse.Namespace(**{**vars(self._args), "session": session})
        most = max(1, min(limit, _MAX_HITS))
        try:
            with self._lock, target.session(wanted) as (store, found):
                return jsonio.dumps(jsonio.masked(payload(store, found.id, query, most)))
        except InspectorError as error:
            raise _tool_error(error.line) from error

    def _printed(self, *words: str) -> str:
        """The output of a command with --json; its error line in the SDK's exception for a failed tool."""
        from inspector.cli.main import run as run_command

        out, err = io.StringIO(), io.StringIO()
        with self._lock, contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = run_command([*words, "--json", *self._place])
        if code:
            raise _tool_error(err.getvalue().strip() or f"exit code {code}")
        return out.getvalue().strip()


def _server_class() -> Any:
    """The SDK's server class; version 2 renamed it."""
    for module, name in _SERVERS:
        with contextlib.suppress(ImportError):
            return getattr(importlib.import_module(module), name)
    raise UsageError(
        "the MCP SDK is not installed",
        where="hermes-inspector mcp",
        remedy="pip install 'hermes-inspector[mcp]'",
    )


def _tool_error(text: str) -> Exception:
    """The SDK's exception for a failed tool; it would hide the text of any other exception."""
    for module, _ in _SERVERS:
        with contextlib.suppress(ImportError):
            kind: type[Exception] = importlib.import_module(f"{module}.exceptions").ToolError
            return kind(text)
    return UsageError(text)


def _read_only() -> Any:
    annotations = importlib.import_module("mcp.types").ToolAnnotations
    return annotations.model_validate({"readOnlyHint": True, "openWorldHint": False})
