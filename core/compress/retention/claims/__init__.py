"""The kinds of claims a summary can make, and what of each the messages do not bear out."""
