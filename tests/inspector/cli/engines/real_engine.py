"""The engine an agent of an installed Hermes runs on: prints its name, or `none` where no agent begins."""

# mypy: ignore-errors

from __future__ import annotations

import inspect
import sys


def engine():
    from run_agent import AIAgent

    wanted = {"model": "m", "base_url": "http://127.0.0.1:9/v1", "api_key": "x", "provider": "custom"}
    wanted |= {"quiet_mode": True, "skip_memory": True, "enabled_toolsets": ["terminal"], "platform": "cli"}
    known = inspect.signature(AIAgent.__init__).parameters
    agent = AIAgent(**{name: value for name, value in wanted.items() if name in known}, session_id="s")
    return agent.context_compressor


if __name__ == "__main__":
    try:
        found = engine()
        name = "compressor" if type(found).__name__ == "ContextCompressor" else found.name
    except BaseException:  # noqa: BLE001 - an engine may raise anything, and then no chat begins
        name = "none"
    sys.stdout.write(f"\n{name}\n")
