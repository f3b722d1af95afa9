"""Credentials that neither begin as one nor stand behind a name: what surrounds them tells."""
