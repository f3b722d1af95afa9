"""The subcommands, one module each; every screen of the app has a --json counterpart here."""
