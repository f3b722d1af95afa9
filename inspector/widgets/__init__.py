"""Reusable widgets; each has its own DEFAULT_CSS."""
