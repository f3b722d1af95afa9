"""An engine without our host, on Hermes' own interpreter: KIND NAME CASES; prints its lists as JSON.

NAME is a folder or that of an entry point.

A call to a summary model is answered with one fixed text, as the host is told to do in the test.
"""

# mypy: ignore-errors

from __future__ import annotations

import copy
import inspect
import json
import logging
import os
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace


def answer(*args, **details):
    message = SimpleNamespace(role="assistant", content="## Goal\nG", tool_calls=None, reasoning=None)
    choice = SimpleNamespace(index=0, message=message, finish_reason="stop")
    usage = SimpleNamespace(prompt_tokens=1, completion_tokens=1, total_tokens=2)
    return SimpleNamespace(model="", choices=[choice], usage=usage)


def taken(function, wanted):
    parameters = inspect.signature(function).parameters
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values()):
        return wanted
    return {name: value for name, value in wanted.items() if name in parameters}


def engine(kind, name):
    os.environ["HERMES_HOME"] = tempfile.mkdtemp()
    if kind == "builtin":
        from agent.context_compressor import ContextCompressor

        return ContextCompressor(
            model="m",
            threshold_percent=0.5,
            protect_first_n=3,
            protect_last_n=20,
            summary_target_ratio=0.2,
            quiet_mode=True,
            config_context_length=64_000,
        )
    if kind == "entry_point":
        return registered(name)
    from plugins.context_engine import _load_engine_from_dir

    folder = Path(name)
    sys.path += [str(folder.parent), str(folder.parent.parent)]
    return _load_engine_from_dir(folder)


def registered(name):
    """As an agent gets it: by Hermes' plugin loader, which only loads what is enabled, and once a process."""
    from hermes_cli import plugins

    config = f"plugins: {{enabled: [{name}]}}\n"
    Path(os.environ["HERMES_HOME"], "config.yaml").write_text(config)
    plugins._plugin_manager = None
    plugins.discover_plugins()
    one = plugins.get_plugin_context_engine()
    clone = getattr(one, "clone_for_agent", None)
    return clone() if clone else copy.deepcopy(one)


def compacted(kind, name, messages):
    try:
        one = engine(kind, name)
        route = {"model": "m", "context_length": 64_000, "base_url": "", "api_key": "", "provider": ""}
        one.update_model(**taken(one.update_model, {**route, "api_mode": ""}))
        details = {"platform": "cli", "model": "m", "context_length": 64_000, "conversation_id": None}
        details["hermes_home"] = os.environ["HERMES_HOME"]
        one.on_session_start("hermes-inspector", **taken(one.on_session_start, details))
        wanted = {"current_tokens": 70_000, "focus_topic": None, "force": True}
        return one.compress(messages, **taken(one.compress, wanted))
    except BaseException as error:  # noqa: BLE001 - an engine may raise anything
        return {"error": type(error).__name__}


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    out, sys.stdout = sys.stdout, sys.stderr
    import agent.auxiliary_client

    agent.auxiliary_client.call_llm = answer
    cases = json.loads(Path(sys.argv[3]).read_text())
    json.dump([compacted(sys.argv[1], sys.argv[2], case) for case in cases], out, default=str)
