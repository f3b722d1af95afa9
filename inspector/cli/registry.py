"""The subcommands by name, for `--help` and for `main` to load.

A subcommand is a module below `inspector.cli` with two functions, `add_arguments(parser)` and
`run(args) -> int`. It is imported only when it is used, and imports anything heavy inside `run`.
"""

from __future__ import annotations

from typing import NamedTuple

PROGRAM = "hermes-inspector"
SUMMARY = "See why Hermes Agent compressed a conversation, what it lost and what it cost."


class Command(NamedTuple):
    """A subcommand: its module below `inspector.cli`, and its line for `--help`.

    Attributes:
        shows_itself: It reports its own progress, or runs until it is stopped.
    """

    module: str
    summary: str
    shows_itself: bool = False


COMMANDS = {
    "demo": Command("app.demo", "open the app on the sample sessions", shows_itself=True),
    "sessions": Command("browse.sessions", "list conversations with their tokens and cost"),
    "show": Command("browse.show", "print a conversation, generation by generation"),
    "plan": Command("compression.plan", "show where compression would cut, and how the limit is computed"),
    "compress": Command(
        "compression.compress", "preview what a compaction would write, keep and lose; --apply writes it"
    ),
    "repair": Command("compression.repair", "restore the turns that `/compress here` of 0.18 and 0.19 lost"),
    "undo": Command("compression.undo", "undo what `compress --apply` or `repair` wrote"),
    "why": Command("explanation.why", "show when and why compression fired, or why it did not"),
    "explain-error": Command(
        "explanation.explain_error", "explain a provider's error, and what each Hermes release does with it"
    ),
    "findings": Command(
        "explanation.findings", "list what is wrong, worst first, with the numbers and what helps"
    ),
    "export": Command("explanation.export", "write a redacted report of a conversation, for a bug tracker"),
    "usage": Command(
        "money.usage", "add up tokens and cost by session, conversation, model, day, task and more"
    ),
    "cache": Command("money.cache", "show cache markers, hits call by call, and breaks with cause and cost"),
    "results": Command(
        "money.results", "show what happened to each tool result, what it cost, and what can be read back"
    ),
    "reconcile": Command("money.reconcile", "compare a provider's usage export with what Hermes recorded"),
    "trajectory": Command(
        "trajectory.trajectory",
        "compress finished training trajectories to a token budget, one file or ten million",
        shows_itself=True,
    ),
    "chain": Command(
        "browse.chain", "show continuations, branches and sub-agents of a session, and what /resume opens"
    ),
    "recall": Command("browse.recall", "find what a summary dropped, with its row and generation"),
    "search": Command("browse.search", "search the text of every message"),
    "engines": Command(
        "engines.listing", "list context engines, whether they load, and which releases accept them"
    ),
    "plugin": Command("engines.plugin", "install into Hermes: a context engine, a recorder, /inspect"),
    "mcp": Command(
        "engines.mcp", "serve read-only tools for agents over the Model Context Protocol", shows_itself=True
    ),
    "status": Command("live.status", "print one line: context used, today's cost, cache hits, worst finding"),
    "watch": Command("live.watch", "print what happens as it happens, one line per event", shows_itself=True),
    "config": Command("app.config", "show, edit and check your settings", shows_itself=True),
    "serve": Command(
        "live.serve",
        "open the app in a browser on this machine; read-only, protected by a token",
        shows_itself=True,
    ),
    "completion": Command("completion", "print a completion script for the shell, or the manual page"),
    "doctor": Command(
        "browse.doctor", "check that the database and the configuration are readable and sound"
    ),
}
"""By the name the user types, in the order of the help."""
