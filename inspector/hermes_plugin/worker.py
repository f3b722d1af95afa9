"""The other end of the plugin's pipe: runs the compressor for the engines of one Hermes process.

One JSON object a line comes in and one goes out. It ends when the pipe does.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from inspector.hermes_plugin.desk import Desk
from inspector.hermes_plugin.text_desk import TextDesk

_MIRRORED = (
    "threshold_tokens",
    "context_length",
    "compression_count",
    "threshold_percent",
    "protect_first_n",
    "protect_last_n",
    "last_prompt_tokens",
    "last_completion_tokens",
    "last_total_tokens",
)


def serve(orders: TextIO, answers: TextIO) -> None:
    """Answer orders until there are no more."""
    desks: dict[str, Desk] = {}
    texts: dict[str, TextDesk] = {}
    for line in orders:
        order = json.loads(line)
        try:
            answer = _texts(texts, order) if "engine" not in order else _answer(desks, order)
        except Exception as error:  # noqa: BLE001 - the edge of a process: the stub lets this worker go
            answer = {"error": f"{type(error).__name__}: {error}"}
        answers.write(f"{json.dumps({**answer, 'number': order.get('number')})}\n")
        answers.flush()
    for desk in texts.values():
        desk.drop_held()


def _texts(desks: dict[str, TextDesk], order: dict[str, Any]) -> dict[str, Any]:
    """What the recorder of a home asks."""
    home = order["home"]
    desk = desks.get(home)
    if desk is None:
        desk = desks[home] = TextDesk(home, Path(order["state"]))
    if order["do"] == "wanted":
        return {"names": desk.wanted(order["names"])}
    desk.keep(order["texts"])
    return {}


def _answer(desks: dict[str, Desk], order: dict[str, Any]) -> dict[str, Any]:
    desk = desks.get(order["engine"])
    if desk is None:
        desk = desks[order["engine"]] = Desk(
            Path(order["home"]), order["version"], Path(order["state"]), order["summariser"]
        )
        if order["route"] is not None:  # another worker knew of it before
            desk.update_model(order["route"])
            desk.session_start(order["session"])
    desk.take_over(order["set"])
    actions: dict[str, Callable[[], dict[str, Any]]] = {
        "update_model": lambda: desk.update_model(order["route"]),
        "update_from_response": lambda: desk.update_from_response(order["usage"]),
        "should_compress": lambda: desk.should_compress(order["tokens"]),
        "should_defer": lambda: desk.should_defer(order["tokens"]),
        "has_content": lambda: desk.has_content(order["messages"]),
        "compress": lambda: desk.compress(order),
        "session_start": lambda: desk.session_start(order["session"]),
        "session_end": desk.session_end,
        "session_reset": desk.session_reset,
        "tool": lambda: desk.tool(order["name"], order["args"], order["session"]),
    }
    answer = actions[order["do"]]()
    compressor = desk.compressor
    state = {} if compressor is None else {name: getattr(compressor, name) for name in _MIRRORED}
    return {**answer, "state": state}


@contextmanager
def _own_pipe() -> Iterator[tuple[TextIO, TextIO]]:
    """Keep the pipe from whatever prints."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    orders = os.fdopen(os.dup(0), "r", encoding="utf-8", newline="\n")
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1):
        os.dup2(nothing, stream)
    with answers, orders:
        yield orders, answers


def main() -> None:
    """Serve the pipe this process was started with."""
    sys.argv[:] = sys.argv[:1]
    with _own_pipe() as (orders, answers):
        serve(orders, answers)
