"""The subcommands, by name: what `--help` lists and `main` loads.

A subcommand is a module in a room of `inspector.cli`, with two functions, `add_arguments(parser)` and
`run(args) -> int`. It is imported only when it is asked for, and it imports what is heavy only inside `run`.
"""

from __future__ import annotations

from typing import NamedTuple


class Command(NamedTuple):
    """Where a subcommand lies below `inspector.cli`, and its line for `--help`.

    Attributes:
        shows_itself: It says by itself that it is at work, or works until it is stopped.
    """

    module: str
    summary: str
    shows_itself: bool = False


COMMANDS = {
    "demo": Command("app.demo", "open the app on the sample sessions", shows_itself=True),
    "sessions": Command("browse.sessions", "list conversations with their tokens and cost"),
    "show": Command("browse.show", "print a conversation, generation by generation"),
    "plan": Command("compression.plan", "where compression would cut, and how the limit is computed"),
    "compress": Command(
        "compression.compress", "what a compaction would write, keep and lose; --apply writes it"
    ),
    "repair": Command("compression.repair", "put back the turns that `/compress here` of 0.18 and 0.19 lost"),
    "undo": Command("compression.undo", "undo what `compress --apply` or `repair` wrote"),
    "why": Command("explanation.why", "when and why compression fired, or why it did not"),
    "explain-error": Command(
        "explanation.explain_error", "what a provider's error means, and what each Hermes release makes of it"
    ),
    "findings": Command(
        "explanation.findings", "what is wrong, worst first, with the numbers and what helps"
    ),
    "export": Command("explanation.export", "a redacted report of a conversation, for a bug tracker"),
    "usage": Command(
        "money.usage", "tokens and cost by session, conversation, model, source, day, task or profile"
    ),
    "cache": Command("money.cache", "cache markers, hits call by call, breaks with cause and cost"),
    "results": Command(
        "money.results", "what became of each tool result, what it cost over its life, what can be read back"
    ),
    "reconcile": Command("money.reconcile", "a provider's usage export beside what Hermes recorded"),
    "trajectory": Command(
        "trajectory.trajectory",
        "compress finished training trajectories to a token budget, one file or ten million",
        shows_itself=True,
    ),
    "chain": Command(
        "browse.chain", "continuations, branches and sub-agents of a session, and what /resume opens"
    ),
    "recall": Command("browse.recall", "find what a summary dropped, with its row and generation"),
    "search": Command("browse.search", "full-text search over messages"),
    "engines": Command(
        "engines.listing", "context engines: where they are, whether they load, which releases take them"
    ),
    "plugin": Command("engines.plugin", "live inside Hermes: a context engine, a recorder, /inspect"),
    "mcp": Command(
        "engines.mcp", "read-only tools for agents, by the Model Context Protocol on stdio", shows_itself=True
    ),
    "status": Command("live.status", "one line: context used, today's money, cache hits, worst finding"),
    "watch": Command(
        "live.watch", "what happens, as it happens: one line an event, each told once", shows_itself=True
    ),
    "config": Command(
        "app.config",
        "your settings: what is in force, where it comes from, what is wrong with it",
        shows_itself=True,
    ),
    "serve": Command(
        "live.serve", "the app in a browser on this machine, behind a token; read only", shows_itself=True
    ),
    "completion": Command("completion", "a completion script for the shell, or the manual page"),
    "doctor": Command("browse.doctor", "check that the store, its schema and its configuration can be read"),
}
"""By what the user types, in the order of the help."""
