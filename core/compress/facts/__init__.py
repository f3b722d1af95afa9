"""Checkable facts of messages: what a summary is made of, and what it can be held against."""
