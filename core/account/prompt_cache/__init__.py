"""The prompt cache: where a request carries breakpoints, what calls hit, what broke it, what that cost."""
