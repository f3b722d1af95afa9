"""How messages are named; `plugin install` replaces this file with the real module."""

from core.recordings.row_names import digest, row_name, rows_of, shown_text

__all__ = ["digest", "row_name", "rows_of", "shown_text"]
