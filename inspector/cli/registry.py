"""The subcommands, by name: what `--help` lists and `main` loads.

A subcommand is a module with two functions, `add_arguments(parser)` and `run(args) -> int`. It is imported
only when it is asked for, and it imports what is heavy only inside `run`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Command:
    """One subcommand.

    Attributes:
        name: What the user types; the module of the same name in `inspector.cli` carries it out.
        summary: One line for `--help`.
    """

    name: str
    summary: str

    @property
    def module(self) -> str:
        """The dotted name of the module behind it."""
        return f"inspector.cli.{self.name}"


COMMANDS: tuple[Command, ...] = (
    Command("demo", "open the app on the sample sessions"),
    Command("sessions", "list conversations: tokens, cost, generations"),
    Command("show", "print a conversation, generation by generation"),
    Command("plan", "where compression would cut, and the arithmetic behind it"),
    Command("compress", "what a compaction would say, leave and lose; --apply writes it"),
    Command("repair", "put back the turns that `/compress here` of 0.18 and 0.19 lost"),
    Command("undo", "take back what `compress --apply` or `repair` wrote"),
    Command("why", "when and why compression fired, and why it did not"),
    Command("findings", "diagnoses, worst first, each with its numbers and what helps"),
    Command("export", "a redacted report of a conversation, for a bug tracker"),
    Command("usage", "tokens and money by session, conversation, model, source, day, task or profile"),
    Command("cache", "cache markers, hits call by call, breaks with cause and cost"),
    Command("reconcile", "a provider's usage export beside what Hermes recorded"),
    Command("chain", "continuations, branches and delegates of a session, and where resume lands"),
    Command("search", "full-text search over messages"),
    Command("doctor", "check that the store, its schema and its configuration can be read"),
)

BY_NAME = {command.name: command for command in COMMANDS}
