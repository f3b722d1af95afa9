"""The modules of Hermes that an engine imports: of the installed release if any, else two stand-ins.

Either way a call for a summary model goes to the parent process, which asks whom the user chose: no key and
no network reaches the engine.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

Ask = Callable[[dict[str, Any]], str]
_CONTRACT = Path(__file__).parents[2] / "contract.py"
_CHARACTERS_PER_TOKEN = 4


def prepare(ask: Ask) -> bool:
    """Make `agent` importable, its calls sent to the parent; whether it is an installed Hermes' own."""
    real = importlib.util.find_spec("agent") is not None
    if not real:
        _stand_in()
    client = importlib.import_module("agent.auxiliary_client")

    def call_llm(*args: Any, **details: Any) -> Any:
        return _answer(ask(_request_of(args, details)), details)

    async def async_call_llm(*args: Any, **details: Any) -> Any:
        return call_llm(*args, **details)

    setattr(client, "call_llm", call_llm)  # noqa: B010 - a module of whatever release is there
    setattr(client, "async_call_llm", async_call_llm)  # noqa: B010
    return real


def _stand_in() -> None:
    """Create a package `agent` with the abstract engine and a client, and nothing else of Hermes."""
    agent = _module("agent", package=True)
    _module("hermes_cli", package=True)
    spec = importlib.util.spec_from_file_location("agent.context_engine", _CONTRACT)
    if spec is None or spec.loader is None:
        raise ImportError(str(_CONTRACT))
    contract = importlib.util.module_from_spec(spec)
    sys.modules["agent.context_engine"] = contract
    spec.loader.exec_module(contract)
    _class_defaults(contract)
    setattr(agent, "context_engine", contract)  # noqa: B010
    setattr(agent, "auxiliary_client", _module("agent.auxiliary_client"))  # noqa: B010


def _class_defaults(contract: ModuleType) -> None:
    """Set the counters on the class, as Hermes does, so that engines need not call its `__init__`."""
    for name in (
        "last_prompt_tokens",
        "last_completion_tokens",
        "last_total_tokens",
        "threshold_tokens",
        "context_length",
        "compression_count",
    ):
        setattr(contract.ContextEngine, name, 0)


def _module(name: str, *, package: bool = False) -> ModuleType:
    module = ModuleType(name)
    if package:
        module.__path__ = []
    sys.modules[name] = module
    return module


def _request_of(args: tuple[Any, ...], details: dict[str, Any]) -> dict[str, Any]:
    messages = details.get("messages")
    if messages is None:
        messages = next((arg for arg in args if isinstance(arg, list)), [])
    limit = details.get("max_tokens")
    return {
        "task": str(details.get("task") or (args[0] if args and isinstance(args[0], str) else "")),
        "messages": messages,
        "max_tokens": limit if isinstance(limit, int) else None,
    }


def _answer(text: str, details: dict[str, Any]) -> Any:
    """An answer with the attributes of the OpenAI SDK's objects."""
    prompt = len(str(details.get("messages"))) // _CHARACTERS_PER_TOKEN
    written = len(text) // _CHARACTERS_PER_TOKEN
    message = SimpleNamespace(role="assistant", content=text, tool_calls=None, reasoning=None)
    return SimpleNamespace(
        model="",
        choices=[SimpleNamespace(index=0, message=message, finish_reason="stop")],
        usage=SimpleNamespace(prompt_tokens=prompt, completion_tokens=written, total_tokens=prompt + written),
    )
