"""What runs beside a context engine in its child process, with the standard library alone.

The interpreter may be Hermes' own, which has none of our packages; nothing here imports them.
"""
