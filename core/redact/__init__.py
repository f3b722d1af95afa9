"""Removes credentials from text before it is sent, summarised, shown or exported.

A credential is replaced by `[redacted:KIND]`: no part of it is kept, the reader still sees what it was, and a
second run changes nothing. The YAML files in this folder define what counts as a credential.
"""
