"""The terminal dashboard and command line: shows what `core` knows."""

__version__ = "0.1.0"
