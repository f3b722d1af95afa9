"""Everything about the prompt cache of one conversation."""


def cache_report() -> None:
    """X."""
