"""The terminal dashboard and the command line, which show what `core` finds out."""

__version__ = "0.1.0"
