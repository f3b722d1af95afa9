"""A model on loopback that calls a tool some times and then answers; run as a program: PORT STEPS LOG.

A prompt that says "in 30 steps" is answered after as many; the count outlives a compaction in mid turn.
"""

from __future__ import annotations

import json
import re
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

_STEPS = re.compile(r"in (\d+) steps")
_ERROR = re.compile(r"/srv/app/module_\d+\.py: ValueError E\d+ at line \d+")
_ASKED = re.compile(r"Look into module \d+\.|Now all of it, in \d+ steps\.")
_COMMAND = "echo '/srv/app/module_{0}.py: ValueError E{0} at line {0}'; printf 'filler-{0} %.0s' $(seq {1})"
_WORDS = 800
"""Words each tool call prints, some 9,000 characters."""


class Turn:
    """How far the turn under way has come, and how many calls were made in all."""

    def __init__(self) -> None:
        self.wanted: int | None = None
        self.done = self.calls = 0

    def reply(self, messages: list[dict[str, Any]], tools: Any, steps: int) -> dict[str, Any]:
        """The next message of the assistant; a request without tools is not part of the turn."""
        if not tools:
            return {"role": "assistant", "content": summary(messages)}
        if self.wanted is None:
            users = [str(row.get("content")) for row in messages if row.get("role") == "user"]
            named = _STEPS.findall(users[-1]) if users else []
            self.wanted = int(named[-1]) if named else steps
        if self.done >= self.wanted:
            self.wanted, self.done = None, 0
            return {"role": "assistant", "content": f"Done after {self.calls} calls."}
        self.done += 1
        self.calls += 1
        arguments = json.dumps({"command": _COMMAND.format(self.calls, _WORDS)})
        function = {"name": "terminal", "arguments": arguments}
        call = {"id": f"call_{self.calls:05d}", "type": "function", "function": function}
        return {"role": "assistant", "content": f"Step {self.done}.", "tool_calls": [call]}


def summary(messages: list[dict[str, Any]]) -> str:
    """What a careful model would keep of this script: every error named so far, once, and what was asked."""
    text = "\n".join(str(row.get("content")) for row in messages)
    errors = dict.fromkeys(_ERROR.findall(text))
    asked = dict.fromkeys(_ASKED.findall(text))
    return "## Goal\n" + "\n".join(asked) + "\n\n## Critical Context\n" + "\n".join(errors)


def orphans(messages: list[dict[str, Any]]) -> int:
    """Results without a call before them."""
    called: set[str] = set()
    found = 0
    for row in messages:
        called |= {call["id"] for call in row.get("tool_calls") or ()}
        found += row.get("role") == "tool" and row.get("tool_call_id") not in called
    return found


class Handler(BaseHTTPRequestHandler):
    """Chat completions, streamed or not, and the list of models."""

    steps, log, turn = 8, "", Turn()

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        self._json(
            {"object": "list", "data": [{"id": "scripted", "object": "model", "context_length": 64_000}]}
        )

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}")
        messages, tools = body.get("messages", []), body.get("tools")
        message = self.turn.reply(messages, tools, self.steps)
        size, output = len(json.dumps([messages, tools or []])) // 4, len(json.dumps(message)) // 4
        usage = {"prompt_tokens": size, "completion_tokens": output, "total_tokens": size + output}
        with open(self.log, "a") as stream:
            row: dict[str, Any] = {"messages": len(messages), "tokens": size, "orphans": orphans(messages)}
            row |= {"auxiliary": not tools, "output": output}
            row["results"] = [each.get("tool_call_id") for each in messages if each.get("role") == "tool"]
            stream.write(json.dumps(row) + "\n")
        finish = "tool_calls" if "tool_calls" in message else "stop"
        if body.get("stream"):
            self._stream(message, finish, usage)
        else:
            choice = {"index": 0, "message": message, "finish_reason": finish}
            self._json({"id": "c", "object": "chat.completion", "choices": [choice], "usage": usage})

    def _json(self, document: dict[str, Any]) -> None:
        content = json.dumps(document).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def _stream(self, message: dict[str, Any], finish: str, usage: dict[str, int]) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        calls = [{**call, "index": 0} for call in message.get("tool_calls", ())]
        delta = {**message, **({"tool_calls": calls} if calls else {})}
        base = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "scripted"}
        for choices, more in (
            ([{"index": 0, "delta": delta, "finish_reason": None}], {}),
            ([{"index": 0, "delta": {}, "finish_reason": finish}], {}),
            ([], {"usage": usage}),
        ):
            self.wfile.write(f"data: {json.dumps({**base, 'choices': choices, **more})}\n\n".encode())
        self.wfile.write(b"data: [DONE]\n\n")
        self.close_connection = True


if __name__ == "__main__":
    Handler.steps, Handler.log = int(sys.argv[2]), sys.argv[3]
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
