"""Runs the command line: `python -m inspector` does what `hermes-inspector` does."""

from __future__ import annotations

import sys

from inspector.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
