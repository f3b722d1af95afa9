"""The subcommands, by name: what `--help` lists and `main` loads.

A subcommand is the module of its name in `inspector.cli`, with two functions, `add_arguments(parser)` and
`run(args) -> int`. It is imported only when it is asked for, and it imports what is heavy only inside `run`.
"""

from __future__ import annotations

COMMANDS = {
    "demo": "open the app on the sample sessions",
    "sessions": "list conversations: tokens, cost, generations",
    "show": "print a conversation, generation by generation",
    "plan": "where compression would cut, and the arithmetic behind it",
    "compress": "what a compaction would say, leave and lose; --apply writes it",
    "repair": "put back the turns that `/compress here` of 0.18 and 0.19 lost",
    "undo": "take back what `compress --apply` or `repair` wrote",
    "why": "when and why compression fired, and why it did not",
    "findings": "diagnoses, worst first, each with its numbers and what helps",
    "export": "a redacted report of a conversation, for a bug tracker",
    "usage": "tokens and money by session, conversation, model, source, day, task or profile",
    "cache": "cache markers, hits call by call, breaks with cause and cost",
    "reconcile": "a provider's usage export beside what Hermes recorded",
    "chain": "continuations, branches and delegates of a session, and where resume lands",
    "search": "full-text search over messages",
    "doctor": "check that the store, its schema and its configuration can be read",
}
"""One line for `--help` by what the user types, in the order of the help."""
