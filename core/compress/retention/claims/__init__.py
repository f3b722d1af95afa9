"""The kinds of claims a summary can make, and which of them the messages do not support."""
