"""One module a subcommand; every view has a --json twin here."""
