"""The app in a browser: only `serve` listens, and only for whoever holds its token."""
