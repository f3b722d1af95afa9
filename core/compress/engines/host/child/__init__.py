"""The part that runs in a context engine's child process, written with the standard library alone.

The interpreter may be Hermes' own, without our packages, so nothing here imports them.
"""
