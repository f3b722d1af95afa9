"""The prompt cache: where a request carries breakpoints, what calls hit, what broke it, what that cost."""

from core.account.prompt_cache.report import cache_report

__all__ = ["cache_report"]
