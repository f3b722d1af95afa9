"""The command as a process of its own: `hermes-inspector`, or `python -m inspector`."""

from __future__ import annotations

import gc
import sys

_MANY = 50_000
"""New objects after which garbage is looked for; most commands end before that."""


def main() -> int:
    """Carry out the command line; what is loaded for it stays to the end, so none of that is garbage.

    Returns:
        The exit code.
    """
    gc.set_threshold(_MANY)
    from inspector.cli.main import run  # not before: half of what a short command takes is its imports

    code = run()
    gc.freeze()  # or the interpreter would look through all of it once more before it ends
    return code


if __name__ == "__main__":
    sys.exit(main())
