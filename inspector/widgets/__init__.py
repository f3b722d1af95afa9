"""Reusable parts; each carries its own DEFAULT_CSS."""
