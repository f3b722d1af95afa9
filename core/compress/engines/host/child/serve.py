"""The protocol with the parent: one JSON object a line, orders in, answers out.

There is one `load`, then any number of `start` and `compress`. During an order the child may send
`{"ask": ...}` and reads one line with `answer` or `refused`. What an engine prints never reaches the pipe.
"""

from __future__ import annotations

import copy
import importlib
import json
import os
import sys
import time
from collections.abc import Callable
from typing import Any, TextIO

from .confine import confine
from .load import accepted, load
from .stand_in import prepare

_SESSION = "hermes-inspector"
ENDS = ", which ends Hermes"
_NUMBERS = ("threshold_tokens", "context_length", "compression_count", "protect_first_n", "protect_last_n")


class Server:
    """Serves one engine to the parent process over a pipe."""

    def __init__(self, orders: TextIO, answers: TextIO) -> None:
        self._orders, self._answers = orders, answers
        self._engine: Any = None
        self._installed = False

    def run(self) -> None:
        """Answer until the parent closes the pipe."""
        handlers: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
            "load": self._load,
            "start": self._start,
            "compress": self._compress,
        }
        for line in self._orders:
            order = json.loads(line)
            try:
                answer = handlers[order["do"]](order)
            except BaseException as error:  # noqa: BLE001 - the engine may raise anything; one line says what
                ends = "" if isinstance(error, Exception) else ENDS
                answer = {"error": f"{type(error).__name__}: {error}"[:2000].removesuffix(": ") + ends}
            self._send(answer)

    def _send(self, answer: dict[str, Any]) -> None:
        try:
            text = json.dumps(answer)
        except BaseException as error:  # noqa: BLE001 - what cannot be written was the engine's answer
            text = json.dumps({"error": f"its answer is not JSON: {type(error).__name__}: {error}"[:2000]})
        self._answers.write(f"{text}\n")
        self._answers.flush()

    def _ask(self, call: dict[str, Any]) -> str:
        """Ask the parent to answer a call for a model."""
        self._send({"ask": call})
        answer = json.loads(self._orders.readline())
        if "answer" not in answer:
            raise RuntimeError(answer.get("refused", "the host answers no model calls"))
        return str(answer["answer"])

    def _load(self, order: dict[str, Any]) -> dict[str, Any]:
        self._installed = prepare(self._ask)
        loaded = load(order)
        self._engine = engine = loaded.engine
        base = importlib.import_module("agent.context_engine").ContextEngine
        return {
            "name": str(getattr(engine, "name", "") or order.get("name", "")),
            "is_abc": isinstance(engine, base),
            "copies": _copies(engine),
            "clones": _clones(type(engine), base),
            "tools": _tools(engine),
            "status": _status(engine),
            "hermes": self._installed,
            "handed": loaded.handed,
            "trouble": loaded.trouble,
        }

    def _start(self, order: dict[str, Any]) -> dict[str, Any]:
        """Tell the engine the model, then the session, as an agent does when it begins."""
        route = order["route"]
        update = getattr(self._engine, "update_model", None)
        if callable(update):
            update(**accepted(update, route))
        begin = getattr(self._engine, "on_session_start", None)
        if callable(begin):
            details = {
                "hermes_home": os.environ["HERMES_HOME"],
                "platform": "cli",
                "model": route["model"],
                "context_length": route["context_length"],
                "conversation_id": None,
            }
            begin(_SESSION, **accepted(begin, details))
        tokens = order["tokens"]
        return {"status": _status(self._engine), "would_fire": bool(self._engine.should_compress(tokens))}

    def _compress(self, order: dict[str, Any]) -> dict[str, Any]:
        messages = order["messages"]
        before = copy.deepcopy(messages)
        compress = self._engine.compress
        arguments = {
            "current_tokens": order["tokens"],
            "focus_topic": order["focus"],
            "force": order["force"],
        }
        began = time.perf_counter()
        found = compress(messages, **accepted(compress, arguments))
        return {
            "messages": found,
            "seconds": time.perf_counter() - began,
            "changed_input": messages != before,
            "status": _status(self._engine),
        }


def _copies(engine: Any) -> str | None:
    """Why a deep copy fails; None when it works. From 0.18 on Hermes makes one for each agent."""
    try:
        copy.deepcopy(engine)
    except Exception as error:  # noqa: BLE001 - whatever it is, Hermes then takes its own engine
        return f"{type(error).__name__}: {error}"[:300]
    return None


def _clones(kind: type, base: type) -> bool:
    """Whether the engine defines how it is copied; from 0.22 on Hermes' own default is a deep copy."""
    return any("clone_for_agent" in vars(one) for one in kind.__mro__ if one is not base)


def _tools(engine: Any) -> list[str]:
    schemas: Any = getattr(engine, "get_tool_schemas", list)()
    names = [
        one.get("name") or one.get("function", {}).get("name") for one in schemas if isinstance(one, dict)
    ]
    return [str(name) for name in names if name]


def _status(engine: Any) -> dict[str, Any]:
    """The figures of an engine: its attributes, then what its status adds and JSON can hold."""
    found = {name: getattr(engine, name, None) for name in _NUMBERS}
    status: Any = getattr(engine, "get_status", dict)()
    for name, value in status.items() if isinstance(status, dict) else ():
        if isinstance(value, str | int | float | bool) or value is None:
            found.setdefault(str(name), value)
    return {name: value for name, value in found.items() if isinstance(value, str | int | float | bool)}


def main() -> None:
    """Keep the pipe to ourselves, apply the limits, and serve."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    orders = os.fdopen(os.dup(0), "r", encoding="utf-8", newline="\n")
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    sys.stdout = sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - for the whole life
    bounds = json.loads(orders.readline())
    sys.path[:0] = bounds["path"]
    os.chdir(os.environ["HERMES_HOME"])
    confine(bounds["folder"], bounds["memory"], bounds["seconds"])
    Server(orders, answers).run()
