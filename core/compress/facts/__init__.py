"""Checkable facts of messages: what a summary is made from, and what it is compared with."""
