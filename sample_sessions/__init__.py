"""Scenarios as text, and the builder that turns them into a Hermes home."""
