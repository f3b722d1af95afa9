"""Credentials without a known form or a name, identified by their surroundings."""
