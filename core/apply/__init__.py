"""The only room that writes to a session database: rehearse, execute, undo."""
