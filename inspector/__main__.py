"""The command as a process of its own: `python -m inspector`, as `hermes-inspector`."""

from __future__ import annotations

import sys

from inspector.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
