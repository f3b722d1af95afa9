"""How messages are named; `plugin install` puts the file itself in place of this one."""

from core.recordings.row_names import digest, row_name, rows_of, shown_text

__all__ = ["digest", "row_name", "rows_of", "shown_text"]
