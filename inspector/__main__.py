"""`python -m inspector`: the command where its script is not on the path."""

from __future__ import annotations

import sys

from inspector.cli.main import run

if __name__ == "__main__":
    sys.exit(run())
